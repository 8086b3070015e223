// SPDX-License-Identifier: BSD-3-Clause
// Must all processes of a stencil use one block size?  No MPI in this file.

#include "grid/uniformity.hpp"

#include <algorithm>
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

} // namespace ortho::grid
