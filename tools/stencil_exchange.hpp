// SPDX-License-Identifier: BSD-3-Clause
// Grids and stencils of a command line.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace bench {

/// Processes on a grid with a stencil, and this process's neighbors, as far as they exist: MPI has no gaps.
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

/// The sizes in a text like "4x4"; for an empty text those of MPI_Dims_create, in so many dimensions.  After
/// an error `mistake` has a message.
std::vector<int> parse_grid(const std::string& text, int dimensions, int processes, std::string& mistake);

/// Describes an error in a --grid that must have each of these numbers of dimensions; "" if there is none.
std::string grid_mistake(const std::string& text, const std::vector<int>& dimensions, int processes);

/// An error message if a process has too many elements in all blocks for MPI; else "".
std::string elements_mistake(double elements);

/// Names `comm` with the grid, and finds the neighbors.  `stencil` is a text for tools::parse_stencil.  After
/// an error `mistake` has a message.
Exchange make_exchange(MPI_Comm comm, std::vector<int> dims, bool periodic, const std::string& stencil,
                       std::string& mistake);

/// make_exchange() with a list of offsets, point by point.
Exchange make_exchange(MPI_Comm comm, std::vector<int> dims, bool periodic, std::vector<int> offsets);

} // namespace bench
