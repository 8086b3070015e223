// SPDX-License-Identifier: BSD-3-Clause
// Tune files: a machine that was read is the same after it was written and read again.
#include "planner/tune.hpp"

#include "fuzz.hpp"

FUZZ(base::Error, text)
{
    const planner::Tune tune = planner::parse_tune(text, "tune");
    demand(planner::parse_tune(planner::to_text(tune.machine), "again").machine == tune.machine);
}
