// SPDX-License-Identifier: BSD-3-Clause
// Exchanging the borders of a block with its eight neighbors: the heart of the examples.
#pragma once

#include <mpi.h>
#include <mpiortho.h>

#include <map>

/// Blocks of rows x columns elements with a border of ghost elements one deep, row-major, on a
/// process of a two-dimensional grid.  exchange() fills the ghosts from the neighbors' blocks;
/// those beyond a border of the grid without neighbor stay as they are.
class Halo {
public:
    /// `comm` is named with a two-dimensional grid, row-major; blocks of one row of processes have
    /// equal rows, blocks of one column of processes equal columns.
    Halo(MPI_Comm comm, int rows, int columns, MPI_Datatype element);
    Halo(const Halo&) = delete;
    Halo& operator=(const Halo&) = delete;
    ~Halo();

    /// `block` points to the ghost element in the top left corner.  An exchange is set up when a block comes
    /// for the first time, on all processes together.
    void exchange(void* block);

    /// All processes of the grid, to talk to all of them: the graph's base communicator.
    MPI_Comm base() const { return base_; }

private:
    int rows_;
    int columns_;
    MPI_Datatype element_;
    MPI_Comm graph_ = MPI_COMM_NULL;
    MPI_Comm base_ = MPI_COMM_NULL;
    std::map<void*, ORTHO_Request> requests_;
};
