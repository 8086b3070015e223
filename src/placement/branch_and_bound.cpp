// SPDX-License-Identifier: BSD-3-Clause
// The best placement of few points.  No MPI in this file.

#include "placement/branch_and_bound.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace ortho::placement {

namespace {

class SearchOfParts {
public:
    SearchOfParts(const PointGraph& graph, std::span<const int> sizes, std::int64_t less_than,
                  std::int64_t steps)
        : graph_(graph),
          sizes_(sizes),
          room_(sizes.begin(), sizes.end()),
          least_(less_than),
          steps_(steps),
          part_of_(at(graph.size()), -1),
          joint_(at(graph.size()) * sizes.size()),
          assigned_(at(graph.size()))
    {}

    std::optional<std::vector<int>> run(bool& complete)
    {
        go(0, 0);
        complete = steps_ > 0;
        if (best_.empty()) return std::nullopt;
        return best_;
    }

private:
    std::int64_t& joint(int vertex, int part) { return joint_[at(vertex) * sizes_.size() + at(part)]; }

    /// A lower bound of the cut between vertices from `vertex` on and those before.
    std::int64_t least_to_come(int vertex)
    {
        std::int64_t result = 0;
        for (int v = vertex; v < graph_.size(); ++v) {
            std::int64_t most = 0;
            for (int part = 0; part < static_cast<int>(sizes_.size()); ++part)
                if (room_[at(part)] > 0) most = std::max(most, joint(v, part));
            result += assigned_[at(v)] - most;
        }
        return result;
    }

    void put(int vertex, int part, int sign)
    {
        room_[at(part)] -= sign;
        part_of_[at(vertex)] = sign > 0 ? part : -1;
        for (const auto& [to, weight] : graph_.edges(vertex))
            if (to > vertex) {
                joint(to, part) += sign * weight;
                assigned_[at(to)] += sign * weight;
            }
    }

    /// Is there an empty part of the same size before this one?
    bool has_empty_twin(int part) const
    {
        for (int other = 0; other < part; ++other)
            if (sizes_[at(other)] == sizes_[at(part)] && room_[at(other)] == sizes_[at(other)]) return true;
        return false;
    }

    void go(int vertex, std::int64_t cut)
    {
        if (--steps_ <= 0) return;
        if (vertex == graph_.size()) {
            least_ = cut;
            best_ = part_of_;
            return;
        }
        for (int part = 0; part < static_cast<int>(sizes_.size()); ++part) {
            if (room_[at(part)] == 0) continue;
            if (room_[at(part)] == sizes_[at(part)] && has_empty_twin(part)) continue;
            const std::int64_t next = cut + assigned_[at(vertex)] - joint(vertex, part);
            if (next >= least_) continue;
            put(vertex, part, +1);
            if (next + least_to_come(vertex + 1) < least_) go(vertex + 1, next);
            put(vertex, part, -1);
        }
    }

    const PointGraph& graph_;
    std::span<const int> sizes_;
    std::vector<int> room_;
    std::int64_t least_;
    std::int64_t steps_;
    std::vector<int> part_of_;
    std::vector<int> best_;
    std::vector<std::int64_t> joint_;    // weight from a vertex to those before it in a part
    std::vector<std::int64_t> assigned_; // weight from a vertex to all those before it
};

} // namespace

std::optional<std::vector<int>> search_parts(const PointGraph& graph, std::span<const int> sizes,
                                             std::int64_t less_than, std::int64_t steps, bool& complete)
{
    return SearchOfParts(graph, sizes, less_than, steps).run(complete);
}

} // namespace ortho::placement
