// SPDX-License-Identifier: BSD-3-Clause
// The order in which blocks cross the dimensions.  No MPI in this file.

#include "algorithm/dimension_order.hpp"

#include <algorithm>
#include <cstddef>

namespace ortho::algorithm {

Groups one_by_one(int dimensions)
{
    Groups result;
    for (int k = 0; k < dimensions; ++k) result.push_back({k});
    return result;
}

Groups by_distinct_coordinates(const grid::Stencil& offsets)
{
    const int d = offsets.dimensions();
    std::vector<std::ptrdiff_t> distinct(static_cast<std::size_t>(d));
    for (int k = 0; k < d; ++k) {
        std::vector<int> seen;
        for (int i = 0; i < offsets.size(); ++i)
            if (offsets(i, k) != 0) seen.push_back(offsets(i, k));
        std::ranges::sort(seen);
        distinct[static_cast<std::size_t>(k)] = std::ranges::unique(seen).begin() - seen.begin();
    }
    Groups result = one_by_one(d);
    std::ranges::stable_sort(result, {}, [&](const std::vector<int>& group) {
        return distinct[static_cast<std::size_t>(group.front())];
    });
    return result;
}

} // namespace ortho::algorithm
