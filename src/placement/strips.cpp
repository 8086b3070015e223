// SPDX-License-Identifier: BSD-3-Clause
// Nodes one after the other along strips of a grid.  No MPI in this file.

#include "placement/strips.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/index.hpp"
#include "placement/boxes.hpp"

namespace ortho::placement {

namespace {

// All widths up to this one are tried; of the larger ones some, and those that divide the grid.
constexpr int fine_widths = 12;

/// For each dimension, the weight that crosses each unit of area of a plane through the grid: the sum of
/// weight times distance.
std::vector<std::int64_t> reach_of(const grid::Neighborhood& neighborhood,
                                   std::span<const std::int64_t> weights)
{
    std::vector<std::int64_t> result(at(neighborhood.dimensions()));
    for (int k = 0; k < neighborhood.dimensions(); ++k)
        for (int i = 0; i < neighborhood.size(); ++i)
            result[at(k)] += weight_of(weights, i) * std::abs(std::int64_t{neighborhood.offsets(i, k)});
    return result;
}

/// Nested loops: over the strips in all dimensions but one, along each strip, and over the points of each
/// slice.
class Walk {
public:
    Walk(const grid::Grid& grid, const Strips& strips)
        : grid_(grid),
          strips_(strips),
          interval_(at(grid.dimensions()))
    {
        const int d = grid.dimensions();
        for (int k = 0; k < d; ++k)
            if (k != strips.along) loops_.push_back({k, true});
        loops_.push_back({strips.along, false});
        for (int k = 0; k < d; ++k)
            if (k != strips.along) loops_.push_back({k, false});
        forth_.assign(loops_.size(), 1);
        std::vector<int> unit(at(d));
        for (int k = 0; k < d; ++k) {
            unit[at(k)] = grid.size(k) - 1;
            strides_.push_back(grid.size(k) == 1 ? 0 : grid.rank(unit) / (grid.size(k) - 1));
            unit[at(k)] = 0;
        }
    }

    std::vector<int> run()
    {
        points_.reserve(at(grid_.points()));
        go(0, 0);
        return std::move(points_);
    }

private:
    struct Loop {
        int dimension;
        bool is_over_strips;
    };

    void go(std::size_t level, int point)
    {
        const auto [k, is_over_strips] = loops_[level];
        const int count = strips_.counts[at(k)];
        int begin = 0;
        int end = is_over_strips ? count : grid_.size(k);
        if (!is_over_strips && k != strips_.along) {
            begin = begin_of(grid_.size(k), count, interval_[at(k)]);
            end = begin_of(grid_.size(k), count, interval_[at(k)] + 1);
        }
        const bool forth = forth_[level] != 0;
        forth_[level] = forth ? 0 : 1; // for the next time
        const bool is_last = level + 1 == loops_.size();
        for (int i = begin; i < end; ++i) {
            const int c = forth ? i : begin + end - 1 - i;
            if (is_over_strips) {
                interval_[at(k)] = c;
                go(level + 1, point);
            } else if (is_last) {
                points_.push_back(point + c * strides_[at(k)]);
            } else {
                go(level + 1, point + c * strides_[at(k)]);
            }
        }
    }

    const grid::Grid& grid_;
    const Strips& strips_;
    std::vector<Loop> loops_;
    std::vector<char> forth_; // the next direction of each loop
    std::vector<int> interval_;
    std::vector<int> strides_;
    std::vector<int> points_;
};

/// Strips of all widths, and their promises.
class Candidates {
public:
    Candidates(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights, int nodes,
               int effort)
        : neighborhood_(neighborhood),
          weights_(weights),
          nodes_(nodes),
          effort_(effort),
          reach_(reach_of(neighborhood, weights)),
          all_(at(neighborhood.size()), 1.0)
    {
        const grid::Grid& grid = neighborhood.grid;
        for (int i = 0; i < neighborhood.size(); ++i)
            for (int k = 0; k < grid.dimensions(); ++k)
                all_[at(i)] *= static_cast<double>(points_with_target(grid, k, neighborhood.offsets(i, k)));
        const int volume = base::divided_up(grid.points(), nodes);
        for (int k = 0; k < grid.dimensions(); ++k) {
            counts_.emplace_back();
            std::vector<int> widths = base::divisors(grid.size(k));
            for (int width = 1; width < grid.size(k); width += std::max(1, width / fine_widths))
                widths.push_back(width);
            std::ranges::sort(widths);
            for (const int width : widths)
                if (const int count = base::divided_up(grid.size(k), width);
                    (width <= volume || count == 1) &&
                    (counts_.back().empty() || counts_.back().back() != count))
                    counts_.back().push_back(count);
        }
    }

