// SPDX-License-Identifier: BSD-3-Clause
// Numbering what offsets have in common.  No MPI in this file.

#include "algorithm/tuples.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

namespace ortho::algorithm {

Tuples number_tuples(const grid::Stencil& offsets, std::span<const int> dimensions)
{
    const auto compare = [&](int a, int b) {
        for (const int k : dimensions) {
            const auto order = offsets(a, k) <=> offsets(b, k);
            if (order != 0) return order;
        }
        return std::strong_ordering::equal;
    };
    const auto is_zero = [&](int i) {
        return std::ranges::all_of(dimensions, [&](int k) { return offsets(i, k) == 0; });
    };

    Tuples result;
    std::vector<int> order(static_cast<std::size_t>(offsets.size()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) { return compare(a, b) < 0; });
    result.number.resize(order.size());
    for (std::size_t position = 0; position < order.size(); ++position) {
        const int i = order[position];
        if (position == 0 || compare(order[position - 1], i) != 0) {
            if (is_zero(i)) result.zero = result.distinct;
            ++result.distinct;
        }
        result.number[static_cast<std::size_t>(i)] = result.distinct - 1;
    }
    return result;
}

} // namespace ortho::algorithm
