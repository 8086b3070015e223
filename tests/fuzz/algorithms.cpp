// SPDX-License-Identifier: BSD-3-Clause
// Lists of algorithms: ORTHO_ALGORITHM and info ortho_algorithm.  Other texts of info and environment, too.
#include "base/environment.hpp"
#include "base/error.hpp"
#include "fuzz.hpp"
#include "planner/planner.hpp"

namespace {

using namespace ortho;

void take(const std::string& text)
{
    const std::optional<int> number = base::positive_number(text);
    demand(!number || (*number > 0 && !base::truth_of(text)) || *number == 1);
    planner::parse_algorithms(text, "ORTHO_ALGORITHM");
}

} // namespace

FUZZ(base::Error, take)
