// SPDX-License-Identifier: BSD-3-Clause
// The placement of processes on a grid.  No MPI in this file.

#include "placement/placement.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/index.hpp"
#include "placement/kernighan_lin.hpp"
#include "placement/point_graph.hpp"
#include "placement/strips.hpp"

namespace ortho::placement {

namespace {

/// Divides sets of points of one grid.  Sets of one shape, as most nodes have, are divided once.
class NodeSubdivision {
public:
    NodeSubdivision(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights)
        : neighborhood_(neighborhood),
          weights_(weights)
    {}

    /// The part of each point.  `points` are in increasing order.  Each part occurs as often as in `given`,
    /// and the cut between these points is at most that of `given`.
    std::vector<int> divide(std::span<const int> points, const std::vector<int>& given);

private:
    const grid::Neighborhood& neighborhood_;
    std::span<const std::int64_t> weights_;
    std::map<std::vector<std::int64_t>, std::vector<int>> known_; // by shape, edges and given
};

constexpr int most_strips_inside = 8;
constexpr std::int64_t work_inside = 1'000'000;
constexpr std::int64_t room = 8; // largest ratio of the box's points to the given ones, for strips

/// The smallest box around the points, for walks along strips.  Empty if it has too many other points.
class BoxAround {
public:
    BoxAround(const grid::Grid& grid, std::span<const int> points) : low_(grid.coordinates(points[0]))
    {
        std::vector<int> high = low_;
        for (const int point : points)
            for (int k = 0; k < grid.dimensions(); ++k) {
                low_[at(k)] = std::min(low_[at(k)], grid.coordinate(point, k));
                high[at(k)] = std::max(high[at(k)], grid.coordinate(point, k));
            }
        std::vector<int> sizes;
        std::int64_t volume = 1;
        for (std::size_t k = 0; k < high.size(); ++k) {
            sizes.push_back(high[k] - low_[k] + 1);
            volume *= sizes.back();
            if (volume > room * std::ssize(points)) return;
        }
        // The box is periodic where it holds a whole ring of the grid.
        std::vector<char> periodic;
        for (int k = 0; k < grid.dimensions(); ++k)
            periodic.push_back(grid.periodic(k) && sizes[at(k)] == grid.size(k) ? 1 : 0);
        box_.emplace(sizes, periodic, grid.slowest_first());
        index_.assign(at(box_->points()), -1);
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::vector<int> coordinates = grid.coordinates(points[i]);
            for (std::size_t k = 0; k < coordinates.size(); ++k) coordinates[k] -= low_[k];
            index_[at(box_->rank(coordinates))] = static_cast<int>(i);
        }
    }

    bool is_there() const { return box_.has_value(); }
    const grid::Grid& box() const { return *box_; }

    /// The numbers of the points in the order of a walk.
    std::vector<int> numbers_along(const Strips& strips) const
    {
        std::vector<int> result;
        for (const int point : points_along(*box_, strips))
            if (index_[at(point)] != -1) result.push_back(index_[at(point)]);
        return result;
    }

private:
    std::vector<int> low_;
    std::optional<grid::Grid> box_;
    std::vector<int> index_; // point of the box -> index in the points, or -1
};

} // namespace

std::vector<int> NodeSubdivision::divide(std::span<const int> points, const std::vector<int>& given)
{
    const PointGraph graph(neighborhood_, weights_, points);
    const grid::Grid& grid = neighborhood_.grid;
    std::vector<std::int64_t> key(given.begin(), given.end());
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (int k = 0; k < grid.dimensions(); ++k)
            key.push_back(grid.coordinate(points[i], k) - grid.coordinate(points[0], k));
        for (const auto& [to, weight] : graph.edges(static_cast<int>(i))) key.insert(key.end(), {to, weight});
        key.push_back(-1);
    }
    const auto [known, is_new] = known_.try_emplace(std::move(key), given);
    std::vector<int>& best = known->second;
    std::int64_t least = cut_of(graph, best);
    if (!is_new || least == 0) return best;

    const auto consider = [&](std::vector<int> part_of) {
        const std::int64_t cut = cut_of(graph, part_of);
        if (cut < least) {
            best = std::move(part_of);
            least = cut;
        }
    };
    std::vector<int> sizes;
    for (const int part : given) {
        if (part >= std::ssize(sizes)) sizes.resize(at(part) + 1);
        ++sizes[at(part)];
    }
    std::vector<int> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    if (const BoxAround around(grid, points); around.is_there()) {
        const grid::Neighborhood inside{around.box(), neighborhood_.offsets};
        for (const Strips& strips :
             promising_strips(inside, weights_, static_cast<int>(sizes.size()), most_strips_inside))
            consider(nodes_along(around.numbers_along(strips), sizes, order));
    }
    std::vector<int> exchanged = best;
    exchange(graph, exchanged, work_inside);
    consider(std::move(exchanged));
    return best;
}

