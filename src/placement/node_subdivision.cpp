// SPDX-License-Identifier: BSD-3-Clause
// Divides the points of a node among its parts.  No MPI in this file.

#include "placement/node_subdivision.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "placement/kernighan_lin.hpp"
#include "placement/point_graph.hpp"
#include "placement/strips.hpp"

namespace ortho::placement {

namespace {

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

} // namespace ortho::placement
