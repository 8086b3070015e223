// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms do on a stencil, counted.  No MPI in this file.

#include "planner/counts.hpp"

#include <algorithm>

#include "planner/machine.hpp"

namespace ortho::planner {

Counts::Counts(const grid::Neighborhood& neighborhood) : neighborhood_(neighborhood)
{
    const grid::Stencil& offsets = neighborhood_.offsets;
    for (int i = 0; i < offsets.size(); ++i) {
        if (offsets.nonzeros(i) == 0) continue;
        ++blocks_;
        if (i == 0 || grid::compare(offsets[i], offsets[i - 1]) != 0) ++partners_;
    }
}

std::int64_t Counts::bytes_that_leave(std::span<const std::int64_t> sizes) const
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (neighborhood_.offsets.nonzeros(static_cast<int>(i)) > 0) sum = times_plus(1, sizes[i], sum);
    return sum;
}

std::int64_t Counts::bytes_along(const algorithm::Groups& groups, std::span<const std::int64_t> sizes) const
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto offset = neighborhood_.offsets[static_cast<int>(i)];
        const auto moves = [&](int k) { return offset[static_cast<std::size_t>(k)] != 0; };
        const auto hops = std::ranges::count_if(
            groups, [&](const std::vector<int>& group) { return std::ranges::any_of(group, moves); });
        sum = times_plus(sizes[i], hops, sum);
    }
    return sum;
}

const Crossings& Counts::crossings(Collective collective) const
{
    const auto found = crossings_.find(collective);
    if (found != crossings_.end()) return found->second;
    return crossings_.try_emplace(collective, neighborhood_, collective).first->second;
}

} // namespace ortho::planner
