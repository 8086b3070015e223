// SPDX-License-Identifier: BSD-3-Clause
// For tests/scripts/verify.sh: prints after how many seconds a wait is reported, before and after the first
// communicator is made.

#include "runtime/stall_report.hpp"

TEST_MAIN()
{
    const int before = ortho::runtime::stall_settings().seconds;
    const test::Comm graph = test::neighborhood({test::size()}, {1}, {1});
    if (test::rank() == 0) std::printf("%d %d\n", before, ortho::runtime::stall_settings().seconds);
}
