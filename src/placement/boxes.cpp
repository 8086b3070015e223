// SPDX-License-Identifier: BSD-3-Clause
// Grids cut into boxes.  No MPI in this file.

#include "placement/boxes.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/arithmetic.hpp"
#include "base/index.hpp"

namespace ortho::placement {

namespace {

/// Tries the divisors of the grid's sizes as sizes of the box, one dimension after the other.
class BoxSearch {
public:
    BoxSearch(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights, int effort)
        : neighborhood_(neighborhood),
          weights_(weights),
          effort_(effort),
          counts_(at(neighborhood.dimensions()), 1)
    {
        // points_after_[k]: the largest number of points of a box in dimensions k and on.
        points_after_.assign(counts_.size() + 1, 1);
        for (int k = neighborhood.dimensions(); k-- > 0;)
            points_after_[at(k)] = points_after_[at(k + 1)] * neighborhood.grid.size(k);
    }

    std::optional<std::vector<int>> run(int volume)
    {
        go(0, volume);
        if (best_.empty()) return std::nullopt;
        for (int k = 0; k < neighborhood_.dimensions(); ++k)
            best_[at(k)] = neighborhood_.grid.size(k) / best_[at(k)];
        return best_;
    }

private:
    void go(int k, int left)
    {
        if (tried_ == effort_ || left > points_after_[at(k)]) return;
        if (k == neighborhood_.dimensions()) {
            ++tried_;
            const std::int64_t cut = cut_of_boxes(neighborhood_, weights_, counts_);
            if (best_.empty() || cut < least_) {
                best_ = counts_;
                least_ = cut;
            }
            return;
        }
        const int size = neighborhood_.grid.size(k);
        for (const int side : base::divisors(size)) {
            if (left % side != 0) continue;
            counts_[at(k)] = size / side;
            go(k + 1, left / side);
        }
    }

    const grid::Neighborhood& neighborhood_;
    std::span<const std::int64_t> weights_;
    int effort_;
    std::vector<std::int64_t> points_after_;
    std::vector<int> counts_;
    std::vector<int> best_; // counts of the best box
    std::int64_t least_ = 0;
    int tried_ = 0;
};

} // namespace

NodeOfPoint on_boxes(const grid::Grid& grid, const std::vector<int>& box)
{
    NodeOfPoint result(at(grid.points()));
    for (int point = 0; point < grid.points(); ++point) {
        int node = 0;
        for (int k = 0; k < grid.dimensions(); ++k)
            node = node * (grid.size(k) / box[at(k)]) + grid.coordinate(point, k) / box[at(k)];
        result[at(point)] = node;
    }
    return result;
}

int begin_of(int size, int count, int i) { return i * (size / count) + std::min(i, size % count); }

std::int64_t points_with_target(const grid::Grid& grid, int k, int step)
{
    const std::int64_t size = grid.size(k);
    return grid.periodic(k) ? size : std::max<std::int64_t>(0, size - std::abs(std::int64_t{step}));
}

std::int64_t points_with_target_near(const grid::Grid& grid, int k, int count, int step)
{
    if (count == 1) return points_with_target(grid, k, step);
    // Each interval is at most half a ring, rounded up; each representative at most half a ring, rounded
    // down.  So the other way around the ring, which is no shorter, leads to another interval.
    const std::int64_t length = grid.size(k) / count;
    const std::int64_t longer = grid.size(k) % count;
    const std::int64_t way = std::abs(std::int64_t{step});
    return longer * std::max<std::int64_t>(0, length + 1 - way) +
           (count - longer) * std::max<std::int64_t>(0, length - way);
}

std::int64_t cut_of_boxes(const grid::Neighborhood& neighborhood, std::span<const std::int64_t> weights,
                          std::span<const int> counts)
{
    std::int64_t result = 0;
    for (int i = 0; i < neighborhood.size(); ++i) {
        std::int64_t all = 1;
        std::int64_t kept = 1;
        for (int k = 0; k < neighborhood.dimensions(); ++k) {
            all *= points_with_target(neighborhood.grid, k, neighborhood.offsets(i, k));
            kept *= points_with_target_near(neighborhood.grid, k, counts[at(k)], neighborhood.offsets(i, k));
        }
        result += weight_of(weights, i) * (all - kept);
    }
    return result;
}

std::optional<std::vector<int>> best_box(const grid::Neighborhood& neighborhood,
                                         std::span<const std::int64_t> weights, int volume, int effort)
{
    return BoxSearch(neighborhood, weights, effort).run(volume);
}

} // namespace ortho::placement
