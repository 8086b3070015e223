// SPDX-License-Identifier: BSD-3-Clause
// What several algorithms require.  No MPI in this file.
#pragma once

#include "algorithm/call_specification.hpp"
#include "algorithm/why_not.hpp"

namespace ortho::algorithm {

/// Blocks pass through processes that must know their sizes.
WhyNot sizes_must_agree(const PlannerContext& context, const CallSpecification& specification);
/// Likewise, and the processes are on several nodes, of which it is known who is where.
WhyNot nodes_must_be_known(const PlannerContext& context, const CallSpecification& specification);
/// Partial results are made on the way, in another order.
WhyNot results_must_combine(const PlannerContext& context, const CallSpecification& specification);

} // namespace ortho::algorithm
