// SPDX-License-Identifier: BSD-3-Clause
// `book_bench reduce`: sums over the neighbors, by ORTHO_Allreduce and by gathering with MPI.
#pragma once

#include <string>

#include "book_bench/cells.hpp"

namespace bench {

/// Runs on MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all processes, or
/// about wrong results of ours.
std::string run_reduce(const BoxOptions& options);

} // namespace bench
