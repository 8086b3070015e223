// SPDX-License-Identifier: BSD-3-Clause
#include "conform/exchange_cases.hpp"

#include <utility>

namespace conform {

namespace {

using ortho::grid::gap;

Case cartesian(const char* name, std::vector<int> sizes, std::vector<char> periodic)
{
    const CartesianGrid grid{std::move(sizes), std::move(periodic)};
    return {name, grid, true, cartesian_pattern(grid), neighborhood_pattern(grid)};
}

Case graph(const char* name, std::vector<ortho::grid::LocalGraph> lists, bool tries_mpi = true)
{
    const Pattern pattern = graph_pattern(std::move(lists));
    return {name, std::nullopt, tries_mpi, pattern, pattern};
}

} // namespace

std::vector<Case> all_cases()
{
    return {
        cartesian("Cartesian 1, periodic", {1}, {1}),
        cartesian("Cartesian 1, not periodic", {1}, {0}),
        cartesian("Cartesian 2, periodic", {2}, {1}),
        cartesian("Cartesian 2, not periodic", {2}, {0}),
        cartesian("Cartesian 3, periodic", {3}, {1}),
        cartesian("Cartesian 3, not periodic", {3}, {0}),
        cartesian("Cartesian 2 x 1, periodic", {2, 1}, {1, 1}),
        cartesian("Cartesian 2 x 2, periodic", {2, 2}, {1, 1}),
        cartesian("Cartesian 2 x 2, first periodic", {2, 2}, {1, 0}),
        cartesian("Cartesian 3 x 2, periodic", {3, 2}, {1, 1}),
        // sources, targets
        graph("graph, each edge once", {{0, {1}, {1}}, {1, {0}, {0}}}),
        graph("graph, 3 edges to itself", {{0, {0, 0, 0}, {0, 0, 0}}}),
        graph("graph, 3 edges to one process", {{0, {1, 1, 1}, {1, 1, 1}}, {1, {0, 0, 0}, {0, 0, 0}}}),
        graph("graph, multi-edges among others",
              {{0, {2, 0, 1, 2}, {1, 2, 0, 1}}, {1, {0, 2, 0}, {2, 0, 2}}, {2, {1, 0, 1}, {0, 1, 0}}}),
        graph("graph, no edges at all", {{0, {}, {}}, {1, {}, {}}}),
        graph("graph, a process without edges", {{0, {}, {}}, {1, {2}, {2, 2}}, {2, {1, 1}, {1}}}),
        graph("graph, edges one way", {{0, {}, {1, 1}}, {1, {0, 0}, {}}}),
        graph("graph, MPI_PROC_NULL in lists", {{0, {gap, 1}, {1, gap}}, {1, {0, gap}, {gap, 0}}}, false),
    };
}

} // namespace conform
