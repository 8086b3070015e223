// SPDX-License-Identifier: BSD-3-Clause
// A lower bound of the cut between nodes.
//
// The names are those of doc/placement.md.  A direction is an offset together with its opposite.  Its chains
// are the paths along it from point to point, from border to border or around a ring.  For m points on a
// node, h is the number of chains that they hit, and f the number of rings that are wholly on the node.

#include "plan/edge_cut_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "placement/boxes.hpp"
#include "placement/edge_cut.hpp"

namespace plan {

namespace {

using ortho::at;
using ortho::placement::weight_of;

constexpr std::int64_t most_steps_of_loss = 2'000'000; // in the search for the smallest sum of h - f
constexpr std::int64_t most_sums = 1 << 16;            // number of compared multiples of directions
constexpr std::int64_t fine = 256;                     // larger h are taken in intervals of a 64th
constexpr double slack = 1e-9;                         // more than the error of rounding

std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct OffsetPair {
    std::vector<int> offset;
    std::int64_t weight = 0; ///< of both offsets
    bool is_ring = false;
    bool is_pair = false;    ///< a ring of two points
    std::int64_t length = 0; ///< of a ring; or of the longest chain
    std::int64_t chains = 0;

    bool is_along_an_axis() const
    {
        return std::ranges::count_if(offset, [](int n) { return n != 0; }) == 1;
    }
};

std::vector<int> opposite(const grid::Grid& grid, std::span<const int> offset)
{
    std::vector<int> result;
    for (int k = 0; k < grid.dimensions(); ++k)
        result.push_back(static_cast<int>(grid.representative(k, -std::int64_t{offset[at(k)]})));
    return result;
}

void measure(const grid::Grid& grid, OffsetPair& direction)
{
    direction.is_ring = true;
    direction.length = 1;
    std::int64_t longest = grid.points();
    std::int64_t edges = 1;
    for (int k = 0; k < grid.dimensions(); ++k) {
        const std::int64_t way = std::abs(std::int64_t{direction.offset[at(k)]});
        edges *= ortho::placement::points_with_target(grid, k, direction.offset[at(k)]);
        if (way == 0) continue;
        if (grid.periodic(k)) {
            direction.length = std::lcm(direction.length,
                                        grid.size(k) / std::gcd(std::int64_t{grid.size(k)}, way));
        } else {
            direction.is_ring = false;
            longest = std::min(longest, ceil_of(grid.size(k), way));
        }
    }
    if (!direction.is_ring) direction.length = longest;
    direction.is_pair = direction.is_ring && direction.length == 2;
    direction.chains = direction.is_ring ? grid.points() / direction.length : grid.points() - edges;
}

/// The directions of the offsets that have edges from one point to another.
std::vector<OffsetPair> directions_of(const grid::Neighborhood& neighborhood,
                                      std::span<const std::int64_t> weights)
{
    std::map<std::vector<int>, std::int64_t> found;
    for (int i = 0; i < neighborhood.size(); ++i) {
        const auto offset = neighborhood.offsets[i];
        if (std::ranges::all_of(offset, [](int n) { return n == 0; })) continue;
        found[std::max(std::vector<int>(offset.begin(), offset.end()),
                       opposite(neighborhood.grid, offset))] += weight_of(weights, i);
    }
    std::vector<OffsetPair> result;
    for (const auto& [offset, weight] : found) {
        if (weight == 0) continue;
        result.push_back({.offset = offset, .weight = weight});
        measure(neighborhood.grid, result.back());
    }
    return result;
}

/// True only if a sum of multiples of these directions leads nowhere exactly when each multiple does so.  May
/// be false although it is so.
class Independence {
public:
    explicit Independence(const grid::Grid& grid) : grid_(grid) {}

    bool operator()(const std::vector<const OffsetPair*>& directions) const
    {
        if (are_along_different_axes(directions)) return true;
        // Without periods this is linear independence; the rest is a question of the rings alone.
        std::vector<std::vector<double>> rows;
        std::vector<const OffsetPair*> rings;
        for (const OffsetPair* direction : directions) {
            if (direction->is_ring) {
                rings.push_back(direction);
                continue;
            }
            rows.emplace_back();
            for (int k = 0; k < grid_.dimensions(); ++k)
                if (!grid_.periodic(k)) rows.back().push_back(direction->offset[at(k)]);
        }
        return have_full_rank(std::move(rows)) && (are_along_different_axes(rings) || sums_differ(rings));
    }

private:
    bool are_along_different_axes(const std::vector<const OffsetPair*>& directions) const
    {
        std::vector<char> seen(at(grid_.dimensions()));
        for (const OffsetPair* direction : directions) {
            if (!direction->is_along_an_axis()) return false;
            const auto axis = std::ranges::find_if(direction->offset, [](int n) { return n != 0; });
            char& flag = seen[static_cast<std::size_t>(axis - direction->offset.begin())];
            if (flag != 0) return false;
            flag = 1;
        }
        return true;
    }

