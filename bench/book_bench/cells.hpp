// SPDX-License-Identifier: BSD-3-Clause
// Tables of cells on box stencils, those of the papers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

/// The options of a table of cells, one for each collective and each of these combinations.
struct BoxOptions : CellOptions {
    std::vector<int> d = {2, 3, 4, 5}; ///< dimensions
    std::vector<int> n = {3, 4, 5};    ///< offsets {-1, ..., n-2}^d but 0
    std::vector<int> m = {1, 10, 100}; ///< elements of a block
};

/// One block size of a stencil: measures and reports.
using MeasureCell = std::function<void(int m, std::vector<Contestant>& contestants,
                                       const Surroundings& surroundings, const std::string& chosen)>;
/// All block sizes of a stencil: makes communicators and contestants; calls `measure` for each of options.m.
using MeasureStencil = std::function<void(const World& world, const std::string& collective,
                                          const Exchange& exchange, const MeasureCell& measure)>;

/// Prints a table over MPI_COMM_WORLD.  Returns a message about a mistake in the options, the same on all
/// processes, or about wrong results of ours.
std::string run_cells(const BoxOptions& options, const std::vector<std::string>& collectives,
                      const std::string& about, const MeasureStencil& measure_stencil);

} // namespace bench