namespace {

/// The members of each part, in increasing order of their numbers.
std::vector<std::vector<int>> members_of(std::span<const int> part_of, std::size_t parts)
{
    std::vector<std::vector<int>> result(parts);
    for (std::size_t i = 0; i < part_of.size(); ++i) result[at(part_of[i])].push_back(static_cast<int>(i));
    return result;
}

/// Goes from level to level, and puts processes onto points.
class Arrangement {
public:
    Arrangement(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                std::span<const grid::Nodes> levels)
        : levels_(levels),
          subdivision_(neighborhood, weights),
          process_at_(at(neighborhood.grid.points()))
    {}

    /// Puts as many processes onto these points by the levels from `level` on.  Both lists are increasing.
    void arrange(const std::vector<int>& points, const std::vector<int>& processes, std::size_t level)
    {
        if (level == levels_.size()) {
            for (std::size_t i = 0; i < points.size(); ++i) process_at_[at(points[i])] = processes[i];
            return;
        }
        std::unordered_map<int, int> parts;
        std::vector<int> given;
        for (const int process : processes)
            given.push_back(
                parts.try_emplace(levels_[level].of(process), static_cast<int>(parts.size())).first->second);
        if (parts.size() == 1) return arrange(points, processes, level + 1);
        arrange(points, processes, given, subdivision_.divide(points, given), parts.size(), level);
    }

    /// arrange() with the known parts of processes and points.
    void arrange(const std::vector<int>& points, const std::vector<int>& processes,
                 std::span<const int> part_of_process, std::span<const int> part_of_point, std::size_t parts,
                 std::size_t level)
    {
        const auto points_of = members_of(part_of_point, parts);
        const auto processes_of = members_of(part_of_process, parts);
        std::vector<int> some_points;
        std::vector<int> some_processes;
        for (std::size_t part = 0; part < parts; ++part) {
            some_points.clear();
            some_processes.clear();
            for (const int i : points_of[part]) some_points.push_back(points[at(i)]);
            for (const int i : processes_of[part]) some_processes.push_back(processes[at(i)]);
            arrange(some_points, some_processes, level + 1);
        }
    }

    std::vector<int> process_at() && { return std::move(process_at_); }

private:
    std::span<const grid::Nodes> levels_;
    NodeSubdivision subdivision_;
    std::vector<int> process_at_;
};

} // namespace

std::vector<int> processes_on_points(const grid::Nodes& nodes, std::span<const int> node_of)
{
    const auto processes = members_of(nodes.of_all(), at(nodes.count()));
    std::vector<std::size_t> next(processes.size());
    std::vector<int> result;
    result.reserve(node_of.size());
    for (const int node : node_of) result.push_back(processes[at(node)][next[at(node)]++]);
    return result;
}

Placement place(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                std::span<const grid::Nodes> levels)
{
    const grid::Nodes& nodes = levels.front(); // there is at least one level
    const std::vector<Proposal> proposals = propose(neighborhood, weights, nodes);
    const Proposal& best = best_of(proposals);
    if (levels.size() == 1) return {best.method, processes_on_points(nodes, best.node_of)};
    std::vector<int> all(at(nodes.processes()));
    std::iota(all.begin(), all.end(), 0);
    Arrangement arrangement(neighborhood, weights, levels);
    arrangement.arrange(all, all, nodes.of_all(), best.node_of, at(nodes.count()), 0);
    return {best.method, std::move(arrangement).process_at()};
}

} // namespace ortho::placement