    /// Eliminates with the greatest pivot.  Numbers near 0 count as 0; this can only make the answer false.
    static bool have_full_rank(std::vector<std::vector<double>> rows)
    {
        double nearly_0 = 0;
        for (const auto& row : rows)
            for (const double number : row) nearly_0 = std::max(nearly_0, std::abs(number) * slack);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::size_t row = i;
            std::size_t column = 0;
            double greatest = 0;
            for (std::size_t r = i; r < rows.size(); ++r)
                for (std::size_t c = 0; c < rows[r].size(); ++c)
                    if (std::abs(rows[r][c]) > greatest) {
                        greatest = std::abs(rows[r][c]);
                        row = r;
                        column = c;
                    }
            if (greatest <= nearly_0) return false;
            std::swap(rows[i], rows[row]);
            for (std::size_t r = i + 1; r < rows.size(); ++r) {
                const double factor = rows[r][column] / rows[i][column];
                for (std::size_t c = 0; c < rows[r].size(); ++c) rows[r][c] -= factor * rows[i][c];
            }
        }
        return true;
    }

    bool sums_differ(const std::vector<const OffsetPair*>& rings) const
    {
        std::int64_t sums = 1;
        for (const OffsetPair* ring : rings) {
            sums *= ring->length;
            if (sums > most_sums || sums > grid_.points()) return false;
        }
        std::vector<int> reached{0}; // from point 0
        for (const OffsetPair* ring : rings) {
            std::vector<int> offset = ring->offset;
            const std::size_t before = reached.size();
            for (std::int64_t i = 1; i < ring->length; ++i)
                for (std::size_t j = 0; j < before; ++j)
                    reached.push_back(grid_.neighbor(reached[reached.size() - before], offset));
        }
        std::ranges::sort(reached);
        return std::ranges::adjacent_find(reached) == reached.end();
    }

    const grid::Grid& grid_;
};

/// The least loss of a node of m points in independent directions: the sum of weight times h - f.
class LeastLoss {
public:
    LeastLoss(const std::vector<const OffsetPair*>& directions, std::int64_t m)
        : directions_(directions),
          m_(m)
    {
        h_.resize(directions.size());
    }

    std::int64_t run()
    {
        // Any feasible h is a good start.
        const double j = static_cast<double>(directions_.size());
        const auto even = static_cast<std::int64_t>(
                              std::ceil(std::pow(static_cast<double>(m_), (j - 1) / j))) +
                          1;
        std::int64_t least = 0;
        bool may_be = true;
        for (std::size_t k = 0; k < h_.size(); ++k) {
            least += alone(k, lowest(k));
            h_[k] = {std::clamp(even, lowest(k), highest(k)), std::clamp(even, lowest(k), highest(k))};
            may_be = may_be && h_[k].low >= even;
        }
        if (may_be) best_ = together();
        go(0, 0, 1.0, least);
        return steps_ < most_steps_of_loss ? best_ : least;
    }

private:
    struct Interval {
        std::int64_t low;
        std::int64_t high;
    };

    const OffsetPair& direction(std::size_t k) const { return *directions_[k]; }
    std::int64_t lowest(std::size_t k) const { return ceil_of(m_, direction(k).length); }
    std::int64_t highest(std::size_t k) const { return std::min(m_, direction(k).chains); }

    /// The least loss in direction k if it hits h chains or more, whatever the others do.  Grows with h.
    std::int64_t alone(std::size_t k, std::int64_t h) const
    {
        const OffsetPair& of = direction(k);
        const std::int64_t f = of.is_ring ? std::min(h, (m_ - h) / (of.length - 1)) : 0;
        return of.weight * std::max<std::int64_t>(0, h - f);
    }

    /// The loss in all directions.  A whole ring of one direction hits chains of the others.
    std::int64_t together() const
    {
        std::int64_t result = 0;
        for (std::size_t k = 0; k < h_.size(); ++k) {
            const OffsetPair& of = direction(k);
            std::int64_t f = of.is_ring ? std::min(h_[k].low, (m_ - h_[k].low) / (of.length - 1)) : 0;
            for (std::size_t l = 0; l < h_.size() && f > 0; ++l)
                if (l != k) f = std::min(f, direction(l).length * (h_[l].high / of.length));
            result += of.weight * (h_[k].low - f);
        }
        return result;
    }

