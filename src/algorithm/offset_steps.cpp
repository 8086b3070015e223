// SPDX-License-Identifier: BSD-3-Clause
// The order in which offsets cross the dimensions, and the steps that they are made of.  No MPI in this file.

#include "algorithm/offset_steps.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/index.hpp"

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

namespace {

using Values = std::set<std::int64_t>;

/// A way to write coordinates in digits.
struct Writing {
    std::int64_t low = 0;                        // on a ring coordinates are counted from this one
    std::vector<std::int64_t> radices = {};      // those of all digits but the last one, which is the rest
    int steps = std::numeric_limits<int>::max(); // distinct ones
    int unevenness = 0;                          // sum of the squares of those of each digit

    bool operator<(const Writing& other) const
    {
        return std::pair(steps, unevenness) < std::pair(other.steps, other.unevenness);
    }
};

/// Takes the lowest digit off a value; it has the value's sign.
std::int64_t take_digit(std::int64_t radix, std::int64_t& value)
{
    const std::int64_t digit = value % radix;
    value /= radix;
    return digit;
}

/// The coordinates that occur in a dimension.
class Coordinates {
public:
    Coordinates(const grid::Neighborhood& neighborhood, int k) : grid_(neighborhood.grid), k_(k), all_{0}
    {
        for (int i = 0; i < neighborhood.size(); ++i) all_.insert(neighborhood.offsets(i, k));
    }

    /// Steps that cross the dimension at once.
    int steps() const { return static_cast<int>(all_.size()) - 1; }

    /// The way with the fewest steps; of such, with as many of each digit as of others.
    Writing write(int digits) const
    {
        Writing best;
        for (const std::int64_t low : {*all_.begin(), std::int64_t{0}}) {
            const Writing trial{low, {}, 0};
            Values values;
            for (const std::int64_t n : all_) values.insert(start(trial, n));
            int tries = most_tries;
            search(values, start(trial, 0), digits, 1, trial, best, tries);
        }
        return best;
    }

    /// So many digits, or fewer that take no more steps.
    int fewest_digits(int digits) const
    {
        const int fewest = write(digits).steps;
        if (fewest >= steps()) return 1;
        while (write(digits - 1).steps <= fewest) --digits;
        return digits;
    }

    /// The steps of a coordinate: the differences between its digits and those of 0.
    void write(const Writing& writing, int coordinate, std::span<int> steps) const
    {
        std::int64_t rest = start(writing, coordinate);
        std::int64_t zero = start(writing, 0);
        std::int64_t weight = 1;
        for (std::size_t l = 0; l < steps.size(); ++l) {
            if (l < writing.radices.size()) {
                const std::int64_t radix = writing.radices[l];
                steps[l] = step(take_digit(radix, rest) - take_digit(radix, zero), weight);
                weight *= radix;
            } else {
                steps[l] = step(std::exchange(rest, 0) - std::exchange(zero, 0), weight);
            }
        }
    }

private:
    /// The number that is written in digits.  On a ring it is not negative.
    std::int64_t start(const Writing& writing, std::int64_t n) const
    {
        return grid_.periodic(k_) ? grid_.wrap(k_, n - writing.low) : n;
    }
    int step(std::int64_t digit, std::int64_t weight) const
    {
        return static_cast<int>(grid_.representative(k_, digit * weight));
    }
    int count_steps(const Values& digits, std::int64_t zero, std::int64_t weight) const
    {
        std::set<int> distinct;
        for (const std::int64_t digit : digits) distinct.insert(step(digit - zero, weight));
        return static_cast<int>(distinct.size()) - 1; // 0 is none
    }