    std::vector<Strips> best(int most)
    {
        for (int k = 0; k < neighborhood_.dimensions(); ++k) {
            Strips strips{k, std::vector<int>(at(neighborhood_.dimensions()), 1), 0};
            go(strips, 0, 1, std::vector<double>(all_.size(), 1.0));
        }
        std::ranges::stable_sort(found_, {}, &Strips::promise);
        if (std::ssize(found_) > most) found_.resize(at(most));
        return std::move(found_);
    }

private:
    /// kept[i] is the number of edges of offset i that stay in one interval in each dimension before k.
    void go(Strips& strips, int k, std::int64_t strip_count, const std::vector<double>& kept)
    {
        if (std::ssize(found_) == effort_) return;
        const grid::Grid& grid = neighborhood_.grid;
        if (k == grid.dimensions()) {
            strips.promise = promise(strips, strip_count, kept);
            found_.push_back(strips);
            return;
        }
        if (k == strips.along) return go(strips, k + 1, strip_count, kept);
        std::vector<double> next(kept.size());
        for (const int count : counts_[at(k)]) {
            // At most one strip for each node, and at least one strip.
            if (count > 1 && strip_count * count > nodes_) continue;
            for (int i = 0; i < neighborhood_.size(); ++i)
                next[at(i)] = kept[at(i)] * static_cast<double>(points_with_target_near(
                                                grid, k, count, neighborhood_.offsets(i, k)));
            strips.counts[at(k)] = count;
            go(strips, k + 1, strip_count * count, next);
            strips.counts[at(k)] = 1;
        }
    }

    double promise(const Strips& strips, std::int64_t strip_count, const std::vector<double>& kept) const
    {
        const grid::Grid& grid = neighborhood_.grid;
        const double size = grid.size(strips.along);
        const double nodes_a_strip = static_cast<double>(nodes_) / static_cast<double>(strip_count);
        double result = 0;
        for (int i = 0; i < neighborhood_.size(); ++i) {
            const int step = neighborhood_.offsets(i, strips.along);
            const double stay = strip_count == nodes_
                                    ? static_cast<double>(points_with_target(grid, strips.along, step))
                                    : std::max(0.0,
                                               size - nodes_a_strip * std::abs(static_cast<double>(step)));
            result += static_cast<double>(weight_of(weights_, i)) * (all_[at(i)] - kept[at(i)] * stay);
        }
        return result + steps_between(strips, strip_count);
    }

    /// The cut where a node ends in the middle of a slice: a row of the slice, along its longest side.
    double steps_between(const Strips& strips, std::int64_t strip_count) const
    {
        const grid::Grid& grid = neighborhood_.grid;
        bool whole = nodes_ % strip_count == 0 && grid.size(strips.along) % (nodes_ / strip_count) == 0;
        double slice = 1;
        for (int k = 0; k < grid.dimensions(); ++k) {
            whole = whole && grid.size(k) % strips.counts[at(k)] == 0;
            if (k != strips.along) slice *= static_cast<double>(grid.size(k)) / strips.counts[at(k)];
        }
        if (whole) return 0;
        double least = 0;
        for (int k = 0; k < grid.dimensions(); ++k) {
            const double width = static_cast<double>(grid.size(k)) / strips.counts[at(k)];
            if (k == strips.along || width <= 1) continue;
            const double cost = static_cast<double>(reach_[at(k)]) * slice / width;
            if (least == 0 || cost < least) least = cost;
        }
        return least * nodes_;
    }

    const grid::Neighborhood& neighborhood_;
    std::span<const std::int64_t> weights_;
    int nodes_;
    int effort_;
    std::vector<std::int64_t> reach_;
    std::vector<double> all_;              // edges of each offset
    std::vector<std::vector<int>> counts_; // of each dimension, in decreasing order
    std::vector<Strips> found_;
};

} // namespace

std::vector<int> points_along(const grid::Grid& grid, const Strips& strips)
{
    return Walk(grid, strips).run();
}

std::vector<Strips> promising_strips(const grid::Neighborhood& neighborhood,
                                     std::span<const std::int64_t> weights, int nodes, int most, int effort)
{
    return Candidates(neighborhood, weights, nodes, effort).best(most);
}

NodeOfPoint nodes_along(std::span<const int> points, std::span<const int> sizes, std::span<const int> order)
{
    NodeOfPoint result(points.size());
    std::size_t next = 0;
    for (const int node : order)
        for (int i = 0; i < sizes[at(node)]; ++i) result[at(points[next++])] = node;
    return result;
}

} // namespace ortho::placement
