// SPDX-License-Identifier: BSD-3-Clause
// `book_bench neighbor --d … --n … --m …`: the box stencils of the papers, one cell for each.
#pragma once

#include <string>
#include <vector>

#include "book_bench/cells.hpp"

namespace bench {

/// Runs on MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all processes, or
/// about wrong results of ours.
std::string run_neighbor_cells(const std::vector<std::string>& collectives, const BoxOptions& options);

} // namespace bench
