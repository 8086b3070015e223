// SPDX-License-Identifier: BSD-3-Clause
// Do all processes have the same stencil?  This is the arithmetic; topology/agreement.cpp communicates.  No
// MPI in this file.

#include "grid/isomorphism.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/index.hpp"
#include "grid/uniformity.hpp"

namespace ortho::grid {

namespace {

/// Changes the numbers of edges, which count without gaps, to indices of the list.
std::vector<int> in_list(std::vector<int> edges, std::span<const int> partners)
{
    if (std::ranges::find(partners, gap) == partners.end()) return edges;
    std::vector<int> slots;
    for (int i = 0; i < static_cast<int>(partners.size()); ++i)
        if (partners[at(i)] != gap) slots.push_back(i);
    for (int& edge : edges) edge = slots[at(edge)];
    return edges;
}

/// Canonical index -> list index; nothing if the list is not the filtered stencil.
std::optional<std::vector<int>> match_list(const Neighborhood& neighborhood, int rank,
                                           std::span<const int> partners, Direction direction)
{
    const Stencil edges = edge_offsets(neighborhood.grid, rank, partners, direction);
    if (edges.size() > neighborhood.size()) return std::nullopt;
    std::vector<int> order = lexicographic_order(edges);

    // Both lists are sorted: walk them side by side.
    const bool is_torus = neighborhood.grid.is_torus();
    const auto is_off_grid = [&](std::span<const int> offset) {
        return (direction == Direction::out
                    ? neighborhood.grid.neighbor(rank, offset)
                    : neighborhood.grid.neighbor_against(rank, offset)) == Grid::nowhere;
    };
    std::vector<int> on_grid; // indices; empty on a torus, where all are on the grid
    std::size_t next = 0;
    for (int i = 0; i < neighborhood.size(); ++i) {
        const auto offset = neighborhood.offsets[i];
        if (!is_torus) {
            if (is_off_grid(offset)) continue;
            on_grid.push_back(i);
        }
        if (next == order.size() || compare(edges[order[next]], offset) != 0) return std::nullopt;
        ++next;
    }
    if (next != order.size()) return std::nullopt;
    std::vector<int> slots = in_list(std::move(order), partners);
    if (is_torus) return slots;
    std::vector<int> result(at(neighborhood.size()), gap);
    for (std::size_t k = 0; k < slots.size(); ++k) result[at(on_grid[k])] = slots[k];
    return result;
}

} // namespace

Stencil edge_offsets(const Grid& grid, int rank, std::span<const int> partners, Direction direction)
{
    const int d = grid.dimensions();
    const int sign = direction == Direction::out ? 1 : -1;
    // The coordinates of the process stand behind the offsets.
    std::vector<int> offsets((partners.size() + 1) * at(d));
    const std::span<int> here = std::span(offsets).last(at(d));
    grid.coordinates(rank, here);
    auto next = offsets.begin();
    for (const int partner : partners) {
        if (partner == gap) continue;
        const std::span<int> offset(next, at(d));
        grid.coordinates(partner, offset);
        for (int k = 0; k < d; ++k) {
            const std::int64_t ahead = std::int64_t{offset[at(k)]} - here[at(k)];
            offset[at(k)] = static_cast<int>(grid.representative(k, sign * ahead));
        }
        next += d;
    }
    offsets.erase(next, offsets.end());
    return {d, std::move(offsets)};
}

std::vector<int> corners(const Grid& grid)
{
    std::vector<std::vector<int>> found{std::vector<int>(at(grid.dimensions()), 0)};
    for (int k = 0; k < grid.dimensions(); ++k) {
        if (grid.periodic(k) || grid.size(k) == 1) continue;
        const std::size_t before = found.size();
        for (std::size_t i = 0; i < before; ++i) {
            found.push_back(found[i]);
            found.back()[at(k)] = grid.size(k) - 1;
        }
    }
    std::vector<int> ranks;
    for (const auto& coordinates : found) ranks.push_back(grid.rank(coordinates));
    std::ranges::sort(ranks);
    return ranks;
}

Neighborhood merge_corners(const Grid& grid, const std::vector<Stencil>& lists)
{
    // Number equal offsets within each list; then an offset's multiplicity in the merged
    // list is the highest number that it got anywhere.
    struct Numbered {
        std::span<const int> offset;
        int occurrence;
    };
    std::vector<Numbered> all;
    for (const Stencil& list : lists) {
        const std::vector<int> order = lexicographic_order(list);
        int occurrence = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool again = i > 0 && compare(list[order[i]], list[order[i - 1]]) == 0;
            occurrence = again ? occurrence + 1 : 0;
            all.push_back({list[order[i]], occurrence});
        }
    }
    std::ranges::sort(all, [](const Numbered& a, const Numbered& b) {
        const auto order = compare(a.offset, b.offset);
        return order != 0 ? order < 0 : a.occurrence < b.occurrence;
    });

    Neighborhood result{grid, Stencil(grid.dimensions())};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool same = i > 0 && all[i].occurrence == all[i - 1].occurrence &&
                          compare(all[i].offset, all[i - 1].offset) == 0;
        if (!same) result.offsets.push_back(all[i].offset);
    }
    return result;
}

std::optional<Slots> match(const Neighborhood& neighborhood, const LocalGraph& graph)
{
    auto send = match_list(neighborhood, graph.rank, graph.targets, Direction::out);
    if (!send) return std::nullopt;
    auto receive = match_list(neighborhood, graph.rank, graph.sources, Direction::in);
    if (!receive) return std::nullopt;
    return Slots{std::move(*send), std::move(*receive)};
}

Isomorphism::Isomorphism(Neighborhood neighborhood_, Slots slots_, std::vector<int> size_slots_)
    : neighborhood(std::move(neighborhood_)),
      slots(std::move(slots_)),
      size_slots(std::move(size_slots_))
{
    // On a torus every index has a slot everywhere.
    if (neighborhood.grid.is_torus() && size_slots.empty()) size_slots = slots.send;
}

bool Isomorphism::regular_sizes_agree() const
{
    return regular_sizes_agree_.value([this] { return sizes_are_uniform(neighborhood); });
}

bool Isomorphism::reduction_sizes_agree() const
{
    return reduction_sizes_agree_.value([this] { return reduction_sizes_are_uniform(neighborhood); });
}

std::optional<Isomorphism> as_of_one(const Grid& torus, const LocalGraph& graph)
{
    // The out-edges are the stencil.
    const Stencil edges = edge_offsets(torus, graph.rank, graph.targets, Direction::out);
    std::vector<int> order = lexicographic_order(edges);
    Neighborhood neighborhood{torus, edges.in_order(order)};
    std::vector<int> send = in_list(std::move(order), graph.targets);
    auto receive = match_list(neighborhood, graph.rank, graph.sources, Direction::in);
    if (!receive) return std::nullopt;
    return Isomorphism(std::move(neighborhood), {std::move(send), std::move(*receive)});
}

} // namespace ortho::grid
