// SPDX-License-Identifier: BSD-3-Clause
// Numbers for equal parts of offsets.  No MPI in this file.

#include "algorithm/offset_tuples.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/index.hpp"

namespace ortho::algorithm {

namespace {

using Key = std::uint64_t;

/// Numbers the keys 0, 1, 2, ... in increasing order; equal keys get equal numbers.  All keys are below
/// `end`.  Returns the number of different keys.
int renumber(std::vector<Key>& keys, Key end)
{
    if (end <= 4 * keys.size()) {
        std::vector<char> occurs(end);
        for (const Key key : keys) occurs[key] = 1;
        std::vector<Key> number(end);
        Key next = 0;
        for (Key key = 0; key < end; ++key)
            if (occurs[key] != 0) number[key] = next++;
        for (Key& key : keys) key = number[key];
        return static_cast<int>(next);
    }
    std::vector<Key> distinct = keys;
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    for (Key& key : keys) key = static_cast<Key>(std::ranges::lower_bound(distinct, key) - distinct.begin());
    return static_cast<int>(distinct.size());
}

} // namespace

OffsetTuples number_tuples(const grid::Stencil& offsets, std::span<const int> dimensions)
{
    // The coordinates are digits of a number, as many as fit.
    std::vector<Key> keys(at(offsets.size()));
    Key end = 1;
    for (const int k : dimensions) {
        std::int64_t low = 0;
        std::int64_t high = 0;
        for (int i = 0; i < offsets.size(); ++i) {
            low = std::min<std::int64_t>(low, offsets(i, k));
            high = std::max<std::int64_t>(high, offsets(i, k));
        }
        const Key digits = static_cast<Key>(high - low) + 1;
        if (end > std::numeric_limits<Key>::max() / digits) end = static_cast<Key>(renumber(keys, end));
        for (int i = 0; i < offsets.size(); ++i)
            keys[at(i)] = keys[at(i)] * digits + static_cast<Key>(offsets(i, k) - low);
        end *= digits;
    }
    OffsetTuples result;
    result.distinct = renumber(keys, end);
    result.number.assign(keys.begin(), keys.end());
    const auto is_zero = [&](int i) {
        return std::ranges::all_of(dimensions, [&](int k) { return offsets(i, k) == 0; });
    };
    for (int i = 0; i < offsets.size() && result.zero < 0; ++i)
        if (is_zero(i)) result.zero = result.number[at(i)];
    return result;
}

} // namespace ortho::algorithm
