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

/// The rows or columns of one tile: `n` in all are dealt out to `tiles` tiles whose sizes differ by
/// one at most.
struct Part {
    int begin;
    int size;
};
Part part(int n, int tiles, int tile);

/// A board of cells, dealt out to the processes of a communicator that is named with the
/// two-dimensional grid `processes`, row-major.
class Tiles {
public:
    Tiles(MPI_Comm comm, const Extent& cells, const Extent& processes);

    /// This process's rows and columns.
    const Part& rows() const { return rows_; }
    const Part& columns() const { return columns_; }

    /// The whole board, row by row, at rank 0 of `base`, a full communicator of the processes in their
    /// order; nothing elsewhere.  `tile` is this process's part, row by row.
    template <class Cell>
    std::vector<Cell> gather(const std::vector<Cell>& tile, MPI_Datatype type, MPI_Comm base) const;

private:
    Extent cells_;
    Extent processes_;
    Part rows_;
    Part columns_;
};

template <class Cell>
std::vector<Cell> Tiles::gather(const std::vector<Cell>& tile, MPI_Datatype type, MPI_Comm base) const
{
    std::vector<int> counts;
    std::vector<int> displacements;
    int total = 0;
    const auto down = [&](int p) { return part(cells_.rows, processes_.rows, p / processes_.columns); };
    const auto across = [&](int p) {
        return part(cells_.columns, processes_.columns, p % processes_.columns);
    };
    for (int p = 0; p < processes_.rows * processes_.columns; ++p) {
        counts.push_back(down(p).size * across(p).size);
        displacements.push_back(total);
        total += counts.back();
    }
    int rank = 0;
    MPI_Comm_rank(base, &rank);
    std::vector<Cell> tiles(rank == 0 ? static_cast<std::size_t>(total) : 0);
    ORTHO_Gatherv(tile.data(), static_cast<int>(tile.size()), type, tiles.data(), counts.data(),
                  displacements.data(), type, 0, base);
    if (rank != 0) return {};

    std::vector<Cell> board(tiles.size());
    const Cell* next = tiles.data();
    for (int p = 0; p < processes_.rows * processes_.columns; ++p)
        for (int r = down(p).begin; r < down(p).begin + down(p).size; ++r)
            for (int c = across(p).begin; c < across(p).begin + across(p).size; ++c)
                board[static_cast<std::size_t>(r) * static_cast<std::size_t>(cells_.columns) +
                      static_cast<std::size_t>(c)] = *next++;
    return board;
}
