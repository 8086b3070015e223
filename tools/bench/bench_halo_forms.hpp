// SPDX-License-Identifier: BSD-3-Clause
// `ortho-bench halo --form …`: each form of ours against each way of programs by hand.
#pragma once

#include <string>

#include "bench/bench_halo.hpp"
#include "stencil_exchange.hpp"
#include "world_comm.hpp"

namespace bench {

/// Returns a message about a mistake in the options, the same on all processes, or about our wrong results.
std::string run_halo_forms(const World& world, const Exchange& exchange, const HaloOptions& options);

} // namespace bench
