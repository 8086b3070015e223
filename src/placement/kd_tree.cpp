// SPDX-License-Identifier: BSD-3-Clause
// A k-d tree whose leaves are nodes.  No MPI in this file.

#include "placement/kd_tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "placement/stencil_reach.hpp"

namespace ortho::placement {

namespace {

// The number of divisions tried beside the middle one, and their largest distance from it, as a part of all.
constexpr int most_tries = 48;
constexpr int least_part = 4;

class Tree {
public:
    Tree(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
         std::span<const int> points, std::span<const int> sizes, std::span<const int> order)
        : grid_(neighborhood.grid),
          reach_(reach_of(neighborhood, weights)),
          order_(order),
          list_(points.size()),
          result_(points.size())
    {
        std::iota(list_.begin(), list_.end(), 0);
        sums_.push_back(0);
        for (const int part : order) sums_.push_back(sums_.back() + sizes[at(part)]);
        const auto d = at(grid_.dimensions());
        coordinates_.resize(points.size() * d);
        for (std::size_t i = 0; i < points.size(); ++i)
            for (std::size_t k = 0; k < d; ++k)
                coordinates_[i * d + k] = grid_.coordinate(points[i], static_cast<int>(k));
    }

    std::vector<int> run()
    {
        divide(0, static_cast<int>(order_.size()));
        return std::move(result_);
    }

private:
    /// Parts first .. middle - 1 lie before a plane across dimension k, with a step along dimension `step`.
    struct Division {
        double cost;
        int unevenness;
        int k;
        int step;
        int middle;
    };

    int coordinate(int i, int k) const { return coordinates_[at(i) * at(grid_.dimensions()) + at(k)]; }

    /// Divides parts first .. last - 1, whose points are list_[sums_[first]] to list_[sums_[last] - 1].
    void divide(int first, int last)
    {
        const auto begin = list_.begin() + sums_[at(first)];
        const auto end = list_.begin() + sums_[at(last)];
        if (last - first == 1) {
            for (auto i = begin; i != end; ++i) result_[at(*i)] = order_[at(first)];
            return;
        }
        const Division best = best_division(first, last, extents({begin, end}));
        const auto middle = list_.begin() + sums_[at(best.middle)];
        const auto before = [&](int a, int b) {
            if (coordinate(a, best.k) != coordinate(b, best.k))
                return coordinate(a, best.k) < coordinate(b, best.k);
            if (coordinate(a, best.step) != coordinate(b, best.step))
                return coordinate(a, best.step) < coordinate(b, best.step);
            return a < b;
        };
        std::nth_element(begin, middle, end, before);
        divide(first, best.middle);
        divide(best.middle, last);
    }

    std::vector<int> extents(std::span<const int> list) const
    {
        std::vector<int> result(at(grid_.dimensions()));
        for (int k = 0; k < grid_.dimensions(); ++k) {
            int low = coordinate(list[0], k);
            int high = low;
            for (const int i : list) {
                low = std::min(low, coordinate(i, k));
                high = std::max(high, coordinate(i, k));
            }
            result[at(k)] = high - low + 1;
        }
        return result;
    }

    Division best_division(int first, int last, const std::vector<int>& extents) const
    {
        const std::int64_t points = sums_[at(last)] - sums_[at(first)];
        const int half = first + (last - first) / 2;
        Division best{-1, 0, 0, 0, half};
        for (int k = 0; k < grid_.dimensions(); ++k) {
            const int side = extents[at(k)];
            if (side == 1) continue;
            const bool is_ring = side == grid_.size(k) && grid_.periodic(k);
            const double area = static_cast<double>(points) / side;
            const double plane = static_cast<double>(reach_[at(k)]) * area * (is_ring ? 2 : 1);
            int step = -1; // the dimension with the cheapest step in the plane
            double step_cost = 0;
            for (int l = 0; l < grid_.dimensions(); ++l) {
                if (l == k || extents[at(l)] == 1) continue;
                const double cost = static_cast<double>(reach_[at(l)]) * area / extents[at(l)];
                if (step == -1 || cost < step_cost) {
                    step = l;
                    step_cost = cost;
                }
            }
            // The points of a whole plane, if the points are a whole box.
            const std::int64_t whole = points % side == 0 ? points / side : 0;
            const auto consider = [&](int middle) {
                const bool has_step = whole == 0 || (sums_[at(middle)] - sums_[at(first)]) % whole != 0;
                const Division other{plane + (has_step ? step_cost : 0), std::abs(middle - half), k,
                                     step == -1 ? k : step, middle};
                if (best.cost < 0 || other.cost < best.cost ||
                    (other.cost == best.cost && other.unevenness < best.unevenness))
                    best = other;
            };
            consider(half);
            for (int away = 1; away <= std::min(most_tries, (last - first) / least_part); ++away) {
                consider(half - away);
                consider(half + away);
            }
        }
        return best;
    }

    const grid::Grid& grid_;
    std::vector<std::int64_t> reach_;
    std::span<const int> order_;
    std::vector<int> list_; // indices of points, those of a part of the tree together
    std::vector<int> result_;
    std::vector<std::int64_t> sums_; // of the sizes of parts, in their order
    std::vector<int> coordinates_;
};

} // namespace

std::vector<int> tree(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                      std::span<const int> points, std::span<const int> sizes, std::span<const int> order)
{
    if (points.empty()) return {};
    return Tree(neighborhood, weights, points, sizes, order).run();
}

} // namespace ortho::placement
