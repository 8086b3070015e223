// SPDX-License-Identifier: BSD-3-Clause
// A board cut into one tile a process.

#include "tiles.hpp"

#include <climits>
#include <cstdio>
#include <stdexcept>

Extent parse_extent(const std::string& text)
{
    int rows = 0;
    int columns = 0;
    char rest = '\0';
    if (std::sscanf(text.c_str(), "%9dx%9d%c", &rows, &columns, &rest) != 2 || rows < 1 || columns < 1)
        throw std::invalid_argument("'" + text + "' is no grid size like 1024x1024");
    if (static_cast<long long>(rows) * columns > INT_MAX)
        throw std::invalid_argument("a grid of " + text + " cells is too large");
    return {rows, columns};
}

namespace {

Part part(int n, int tiles, int tile)
{
    MPI_Count first = 0;
    MPI_Count count = 0;
    ORTHO_Blocks_count(n, tiles, tile, &first, &count);
    return {static_cast<int>(first), static_cast<int>(count)};
}

} // namespace

Tiles::Tiles(MPI_Comm comm, const Extent& cells, const Extent& processes) : comm_(comm), cells_(cells)
{
    int rank = 0;
    int coordinates[2] = {0, 0};
    MPI_Comm_rank(comm, &rank);
    is_root_ = rank == 0;
    ORTHO_Cart_coordinates(comm, rank, coordinates);
    rows_ = part(cells.rows, processes.rows, coordinates[0]);
    columns_ = part(cells.columns, processes.columns, coordinates[1]);
}

void Tiles::gather(const void* tile, void* board, MPI_Datatype type, int ghosts) const
{
    const MPI_Count sizes[] = {rows_.size + 2 * ghosts, columns_.size + 2 * ghosts};
    const MPI_Count layers[] = {ghosts, ghosts};
    const MPI_Count all[] = {cells_.rows, cells_.columns};
    const MPI_Count none[] = {0, 0};
    ORTHO_Field part = ORTHO_FIELD_INIT;
    ORTHO_Field whole = ORTHO_FIELD_INIT;
    part.base = const_cast<void*>(tile);
    part.sizes = sizes;
    part.lower = part.upper = layers;
    whole.base = board;
    whole.sizes = all;
    whole.lower = whole.upper = none;
    part.element = whole.element = type;
    ORTHO_Field_gather(&part, &whole, 2, 0, comm_);
}
