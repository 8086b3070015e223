// SPDX-License-Identifier: BSD-3-Clause
// Placements improved by exchanges of points between nodes.  No MPI in this file.

#include "placement/kernighan_lin.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace ortho::placement {

namespace {

// Exchanges between two parts in a row; and exchanges without a new best, after which two parts give up.
constexpr int most_exchanges = 64;
constexpr int most_in_vain = 12;

class Exchange {
public:
    Exchange(const PointGraph& graph, std::vector<int>& part_of, std::int64_t work)
        : graph_(graph),
          part_of_(part_of),
          work_(work),
          gain_(part_of.size()),
          is_open_(part_of.size())
    {
        points_.resize(at(*std::ranges::max_element(part_of) + 1));
        for (int point = 0; point < graph.size(); ++point) points_[at(part_of[at(point)])].push_back(point);
        changed_.assign(points_.size(), 0);
    }

    void run()
    {
        for (int pass = 0; work_ > 0; ++pass) {
            pass_ = pass;
            bool gains = false;
            for (const auto& [a, b] : neighboring_parts()) {
                // Neither has changed since their last attempt.
                if (std::max(changed_[at(a)], changed_[at(b)]) < pass_ - 1) continue;
                if (work_ <= 0) break;
                gains = exchange(a, b) || gains;
            }
            if (!gains) return;
        }
    }

private:
    std::vector<std::pair<int, int>> neighboring_parts()
    {
        std::vector<std::pair<int, int>> result;
        std::vector<int> last(points_.size(), -1); // the last part that has seen this one
        for (int a = 0; a < static_cast<int>(points_.size()); ++a) {
            const std::size_t begin = result.size();
            for (const int point : points_[at(a)])
                for (const auto& edge : graph_.edges(point)) {
                    const int b = part_of_[at(edge.to)];
                    if (b <= a || last[at(b)] == a) continue;
                    last[at(b)] = a;
                    result.emplace_back(a, b);
                }
            std::sort(result.begin() + static_cast<std::ptrdiff_t>(begin), result.end());
        }
        work_ -= static_cast<std::int64_t>(graph_.edge_ends());
        return result;
    }

    /// The gain if the point goes to the other of parts a and b.
    std::int64_t gain_of(int point, int a, int b) const
    {
        const int here = part_of_[at(point)];
        std::int64_t result = 0;
        for (const auto& [to, weight] : graph_.edges(point)) {
            const int there = part_of_[at(to)];
            if (there == here)
                result -= weight;
            else if (there == a || there == b)
                result += weight;
        }
        return result;
    }

    /// The open point of part a with the greatest gain; -1 if none is left.  If `other` is not -1, twice the
    /// weight between the point and `other` is subtracted.
    int best_of(int a, int other)
    {
        const auto joint = [&](int point) { return other != -1 ? 2 * joint_[at(point)] : 0; };
        if (other != -1) {
            joint_.resize(part_of_.size());
            for (const auto& [to, weight] : graph_.edges(other)) joint_[at(to)] += weight;
        }
        int best = -1;
        for (const int point : points_[at(a)])
            if (is_open_[at(point)] != 0 &&
                (best == -1 || gain_[at(point)] - joint(point) > gain_[at(best)] - joint(best)))
                best = point;
        if (other != -1)
            for (const auto& edge : graph_.edges(other)) joint_[at(edge.to)] = 0;
        work_ -= static_cast<std::int64_t>(points_[at(a)].size());
        return best;
    }

    /// Sends an open point to the other part, and closes it.
    void send(int point, int from, int to)
    {
        part_of_[at(point)] = to;
        is_open_[at(point)] = 0;
        for (const auto& [other, weight] : graph_.edges(point)) {
            if (part_of_[at(other)] == from) gain_[at(other)] += 2 * weight;
            if (part_of_[at(other)] == to) gain_[at(other)] -= 2 * weight;
        }
        work_ -= static_cast<std::int64_t>(graph_.edges(point).size());
    }

    bool exchange(int a, int b)
    {
        for (const int part : {a, b})
            for (const int point : points_[at(part)]) {
                gain_[at(point)] = gain_of(point, a, b);
                is_open_[at(point)] = 1;
                work_ -= static_cast<std::int64_t>(graph_.edges(point).size());
            }
        std::vector<std::pair<int, int>> done;
        std::int64_t sum = 0;
        std::int64_t best_sum = 0;
        std::size_t best = 0;
        while (done.size() < most_exchanges && done.size() < best + most_in_vain) {
            const int x = best_of(a, -1);
            const int y = x == -1 ? -1 : best_of(b, x);
            if (y == -1) break;
            sum += gain_[at(x)];
            send(x, a, b);
            sum += gain_[at(y)];
            send(y, b, a);
            done.emplace_back(x, y);
            if (sum > best_sum) {
                best_sum = sum;
                best = done.size();
            }
        }
        while (done.size() > best) {
            part_of_[at(done.back().first)] = a;
            part_of_[at(done.back().second)] = b;
            done.pop_back();
        }
        if (best == 0) return false;
        std::vector<int> both;
        std::ranges::merge(points_[at(a)], points_[at(b)], std::back_inserter(both));
        points_[at(a)].clear();
        points_[at(b)].clear();
        for (const int point : both) points_[at(part_of_[at(point)])].push_back(point);
        changed_[at(a)] = changed_[at(b)] = pass_;
        return true;
    }

    const PointGraph& graph_;
    std::vector<int>& part_of_;
    std::int64_t work_;                    // steps that are left
    std::vector<std::vector<int>> points_; // of each part, in increasing order
    std::vector<int> changed_;             // the last pass in which each part changed
    int pass_ = 0;
    std::vector<std::int64_t> gain_;  // of the open points
    std::vector<std::int64_t> joint_; // weight between a point and the one whose partner is sought
    std::vector<char> is_open_;
};

} // namespace

void exchange(const PointGraph& graph, std::vector<int>& part_of, std::int64_t work)
{
    if (graph.size() > 0) Exchange(graph, part_of, work).run();
}

} // namespace ortho::placement