    /// `share` is the product of h / m so far, which must be 1 / m at last; `least` bounds the loss from
    /// below.
    void go(std::size_t k, std::int64_t so_far, double share, std::int64_t least)
    {
        if (k == h_.size()) {
            best_ = std::min(best_, together());
            return;
        }
        const bool is_last = k + 1 == h_.size();
        const std::int64_t least_of_others = least - so_far - alone(k, lowest(k));
        const double m = static_cast<double>(m_);
        // The last h must be so large for the product: skip all smaller ones.
        const double needed = is_last ? std::min(static_cast<double>(highest(k)), (1 - slack) / share - 1)
                                      : 0;
        for (std::int64_t low = std::max(lowest(k), static_cast<std::int64_t>(needed)); low <= highest(k);) {
            const std::int64_t high = std::min(highest(k), low <= fine ? low : low + low / 64);
            const std::int64_t now = so_far + alone(k, low);
            if (now + least_of_others >= best_ || ++steps_ >= most_steps_of_loss) return;
            h_[k] = {low, high};
            const double next = share * (static_cast<double>(high) / m);
            if (!is_last || next * m >= 1 - slack) go(k + 1, now, next, now + least_of_others);
            low = high + 1;
        }
    }

    const std::vector<const OffsetPair*>& directions_;
    std::int64_t m_;
    std::vector<Interval> h_;
    std::int64_t best_ = std::numeric_limits<std::int64_t>::max() / 2;
    std::int64_t steps_ = 0;
};

/// DirectionGroups of independent directions.  Each direction is in as many groups as there are dimensions.
class DirectionGroups {
public:
    DirectionGroups(const grid::Grid& grid, const std::vector<OffsetPair>& directions)
        : times_(std::max(1, grid.dimensions()))
    {
        const Independence independent(grid);
        std::vector<int> left(directions.size(), times_);
        for (;;) {
            std::vector<int> order(directions.size());
            std::iota(order.begin(), order.end(), 0);
            std::ranges::stable_sort(order, [&](int a, int b) {
                if (left[at(a)] != left[at(b)]) return left[at(a)] > left[at(b)];
                const bool axis_a = directions[at(a)].is_along_an_axis();
                const bool axis_b = directions[at(b)].is_along_an_axis();
                if (axis_a != axis_b) return axis_a;
                return directions[at(a)].weight > directions[at(b)].weight;
            });
            std::vector<const OffsetPair*> group;
            for (const int i : order) {
                if (left[at(i)] == 0 || std::ssize(group) == grid.dimensions()) break;
                group.push_back(&directions[at(i)]);
                if (!independent(group))
                    group.pop_back();
                else
                    --left[at(i)];
            }
            if (group.empty()) return;
            std::ranges::sort(group);
            ++groups_[std::move(group)];
        }
    }

    /// A lower bound of the loss of a node of m points.
    std::int64_t loss(std::int64_t m) const
    {
        std::int64_t sum = 0;
        for (const auto& [group, count] : groups_) sum += count * LeastLoss(group, m).run();
        return ceil_of(sum, times_);
    }

private:
    int times_;
    std::map<std::vector<const OffsetPair*>, int> groups_; // and the number of each
};

/// The most weight that can be within m points.  Points come one after the other, ordered by their
/// coordinates in dimensions with borders.  In each direction the next point finds at most one of its two
/// neighbors there already, or both in a ring; and never more points than there are.
std::int64_t most_within(const std::vector<OffsetPair>& directions, std::int64_t m)
{
    std::vector<std::int64_t> slots;
    for (const OffsetPair& direction : directions) {
        slots.push_back(direction.weight * (direction.is_pair ? 2 : 1));
        if (direction.is_ring && !direction.is_pair) slots.push_back(direction.weight);
    }
    std::ranges::sort(slots, std::greater());
    std::int64_t result = 0;
    const auto some = std::min<std::int64_t>(m, std::ssize(slots));
    std::int64_t of_next = 0;
    for (std::int64_t i = 1; i < some; ++i) result += of_next += slots[static_cast<std::size_t>(i - 1)];
    if (m > some) result += (m - some) * std::accumulate(slots.begin(), slots.end(), std::int64_t{0});
    return result;
}

} // namespace

std::int64_t least_cut(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                       std::span<const int> sizes)
{
    const grid::Grid& grid = neighborhood.grid;
    const std::vector<OffsetPair> directions = directions_of(neighborhood, weights);
    const DirectionGroups groups(grid, directions);
    std::int64_t all = 0;  // the weight of all edges
    std::int64_t ends = 0; // the weight of edges of a point far from all borders
    for (const OffsetPair& direction : directions) {
        all += direction.weight * (direction.is_ring ? grid.points() : grid.points() - direction.chains);
        ends += direction.weight;
    }
    std::map<int, std::int64_t> within; // the most that a node of this size can keep
    std::int64_t result = all;
    for (const int size : sizes) {
        const auto [found, is_new] = within.try_emplace(size);
        if (is_new) found->second = std::min(size * ends - groups.loss(size), most_within(directions, size));
        result -= found->second;
    }
    return std::max<std::int64_t>(0, result);
}

} // namespace plan
