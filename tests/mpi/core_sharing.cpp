// SPDX-License-Identifier: BSD-3-Clause
// Prints how many processes share a core, as the library sees it: for tests/scripts/cores.sh.

#include "base/cores.hpp"

TEST_MAIN()
{
    std::printf("cores %d processes a core %d\n", ortho::base::cores_here(), ortho::base::processes_a_core());
}
