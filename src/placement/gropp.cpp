// SPDX-License-Identifier: BSD-3-Clause
// Gropp's distribution of a node's processes over a grid.  No MPI in this file.

#include "placement/gropp.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "placement/boxes.hpp"

namespace ortho::placement {

std::optional<std::vector<int>> gropp_box(const grid::Grid& grid, int node_size)
{
    const int d = grid.dimensions();
    std::vector<int> box(at(d), 1);
    std::vector<int> factors = base::prime_factors(node_size);
    std::ranges::reverse(factors);
    for (const int factor : factors) {
        int best = -1;
        const auto left = [&](int k) { return grid.size(k) / box[at(k)]; };
        for (int k = 0; k < d; ++k) {
            if (left(k) % factor != 0) continue;
            if (best == -1 || left(k) > left(best) || (left(k) == left(best) && box[at(k)] < box[at(best)]))
                best = k;
        }
        if (best == -1) return std::nullopt;
        box[at(best)] *= factor;
    }
    return box;
}

std::optional<NodeOfPoint> gropp(const grid::Grid& grid, const grid::Nodes& nodes, std::string* why)
{
    const int size = nodes.size(0);
    const auto no = [&](const std::string& reason) {
        if (why != nullptr) *why = reason;
        return std::nullopt;
    };
    if (std::ranges::any_of(nodes.sizes(), [&](int other) { return other != size; }))
        return no("nodes have different sizes");
    const std::optional<std::vector<int>> box = gropp_box(grid, size);
    if (!box) return no(base::text("the prime factors of ", size, " do not divide the sizes of the grid"));
    return on_boxes(grid, *box);
}

} // namespace ortho::placement
