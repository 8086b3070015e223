// SPDX-License-Identifier: BSD-3-Clause
// Grids and stencils, as they are written on a command line.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace bench {

/// Processes on a grid with a stencil, and this process's neighbors, where there are any: MPI has no gaps.
struct Exchange {
    std::vector<int> dims;
    std::vector<int> periods;
    std::vector<int> offsets;        ///< point by point
    std::vector<int> sources;        ///< r - offset
    std::vector<int> targets;        ///< r + offset
    std::vector<int> source_offsets; ///< number of the offset, for each of `sources`
    std::vector<int> target_offsets;
    std::string stencil; ///< its name, if it has one

    int stencil_size() const { return static_cast<int>(offsets.size() / dims.size()); }
};

/// "4x4"; or, of an empty text, that many dimensions as MPI_Dims_create has them.  On failure a message in
/// `mistake`.
std::vector<int> parse_grid(const std::string& text, int dimensions, int processes, std::string& mistake);

/// What is wrong with a --grid that is to have each of these numbers of dimensions; "" if nothing is.
std::string grid_mistake(const std::string& text, const std::vector<int>& dimensions, int processes);

/// What is wrong with so many elements in all blocks of a process: "" if MPI counts them.
std::string elements_mistake(double elements);

/// Names `comm` with the grid, and finds the neighbors.  `stencil`: what tools::parse_stencil takes.  On
/// failure a message in `mistake`.
Exchange make_exchange(MPI_Comm comm, std::vector<int> dims, bool periodic, const std::string& stencil,
                       std::string& mistake);

/// The same with offsets that are there already, point by point.
Exchange make_exchange(MPI_Comm comm, std::vector<int> dims, bool periodic, std::vector<int> offsets);

} // namespace bench
