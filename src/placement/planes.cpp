// SPDX-License-Identifier: BSD-3-Clause
// Grids cut by plane after plane.  No MPI in this file.

#include "placement/planes.hpp"

#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "placement/stencil_reach.hpp"

namespace ortho::placement {

namespace {

constexpr std::int64_t most_steps_of_planes = 20'000'000;
constexpr std::int64_t unknown = -1;
constexpr std::int64_t impossible = std::numeric_limits<std::int64_t>::max() / 4;

class Planes {
public:
    Planes(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights, int volume)
        : grid_(neighborhood.grid),
          volume_(volume),
          reach_(reach_of(neighborhood, weights)),
          best_(at(grid_.points())),
          result_(at(grid_.points()))
    {}

    std::optional<NodeOfPoint> run()
    {
        std::vector<int> sides;
        for (int k = 0; k < grid_.dimensions(); ++k) sides.push_back(grid_.size(k));
        if (cost(sides) >= impossible) return std::nullopt;
        std::vector<int> corner(sides.size());
        fill(corner, sides);
        return std::move(result_);
    }

private:
    /// The best plane of a box, at `length` in dimension k, and what it and all in the parts cut.
    struct Best {
        std::int64_t cost = unknown;
        int k = 0;
        int length = 0;
    };

    Best& best(const std::vector<int>& sides)
    {
        std::int64_t index = 0;
        for (int k = 0; k < grid_.dimensions(); ++k) index = index * grid_.size(k) + sides[at(k)] - 1;
        return best_[static_cast<std::size_t>(index)];
    }

    std::int64_t cost(std::vector<int>& sides)
    {
        const std::int64_t points = std::accumulate(sides.begin(), sides.end(), std::int64_t{1},
                                                    std::multiplies<>());
        if (points == volume_) return 0;
        if (best(sides).cost != unknown) return best(sides).cost;
        Best found{impossible, 0, 0};
        for (int k = 0; k < grid_.dimensions(); ++k) {
            const int side = sides[at(k)];
            const std::int64_t area = points / side;
            // A ring is cut twice at first.
            const std::int64_t plane = area * reach_[at(k)] *
                                       (side == grid_.size(k) && grid_.periodic(k) ? 2 : 1);
            const auto step = static_cast<int>(volume_ / std::gcd(area, std::int64_t{volume_}));
            for (int length = step; 2 * length <= side; length += step) {
                if (plane >= found.cost) break;
                sides[at(k)] = length;
                std::int64_t sum = plane + cost(sides);
                sides[at(k)] = side - length;
                if (sum < found.cost) sum += cost(sides);
                sides[at(k)] = side;
                if (sum < found.cost) found = {sum, k, length};
            }
        }
        best(sides) = found;
        return found.cost;
    }

    void fill(std::vector<int>& corner, std::vector<int>& sides)
    {
        const std::int64_t points = std::accumulate(sides.begin(), sides.end(), std::int64_t{1},
                                                    std::multiplies<>());
        if (points == volume_) return color(corner, sides, nodes_++);
        const Best cut = best(sides);
        const int side = sides[at(cut.k)];
        sides[at(cut.k)] = cut.length;
        fill(corner, sides);
        corner[at(cut.k)] += cut.length;
        sides[at(cut.k)] = side - cut.length;
        fill(corner, sides);
        corner[at(cut.k)] -= cut.length;
        sides[at(cut.k)] = side;
    }

    void color(const std::vector<int>& corner, const std::vector<int>& sides, int node)
    {
        std::vector<int> point = corner;
        for (int i = 0; i < volume_; ++i) {
            result_[at(grid_.rank(point))] = node;
            for (int k = grid_.dimensions(); k-- > 0;) {
                if (++point[at(k)] < corner[at(k)] + sides[at(k)]) break;
                point[at(k)] = corner[at(k)];
            }
        }
    }

    const grid::Grid& grid_;
    int volume_;
    std::vector<std::int64_t> reach_;
    std::vector<Best> best_; // of the boxes' sizes
    NodeOfPoint result_;
    int nodes_ = 0;
};

} // namespace

std::optional<NodeOfPoint> planes(const grid::Neighborhood& neighborhood,
                                  std::span<const std::int64_t> weights, int volume)
{
    const grid::Grid& grid = neighborhood.grid;
    std::int64_t steps = 0;
    for (int k = 0; k < grid.dimensions(); ++k) steps += std::int64_t{grid.points()} * grid.size(k);
    if (steps > most_steps_of_planes || grid.points() % volume != 0) return std::nullopt;
    return Planes(neighborhood, weights, volume).run();
}

} // namespace ortho::placement
