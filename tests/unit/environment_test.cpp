// SPDX-License-Identifier: BSD-3-Clause
// Names that a user may have meant, values in messages, warnings about odd variables, and the number of
// processes on a node as launchers tell it.

#include <cstdint>
#include <limits>
#include <sstream>
#include <string_view>

#include "base/cores.hpp"
#include "base/environment.hpp"
#include "base/text.hpp"

using namespace ortho::base;

namespace {

constexpr std::string_view names[] = {"ORTHO_VERIFY", "ORTHO_SHM", "ORTHO_STRICT"};

TEST(Nearest, TwoLettersMayBeWrong)
{
    EXPECT_EQ(did_you_mean("ORTHO_VERFIY", names), "; did you mean ORTHO_VERIFY?"); // swapped
    EXPECT_EQ(did_you_mean("ORTHO_VERIFI", names), "; did you mean ORTHO_VERIFY?"); // changed
    EXPECT_EQ(did_you_mean("ORTHO_VRFY", names), "; did you mean ORTHO_VERIFY?");   // missing
    EXPECT_EQ(did_you_mean("ORTHO_SSHMM", names), "; did you mean ORTHO_SHM?");     // too many
}

TEST(Nearest, ThreeAreTooMany)
{
    EXPECT_EQ(did_you_mean("ORTHO_VERxxx", names), "");
    EXPECT_EQ(did_you_mean("ORTHO_COLOUR", names), "");
    EXPECT_EQ(did_you_mean("ORTHO_SHM", {}), "");
}

TEST(Text, HasNumbersAsStreamsWriteThem)
{
    int object = 0;
    const auto same = [](const auto&... values) {
        std::ostringstream stream;
        (stream << ... << values);
        EXPECT_EQ(text(values...), stream.str());
    };
    same(0.1, ' ', 1e-7, ' ', 123456789.0, ' ', -2.5, ' ', 100.0, ' ', 1e300 * 10);
    same(-5, ' ', std::numeric_limits<std::int64_t>::min(), ' ', std::numeric_limits<std::uint64_t>::max());
    same(true, 'x', std::string("of"), std::string_view("four"), " kinds ", &object);
    EXPECT_EQ(text(), "");
}

TEST(OddVariables, AreTold)
{
    for (const char* name : {"ORTHO_ALGORITHM", "ORTHO_VERIFY", "ORTHO_STALL_S", "ORTHO_STALL_ABORT"})
        unsetenv(name);
    const auto before = odd_variables();
    setenv("ORTHO_VERFIY", "1", 1);
    setenv("ORTHO_SHM", "of", 1);
    setenv("ORTHO_EXPLAIN", "Yes", 1);
    setenv("ORTHO_STRICT", "", 1);
    setenv("ORTHO_TEST_REPEATS", "1", 1);
    setenv("ORTHOGONAL", "1", 1);
    auto odd = odd_variables();
    EXPECT_EQ(odd.size(), before.size() + 2);
    EXPECT_EQ(std::ranges::count(odd, "ORTHO_VERFIY means nothing to mpiortho; did you mean ORTHO_VERIFY?"),
              1);
    EXPECT_EQ(std::ranges::count(odd, "ORTHO_SHM=of is neither true nor false"), 1);
    setenv("ORTHO_STALL_ABORT", "1", 1);
    EXPECT_EQ(odd_variables().size(), before.size() + 3);
    setenv("ORTHO_STALL_S", "1", 1);
    EXPECT_EQ(odd_variables().size(), before.size() + 2);
}

TEST(Cores, TasksOfANodeInSlurmsList)
{
    EXPECT_EQ(tasks_of_node("4", 0), 4);
    EXPECT_EQ(tasks_of_node("2(x3),1", 0), 2);
    EXPECT_EQ(tasks_of_node("2(x3),1", 2), 2);
    EXPECT_EQ(tasks_of_node("2(x3),1", 3), 1);
    EXPECT_EQ(tasks_of_node("3,1,16(x2)", 1), 1);
    EXPECT_EQ(tasks_of_node("3,1,16(x2)", 3), 16);
    EXPECT_EQ(tasks_of_node("2(x3),1", 4), 0);
    for (const char* text : {"", "x", "2(x", "2(x3", "2(3)", "0", "-1", "2(x0)", "99999999999", ",2", "2;3"})
        for (int node = 0; node < 3; ++node) {
            const int tasks = tasks_of_node(text, node);
            EXPECT_TRUE(tasks == 0 || (node == 0 && tasks == 2)) << text << ' ' << node;
        }
}

TEST(Cores, LaunchersComeBeforeTheStepsOfSlurm)
{
    for (const char* name :
         {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"})
        unsetenv(name);
    setenv("SLURM_STEP_TASKS_PER_NODE", "3,1", 1);
    setenv("SLURM_NTASKS_PER_NODE", "7", 1);
    setenv("SLURM_NODEID", "1", 1);
    EXPECT_EQ(processes_here(), 1);
    setenv("MPI_LOCALNRANKS", "5", 1);
    EXPECT_EQ(processes_here(), 5);
    unsetenv("MPI_LOCALNRANKS");
    unsetenv("SLURM_NODEID");
    EXPECT_EQ(processes_here(), 7);
    unsetenv("SLURM_NTASKS_PER_NODE");
    EXPECT_EQ(processes_here(), 0);
    unsetenv("SLURM_STEP_TASKS_PER_NODE");
}

} // namespace
