// SPDX-License-Identifier: BSD-3-Clause
// Lists of algorithms: ORTHO_ALGORITHM and info ortho_algorithm.  Other texts of info and environment, too.
#include "base/environment.hpp"
#include "fuzz.hpp"
#include "planner/planner.hpp"

FUZZ(base::Error, text)
{
    const std::optional<int> number = base::positive_number(text);
    demand(!number || (*number > 0 && !base::truth_of(text)) || *number == 1);
    planner::parse_algorithms(text, "ORTHO_ALGORITHM");
}
