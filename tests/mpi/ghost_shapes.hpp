// SPDX-License-Identifier: BSD-3-Clause
// Random grids, and arrays with ghost layers on them, of which all processes know everything.
#pragma once

#include "grids.hpp"

namespace test {

/// Visit all index vectors of a box of these sizes, in some order.
template <class Visit>
void for_each_index(const Ints& sizes, Visit visit)
{
    if (std::ranges::find(sizes, 0) != sizes.end()) return;
    Ints index(sizes.size(), 0);
    for (bool more = true; more;) {
        visit(index);
        more = false;
        for (std::size_t k = 0; k < sizes.size() && !more; ++k) {
            more = index[k] + 1 < sizes[k];
            index[k] = more ? index[k] + 1 : 0;
        }
    }
}

/// So many processes somewhere on a grid that has more points.
inline Grid random_grid_with_land(cases::Random& random, int processes)
{
    const int points = processes + cases::uniform(random, 0, 4);
    Ints ranks(ortho::at(points), Grid::nowhere);
    std::iota(ranks.begin(), ranks.begin() + processes, 0);
    std::ranges::shuffle(ranks, random);
    const Grid grid = random_grid_of(random, points);
    const Ints periods = periods_of(grid);
    const auto order = cases::uniform(random, 0, 1) == 0 ? ortho::grid::Order::row_major
                                                         : ortho::grid::Order::col_major;
    return Grid(sizes_of(grid), {periods.begin(), periods.end()}, order).with_ranks(ranks);
}

/// While it lives, communicators are made on nodes of so many processes; on those that are there if it is 0.
class Nodes {
public:
    explicit Nodes(int processes)
    {
        if (processes > 0) setenv("ORTHO_NODES", std::to_string(processes).c_str(), 1);
    }
    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;
    ~Nodes() { unsetenv("ORTHO_NODES"); }
};

/// The array that each process of a grid has.
struct GhostShape {
    Ints lower, upper;       ///< ghost layers, by dimension of the grid
    std::vector<Ints> owned; ///< by dimension and coordinate: layers

    /// Makes all processes own as much as the first one.
    void make_even()
    {
        for (Ints& layers : owned) std::ranges::fill(layers, layers[0]);
    }

    int owned_by(const Grid& grid, int process, int k) const
    {
        return owned[ortho::at(k)][ortho::at(grid.coordinate(process, k))];
    }
    Ints sizes(const Grid& grid, int process) const
    {
        Ints result;
        for (int k = 0; k < grid.dimensions(); ++k)
            result.push_back(lower[ortho::at(k)] + owned_by(grid, process, k) + upper[ortho::at(k)]);
        return result;
    }
    /// -1, 0 or 1 in each dimension: below, among or above the owned elements.
    Ints region_of(const Grid& grid, int process, const Ints& index) const
    {
        Ints region;
        for (int k = 0; k < grid.dimensions(); ++k) {
            const int layer = index[ortho::at(k)] - lower[ortho::at(k)];
            region.push_back(layer < 0 ? -1 : layer < owned_by(grid, process, k) ? 0 : 1);
        }
        return region;
    }
    /// Number of an element among all owned elements of the grid, wrapped around.
    int global(const Grid& grid, int process, const Ints& index) const
    {
        int result = 0;
        for (int k = 0; k < grid.dimensions(); ++k) {
            const auto first = owned[ortho::at(k)].begin();
            const int all = std::accumulate(first, owned[ortho::at(k)].end(), 0);
            const int before = std::accumulate(first, first + grid.coordinate(process, k), 0);
            const int c = before + index[ortho::at(k)] - lower[ortho::at(k)];
            result = result * all + (c % all + all) % all;
        }
        return result;
    }
};

/// The rest as in ORTHO_FIELD_INIT.
inline ORTHO_Field field(void* base, MPI_Datatype element, const MPI_Count* sizes, const MPI_Count* lower,
                         const MPI_Count* upper, const MPI_Aint* strides = nullptr)
{
    ORTHO_Field result = ORTHO_FIELD_INIT;
    result.base = base;
    result.element = element;
    result.sizes = sizes;
    result.lower = lower;
    result.upper = upper;
    result.strides = strides;
    return result;
}

inline GhostShape random_ghost_shape(cases::Random& random, const Grid& grid)
{
    GhostShape shape;
    const int deepest = grid.dimensions() <= 2 ? 3 : 2;
    for (int k = 0; k < grid.dimensions(); ++k) {
        shape.lower.push_back(cases::uniform(random, 0, deepest));
        shape.upper.push_back(cases::uniform(random, 0, deepest));
        const int least = std::max(shape.lower.back(), shape.upper.back());
        Ints& layers = shape.owned.emplace_back();
        for (int c = 0; c < grid.size(k); ++c) layers.push_back(least + cases::uniform(random, 0, 2));
        if (std::accumulate(layers.begin(), layers.end(), 0) == 0) layers[0] = 1;
    }
    return shape;
}

} // namespace test
