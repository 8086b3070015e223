// SPDX-License-Identifier: BSD-3-Clause
// Do all processes have the same stencil?  This is the arithmetic; topology/agreement.cpp communicates.  No
// MPI in this file.

#include "grid/isomorphism.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <ranges>
#include <utility>

#include "base/index.hpp"

namespace ortho::grid {

namespace {

/// A lattice in Z^d that contains sizes[k]*e_k for every k, as an upper triangular basis.
class Lattice {
public:
    explicit Lattice(const std::vector<int>& sizes)
        : d_(static_cast<int>(sizes.size())),
          basis_(sizes.size() * sizes.size(), 0)
    {
        for (int k = 0; k < d_; ++k) entry(k, k) = sizes[at(k)];
    }

    /// Adds a generator by Euclid's algorithm on the leading coordinates, row by row.  Uses up `v`.
    void insert(std::vector<std::int64_t>& v)
    {
        for (int k = 0; k < d_; ++k) {
            while (v[at(k)] != 0) {
                const std::int64_t quotient = entry(k, k) / v[at(k)];
                for (int l = k; l < d_; ++l) {
                    entry(k, l) -= quotient * v[at(l)];
                    std::swap(entry(k, l), v[at(l)]);
                }
            }
            shorten(k);
            shorten(v, k + 1);
        }
    }

    bool is_everything() const
    {
        for (int k = 0; k < d_; ++k)
            if (std::abs(entry(k, k)) != 1) return false;
        return true;
    }

private:
    std::int64_t& entry(int row, int column) { return basis_[at(row * d_ + column)]; }
    std::int64_t entry(int row, int column) const { return basis_[at(row * d_ + column)]; }

    /// Keeps numbers below those of the diagonal, so that nothing overflows.
    void shorten(std::vector<std::int64_t>& v, int from)
    {
        for (int k = from; k < d_; ++k) {
            const std::int64_t quotient = v[at(k)] / entry(k, k);
            for (int l = k; l < d_; ++l) v[at(l)] -= quotient * entry(k, l);
        }
    }
    void shorten(int row)
    {
        for (int k = row + 1; k < d_; ++k) {
            const std::int64_t quotient = entry(row, k) / entry(k, k);
            for (int l = k; l < d_; ++l) entry(row, l) -= quotient * entry(k, l);
        }
    }

    int d_;
    std::vector<std::int64_t> basis_;
};

class UnionFind {
public:
    explicit UnionFind(int n) : parent_(at(n)) { std::iota(parent_.begin(), parent_.end(), 0); }

