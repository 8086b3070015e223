// SPDX-License-Identifier: BSD-3-Clause
// Names that a user may have meant, and warnings about odd variables.

#include <string_view>

#include "base/environment.hpp"
#include "base/text.hpp"

using ortho::base::did_you_mean;

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

TEST(OddVariables, AreTold)
{
    for (const char* name : {"ORTHO_ALGORITHM", "ORTHO_VERIFY", "ORTHO_STALL_S", "ORTHO_STALL_ABORT"})
        unsetenv(name);
    const auto before = ortho::base::odd_variables();
    setenv("ORTHO_VERFIY", "1", 1);
    setenv("ORTHO_SHM", "of", 1);
    setenv("ORTHO_EXPLAIN", "Yes", 1);
    setenv("ORTHO_STRICT", "", 1);
    setenv("ORTHO_TEST_REPEATS", "1", 1);
    setenv("ORTHOGONAL", "1", 1);
    auto odd = ortho::base::odd_variables();
    EXPECT_EQ(odd.size(), before.size() + 2);
    EXPECT_EQ(std::ranges::count(odd, "ORTHO_VERFIY means nothing to mpiortho; did you mean ORTHO_VERIFY?"),
              1);
    EXPECT_EQ(std::ranges::count(odd, "ORTHO_SHM=of is neither true nor false"), 1);
    setenv("ORTHO_STALL_ABORT", "1", 1);
    EXPECT_EQ(ortho::base::odd_variables().size(), before.size() + 3);
    setenv("ORTHO_STALL_S", "1", 1);
    EXPECT_EQ(ortho::base::odd_variables().size(), before.size() + 2);
}

} // namespace
