// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the constructors of grids of processes.
#pragma once

#include <mpi.h>

#include <vector>

#include "agree/ballot.hpp"
#include "grid/grid.hpp"

namespace ortho::topology {

/// The grid of `dims` and `periods`, row-major.  Throws base::Error if these make no grid, or one with more
/// points than `comm` has processes.
grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[]);

/// Arguments that must be the same on all processes.
class Alike {
public:
    explicit Alike(agree::Ballot& ballot) : list_(ballot) {}
    void add(int number, const char* argument);
    /// Adds d, dims and periods.
    void add(const grid::Grid& grid);
    /// Call after the last add().
    void say() { list_.say(numbers_); }
    /// Throws base::Error (mismatch), on all processes, unless all gave the same arguments.  Valid once the
    /// ballot was held.  Collective.
    void require_everywhere(MPI_Comm comm) const;

private:
    /// Requires this of some of the numbers.
    void require_same(MPI_Comm comm, const std::vector<std::size_t>& which) const;

    agree::SameList list_;
    std::vector<int> numbers_;
    std::vector<const char*> arguments_;
};

} // namespace ortho::topology
