// SPDX-License-Identifier: BSD-3-Clause
// A list of offsets.  No MPI in this file.

#include "grid/stencil.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace ortho::grid {

Stencil::Stencil(int dimensions, std::vector<int> offsets)
    : dimensions_(dimensions),
      size_(static_cast<int>(offsets.size() / static_cast<std::size_t>(dimensions))),
      offsets_(std::move(offsets))
{}

Stencil Stencil::in_order(std::span<const int> indices) const
{
    Stencil result(dimensions_);
    result.size_ = static_cast<int>(indices.size());
    result.offsets_.resize(index(result.size_));
    auto next = result.offsets_.begin();
    for (const int i : indices) next = std::ranges::copy((*this)[i], next).out;
    return result;
}

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

bool is_star(const Stencil& stencil)
{
    for (int i = 0; i < stencil.size(); ++i)
        if (stencil.nonzeros(i) > 1) return false;
    return true;
}

Stencil axis_steps(int dimensions)
{
    Stencil result(dimensions);
    std::vector<int> offset(static_cast<std::size_t>(dimensions), 0);
    for (int& step : offset) {
        for (const int sign : {-1, 1}) {
            step = sign;
            result.push_back(offset);
        }
        step = 0;
    }
    return result;
}

bool has_repeats(const Stencil& sorted)
{
    for (int i = 1; i < sorted.size(); ++i)
        if (compare(sorted[i - 1], sorted[i]) == 0) return true;
    return false;
}

namespace {

/// The result of lexicographic_order(), found with one number for each offset; nothing if numbers would be
/// too large.  The stencil has dimensions.
std::optional<std::vector<int>> order_by_numbers(const Stencil& stencil)
{
    struct Range {
        std::int64_t least = std::numeric_limits<int>::max();
        std::int64_t most = std::numeric_limits<int>::min();
        std::int64_t size() const { return most - least + 1; }
    };
    std::vector<Range> ranges(static_cast<std::size_t>(stencil.dimensions()));
    const std::span<const int> flat = stencil.flat();
    for (auto next = flat.begin(); next != flat.end();)
        for (Range& range : ranges) {
            range.least = std::min<std::int64_t>(range.least, *next);
            range.most = std::max<std::int64_t>(range.most, *next++);
        }
    std::int64_t numbers = stencil.size();
    for (const Range& range : ranges)
        if (__builtin_mul_overflow(numbers, range.size(), &numbers)) return std::nullopt;

    // The index is the last digit.
    std::vector<std::int64_t> all;
    all.reserve(static_cast<std::size_t>(stencil.size()));
    for (auto next = flat.begin(); next != flat.end();) {
        std::int64_t number = 0;
        for (const Range& range : ranges) number = number * range.size() + (*next++ - range.least);
        all.push_back(number * stencil.size() + std::ssize(all));
    }
    std::ranges::sort(all);
    std::vector<int> order;
    order.reserve(all.size());
    for (const std::int64_t number : all) order.push_back(static_cast<int>(number % stencil.size()));
    return order;
}

} // namespace

std::vector<int> lexicographic_order(const Stencil& stencil)
{
    std::vector<int> order(static_cast<std::size_t>(stencil.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto is_before = [&](int a, int b) { return compare(stencil[a], stencil[b]) < 0; };
    // The offsets of many programs are sorted.
    if (std::ranges::is_sorted(order, is_before)) return order;
    if (auto by_numbers = order_by_numbers(stencil)) return *std::move(by_numbers);
    std::ranges::stable_sort(order, is_before);
    return order;
}

} // namespace ortho::grid
