// SPDX-License-Identifier: BSD-3-Clause
// The placement of processes on a grid.  No MPI in this file.

#include "placement/placement.hpp"

#include <numeric>
#include <unordered_map>

#include "base/index.hpp"
#include "placement/node_subdivision.hpp"

namespace ortho::placement {

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
