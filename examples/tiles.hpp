// SPDX-License-Identifier: BSD-3-Clause
// A board cut into one tile a process.
#pragma once

#include <mpi.h>
#include <mpiortho.h>

#include <cstddef>
#include <string>
#include <vector>

struct Extent {
    int rows;
    int columns;
};

/// "RxC" -> R and C.  Throws std::invalid_argument unless both are positive and their product fits.
Extent parse_extent(const std::string& text);

/// The rows or columns of one tile.
struct Part {
    int begin;
    int size;
};

/// A board of cells, dealt out evenly to the processes of a communicator that is named with the
/// two-dimensional grid `processes`, and that lives as long as this.
class Tiles {
public:
    Tiles(MPI_Comm comm, const Extent& cells, const Extent& processes);

    /// This process's rows and columns.
    const Part& rows() const { return rows_; }
    const Part& columns() const { return columns_; }

    /// The whole board, row by row, at rank 0; nothing elsewhere.  `tile` is this process's part, row by row,
    /// with so many layers of ghosts around it.  Collective.
    template <class Cell>
    std::vector<Cell> gather(const std::vector<Cell>& tile, MPI_Datatype type, int ghosts = 0) const
    {
        std::vector<Cell> board(
            is_root_ ? static_cast<std::size_t>(cells_.rows) * static_cast<std::size_t>(cells_.columns) : 0);
        gather(tile.data(), board.data(), type, ghosts);
        return board;
    }

private:
    void gather(const void* tile, void* board, MPI_Datatype type, int ghosts) const;

    MPI_Comm comm_;
    bool is_root_;
    Extent cells_;
    Part rows_;
    Part columns_;
};
