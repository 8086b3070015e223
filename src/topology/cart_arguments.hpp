// SPDX-License-Identifier: BSD-3-Clause
// What the constructors of grids of processes are given.
#pragma once

#include <mpi.h>

#include <vector>

#include "agree/ballot.hpp"
#include "grid/grid.hpp"

namespace ortho::topology {

/// The grid of `dims` and `periods`, row-major.  Throws base::Error for what is no grid, or has more points
/// than `comm` has processes.
grid::Grid make_grid(MPI_Comm comm, int d, const int dims[], const int periods[]);

/// Arguments that must be the same on all processes.
class Alike {
public:
    explicit Alike(agree::Ballot& ballot) : list_(ballot) {}
    void add(int number, const char* argument);
    /// d, dims and periods.
    void add(const grid::Grid& grid);
    /// There are no more.
    void say() { list_.say(numbers_); }
    /// Once the ballot was held: throws base::Error (mismatch), on all processes, unless all gave the same.
    /// Collective.
    void require_everywhere(MPI_Comm comm) const;

private:
    agree::SameList list_;
    std::vector<int> numbers_;
    std::vector<const char*> arguments_;
};

} // namespace ortho::topology