    int root(int i)
    {
        while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
        return i;
    }
    void join(int i, int j) { parent_[at(root(i))] = root(j); }

private:
    std::vector<int> parent_;
};

/// Does offset n stay on the grid from each r that has r+e_k on the grid and lies in the given half of each
/// dimension with borders?  A bit set in `half` is the upper half of a dimension.
bool reaches_from(const Neighborhood& neighborhood, int offset, int k, std::uint32_t half)
{
    const Grid& grid = neighborhood.grid;
    for (int l = 0; l < grid.dimensions(); ++l) {
        if (grid.periodic(l)) continue;
        const std::int64_t n = neighborhood.offsets(offset, l);
        if (l == k && (n == 0 || n == 1)) continue;
        // There is room for size/2 steps up from the lower half, and for size/2 steps down from the upper
        // one.
        const std::int64_t inward = (half >> l & 1U) != 0 ? -n : n;
        if (inward < 0 || inward > grid.size(l) / 2) return false;
    }
    return true;
}

} // namespace

namespace uniformity {

bool differences_generate(const Neighborhood& neighborhood, bool reduction)
{
    const Stencil& offsets = neighborhood.offsets;
    if (offsets.size() == 0) return false;
    // Dimensions with one point add nothing.
    std::vector<int> dimensions;
    std::vector<int> sizes;
    for (int k = 0; k < neighborhood.dimensions(); ++k) {
        if (neighborhood.grid.size(k) == 1) continue;
        dimensions.push_back(k);
        sizes.push_back(neighborhood.grid.size(k));
    }
    Lattice lattice(sizes);
    std::vector<std::int64_t> difference(sizes.size());
    for (int i = reduction ? 0 : 1; i < offsets.size() && !lattice.is_everything(); ++i) {
        for (std::size_t l = 0; l < dimensions.size(); ++l)
            difference[l] = std::int64_t{offsets(i, dimensions[l])} -
                            (reduction ? 0 : offsets(0, dimensions[l]));
        lattice.insert(difference);
    }
    return lattice.is_everything();
}

bool one_component(const Neighborhood& neighborhood, bool reduction)
{
    const int p = neighborhood.grid.points();
    // Node r is the send size of process r, node p+r its receive size.
    UnionFind sizes(2 * p);
    for (int r = 0; r < p && reduction; ++r) sizes.join(r, p + r);
    std::vector<char> counts(at(2 * p), 0);
    for (int r = 0; r < p; ++r) {
        for (int i = 0; i < neighborhood.size(); ++i) {
            const int q = neighborhood.grid.neighbor(r, neighborhood.offsets[i]);
            if (q == Grid::nowhere) continue;
            sizes.join(r, p + q);
            counts[at(r)] = counts[at(p + q)] = 1;
        }
    }
    int component = -1;
    for (int r = 0; r < p; ++r) {
        if (counts[at(r)] == 0 && counts[at(p + r)] == 0) return false;
        for (const int node : {r, p + r}) {
            if (counts[at(node)] == 0) continue;
            if (component == -1) component = sizes.root(node);
            if (sizes.root(node) != component) return false;
        }
    }
    return true;
}

/// For each dimension k of more than one point, and each r with r+e_k on the grid, there must be a pair n,
/// n-e_k of offsets with r+n on the grid.  Then r and r+e_k send to a common process, so that all send sizes
/// are one.  Every process sends, and every receive size is connected to a send size.  The offsets n that
/// exist for r depend only on its half of each dimension with borders; so each combination of halves is
/// tried.
bool has_connecting_pattern(const Neighborhood& neighborhood)
{
    const Grid& grid = neighborhood.grid;
    const Stencil& offsets = neighborhood.offsets;
    const int d = grid.dimensions();
    constexpr int most_dimensions = 16;
    if (grid.points() == 1) return offsets.size() > 0;
    if (d > most_dimensions) return false;

    const auto contains = [&](std::span<const int> offset) {
        const auto all = std::views::iota(0, offsets.size());
        const auto found = std::ranges::lower_bound(
            all, offset, [](auto a, auto b) { return compare(a, b) < 0; }, [&](int i) { return offsets[i]; });
        return found != all.end() && compare(offsets[*found], offset) == 0;
    };

    std::uint32_t borders = 0;
    for (int k = 0; k < d; ++k)
        if (!grid.periodic(k) && grid.size(k) > 1) borders |= 1U << k;

    std::vector<int> shifted(at(d));
    for (int k = 0; k < d; ++k) {
        if (grid.size(k) == 1) continue;
        std::vector<int> first_of_pair;
        for (int i = 0; i < offsets.size(); ++i) {
            std::ranges::copy(offsets[i], shifted.begin());
            shifted[at(k)] = static_cast<int>(grid.representative(k, std::int64_t{offsets(i, k)} - 1));
            if (contains(shifted)) first_of_pair.push_back(i);
        }
        // Each subset `half` of the dimensions with borders.
        std::uint32_t half = 0;
        do {
            if (std::ranges::none_of(first_of_pair,
                                     [&](int i) { return reaches_from(neighborhood, i, k, half); }))
                return false;
            half = (half - borders) & borders;
        } while (half != 0);
    }
    return true;
}

bool has_unit_steps(const Neighborhood& neighborhood)
{
    const Grid& grid = neighborhood.grid;
    const Stencil& offsets = neighborhood.offsets;
    for (int k = 0; k < grid.dimensions(); ++k) {
        const auto is_unit_step = [&](int i) {
            return std::abs(offsets(i, k)) == 1 && offsets.nonzeros(i) == 1;
        };
        if (grid.size(k) > 1 && std::ranges::none_of(std::views::iota(0, offsets.size()), is_unit_step))
            return false;
    }
    return offsets.size() > 0;
}

} // namespace uniformity

bool reduction_sizes_are_uniform(const Neighborhood& neighborhood)
{
    if (neighborhood.grid.is_torus())
        return neighborhood.size() > 0 && uniformity::differences_generate(neighborhood, true);
    if (uniformity::has_unit_steps(neighborhood) || uniformity::has_connecting_pattern(neighborhood))
        return true;
    const long long edges = static_cast<long long>(neighborhood.grid.points()) * neighborhood.size();
    return neighborhood.size() > 0 && edges <= uniformity::exact_up_to &&
           uniformity::one_component(neighborhood, true);
}

bool sizes_are_uniform(const Neighborhood& neighborhood)
{
    if (neighborhood.size() == 0) return false;
    if (neighborhood.grid.is_torus()) return uniformity::differences_generate(neighborhood);
    if (uniformity::has_connecting_pattern(neighborhood)) return true;
    const long long edges = static_cast<long long>(neighborhood.grid.points()) * neighborhood.size();
    return edges <= uniformity::exact_up_to && uniformity::one_component(neighborhood);
}

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
