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

Part part(int n, int tiles, int tile)
{
    const int small = n / tiles;
    const int larger = n % tiles; // the first so many have one more
    return {tile * small + (tile < larger ? tile : larger), small + (tile < larger ? 1 : 0)};
}

Tiles::Tiles(MPI_Comm comm, const Extent& cells, const Extent& processes)
    : cells_(cells),
      processes_(processes)
{
    int rank = 0;
    int coordinates[2] = {0, 0};
    MPI_Comm_rank(comm, &rank);
    ORTHO_Cart_coordinates(comm, rank, coordinates);
    rows_ = part(cells.rows, processes.rows, coordinates[0]);
    columns_ = part(cells.columns, processes.columns, coordinates[1]);
}
