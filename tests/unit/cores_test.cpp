// SPDX-License-Identifier: BSD-3-Clause
// The number of processes on a node, as launchers tell it.

#include "base/cores.hpp"

namespace ortho::base {
namespace {

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
} // namespace ortho::base