    /// Goes through the radices of the digits that are left.  `zero`: what is left of 0.
    void search(const Values& values, std::int64_t zero, int left, std::int64_t weight, const Writing& trial,
                Writing& best, int& tries) const
    {
        const auto with = [&](int steps) {
            return Writing{trial.low, trial.radices, trial.steps + steps, trial.unevenness + steps * steps};
        };
        if (left == 1 || values.size() == 1) {
            best = std::min(best, with(count_steps(values, zero, weight)));
            return;
        }
        const std::int64_t root = even_radix(values, left);
        // In a row of coordinates the order of the radices makes no difference.
        const std::int64_t most = trial.radices.empty() ? 2 * root : std::min(2 * root, trial.radices.back());
        const bool are_many = values.size() > many_values;
        for (std::int64_t radix = are_many ? std::min(root, most) : 2; radix <= most && tries > 0; ++radix) {
            --tries;
            Values digits;
            Values rests;
            for (std::int64_t value : values) {
                digits.insert(take_digit(radix, value));
                rests.insert(value);
            }
            std::int64_t zero_left = zero;
            Writing next = with(count_steps(digits, take_digit(radix, zero_left), weight));
            // k steps of one digit, or none of them, reach k + 1 values.
            if (next.steps + static_cast<int>(std::bit_width(rests.size() - 1)) > best.steps) continue;
            next.radices.push_back(radix);
            search(rests, zero_left, left - 1, weight * radix, next, best, tries);
            if (are_many) break;
        }
    }

    /// The even radix for so many digits; where few values lie far apart, no more than these values need.
    static std::int64_t even_radix(const Values& values, int digits)
    {
        const std::int64_t width = *values.rbegin() - *values.begin() + 1;
        std::int64_t root = 2;
        const auto reached = [&] {
            std::int64_t result = 1;
            for (int l = 0; l < digits; ++l) result = base::times_plus(result, root, 0);
            return result;
        };
        while (root < std::ssize(values) && reached() < width) ++root;
        return root;
    }

    // With more values only the even radix is tried.
    static constexpr std::size_t many_values = 64;
    static constexpr int most_tries = 1000;

    const grid::Grid& grid_;
    int k_;
    Values all_; // and 0
};

int digits_of(int values, int radix)
{
    int digits = 1;
    for (std::int64_t reached = radix; reached < values; reached *= radix) ++digits;
    return digits;
}

} // namespace

OffsetSteps::OffsetSteps(const grid::Neighborhood& neighborhood, const Groups& groups)
{
    std::vector<std::vector<int>> columns_of(at(neighborhood.dimensions()));
    for (const std::vector<int>& group : groups) {
        auto& its = columns.emplace_back();
        for (const int k : group) {
            its.push_back(static_cast<int>(dimension.size()));
            columns_of[at(k)].push_back(its.back());
            dimension.push_back(k);
        }
    }
    const std::size_t width = dimension.size();
    std::vector<int> flat(at(neighborhood.size()) * width);
    for (int k = 0; k < neighborhood.dimensions(); ++k) {
        const std::vector<int>& its = columns_of[at(k)];
        const auto put = [&](int i, std::size_t l, int step) { flat[at(i) * width + at(its[l])] = step; };
        if (its.size() == 1)
            for (int i = 0; i < neighborhood.size(); ++i) put(i, 0, neighborhood.offsets(i, k));
        if (its.size() < 2) continue;
        const Coordinates coordinates(neighborhood, k);
        const Writing writing = coordinates.write(static_cast<int>(its.size()));
        std::vector<int> written(its.size());
        for (int i = 0; i < neighborhood.size(); ++i) {
            coordinates.write(writing, neighborhood.offsets(i, k), written);
            for (std::size_t l = 0; l < its.size(); ++l) put(i, l, written[l]);
        }
    }
    steps = grid::Stencil(static_cast<int>(width));
    steps.reserve(neighborhood.size());
    for (int i = 0; i < neighborhood.size(); ++i)
        steps.push_back(std::span(flat).subspan(at(i) * width, width));
}

std::vector<Groups> splits(const grid::Neighborhood& neighborhood)
{
    std::vector<Coordinates> coordinates;
    for (int k = 0; k < neighborhood.dimensions(); ++k) coordinates.emplace_back(neighborhood, k);
    std::vector<Groups> result;
    for (const int radix : {2, 3, 4, 8}) {
        Groups crossed;
        for (int k = 0; k < neighborhood.dimensions(); ++k) {
            const Coordinates& its = coordinates[at(k)];
            const int digits = its.fewest_digits(digits_of(its.steps() + 1, radix));
            crossed.insert(crossed.end(), at(digits), std::vector{k});
        }
        if (std::ssize(crossed) > neighborhood.dimensions() &&
            std::ranges::find(result, crossed) == result.end())
            result.push_back(std::move(crossed));
    }
    return result;
}

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
