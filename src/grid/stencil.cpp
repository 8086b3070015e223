// SPDX-License-Identifier: BSD-3-Clause
// A list of offsets.  No MPI in this file.

#include "grid/stencil.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ortho::grid {

Stencil::Stencil(int dimensions, std::vector<int> offsets)
    : dimensions_(dimensions),
      size_(static_cast<int>(offsets.size() / static_cast<std::size_t>(dimensions))),
      offsets_(std::move(offsets))
{}

void Stencil::reserve(int offsets) { offsets_.reserve(index(offsets)); }

void Stencil::push_back(std::span<const int> offset)
{
    offsets_.insert(offsets_.end(), offset.begin(), offset.end());
    ++size_;
}

int Stencil::nonzeros(int i) const
{
    return static_cast<int>(std::ranges::count_if((*this)[i], [](int n) { return n != 0; }));
}

std::strong_ordering compare(std::span<const int> a, std::span<const int> b)
{
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

bool has_repeats(const Stencil& sorted)
{
    for (int i = 1; i < sorted.size(); ++i)
        if (compare(sorted[i - 1], sorted[i]) == 0) return true;
    return false;
}

std::vector<int> lexicographic_order(const Stencil& stencil)
{
    std::vector<int> order(static_cast<std::size_t>(stencil.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto is_before = [&](int a, int b) { return compare(stencil[a], stencil[b]) < 0; };
    // Many programs list them so.
    if (!std::ranges::is_sorted(order, is_before)) std::ranges::stable_sort(order, is_before);
    return order;
}

} // namespace ortho::grid
