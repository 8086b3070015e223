// SPDX-License-Identifier: BSD-3-Clause
// `ortho-bench halo --form …`: each form of ours against each way that programs write.
#pragma once

#include <string>

#include "bench/bench_halo.hpp"
#include "stencil_exchange.hpp"
#include "world_comm.hpp"

namespace bench {

/// Returns a message on a mistake in the options, the same on all processes, or if our results were wrong.
std::string run_halo_forms(const World& world, const Exchange& exchange, const HaloOptions& options);

} // namespace bench
