// SPDX-License-Identifier: BSD-3-Clause
// Is an alltoall on a stencil of unit steps the halo exchange of one array?  doc/algorithms.md says how it is
// found.  No MPI in this file.

#include "grid/halo_detection.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <limits>
#include <numeric>
#include <set>

#include "base/index.hpp"

namespace ortho::grid {

namespace {

constexpr int most_dimensions_searched = 5;
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

/// One dimension of one box.
struct Interval {
    std::int64_t start = 0;
    std::int64_t length = 1;

    std::int64_t end() const { return start + length; }
    auto operator<=>(const Interval&) const = default;
};

/// One dimension of the boxes of one canonical index.
struct Sample {
    const Interval* sent = nullptr;
    const Interval* received = nullptr;
    std::vector<int> sides{}; ///< possible sides of the region: of -1, 0, 1
};

/// The layers of one dimension of an array.
struct Layers {
    std::int64_t first = 0; ///< the first owned one
    std::int64_t owned = none;
    std::int64_t lower = none;
    std::int64_t upper = none;

    Interval received(int side) const
    {
        return side < 0    ? Interval{first - lower, lower}
               : side == 0 ? Interval{first, owned}
                           : Interval{first + owned, upper};
    }
    Interval sent(int side) const
    {
        return side < 0    ? Interval{first + owned - lower, lower}
               : side == 0 ? Interval{first, owned}
                           : Interval{first, upper};
    }
    bool has(int side) const { return (side < 0 ? lower : side == 0 ? owned : upper) != none; }
};

struct Fit {
    Layers layers;
    std::vector<int> sides; ///< by sample
};

/// Finds the only side of each sample; nothing if some sample has none or several.
std::optional<Fit> fit(const Layers& layers, const std::vector<Sample>& samples)
{
    if (layers.owned < std::max({std::int64_t{1}, layers.lower, layers.upper})) return std::nullopt;
    Fit result{layers, {}};
    for (const Sample& sample : samples) {
        int fitting = 0;
        for (const int side : sample.sides) {
            if (!layers.has(side) || (sample.sent != nullptr && *sample.sent != layers.sent(side)) ||
                (sample.received != nullptr && *sample.received != layers.received(side)))
                continue;
            if (++fitting == 1) result.sides.push_back(side);
        }
        if (fitting != 1) return std::nullopt;
    }
    // Ghosts that nobody fills do not exist.
    for (const int side : {-1, 1})
        if (layers.has(side) && std::ranges::find(result.sides, side) == result.sides.end())
            return std::nullopt;
    return result;
}

/// The intervals that must be the first layers, the last ones, and those between, as far as they are known.
struct Known {
    std::optional<Interval> lower, middle, upper; ///< as received
    std::optional<Interval> sent_low, sent_high;  ///< sent from the first layers, and from the last ones
};

/// The layers with these intervals; nothing if the intervals tell too little.
std::optional<Layers> layers_of(const Known& known)
{
    Layers result;
    std::int64_t begin = none;
    std::int64_t end = none;
    if (known.lower) result.lower = known.lower->length;
    if (known.sent_high) result.lower = known.sent_high->length;
    if (known.upper) result.upper = known.upper->length;
    if (known.sent_low) result.upper = known.sent_low->length;
    if (known.lower) begin = known.lower->end();
    if (known.sent_low) begin = known.sent_low->start;
    if (known.upper) end = known.upper->start;
    if (known.sent_high) end = known.sent_high->end();
    if (known.middle) begin = known.middle->start;
    if (known.middle) end = known.middle->end();
    if (begin == none && end == none) return std::nullopt;
    // A process at a border may have one side only: then nobody asks for the rest.
    const std::int64_t enough = std::max({std::int64_t{1}, result.lower, result.upper});
    if (begin == none) begin = end - enough;
    if (end == none) end = begin + enough;
    result.first = begin;
    result.owned = end - begin;
    return result;
}

/// Fits a dimension of memory to one of the grid.
std::optional<Fit> fit(const std::vector<Sample>& samples)
{
    Known known;
    std::set<Interval> received; // on unknown sides
    std::set<Interval> sent;
    std::vector<const Sample*> open;
    for (const Sample& sample : samples) {
        if (sample.sides.size() > 1) {
            open.push_back(&sample);
            if (sample.received != nullptr) received.insert(*sample.received);
            if (sample.sent != nullptr) sent.insert(*sample.sent);
            continue;
        }
        const int side = sample.sides[0];
        if (sample.received != nullptr)
            (side < 0 ? known.lower : side == 0 ? known.middle : known.upper) = *sample.received;
        if (sample.sent != nullptr)
            (side < 0 ? known.sent_high : side == 0 ? known.middle : known.sent_low) = *sample.sent;
    }
    if (open.empty()) {
        const auto layers = layers_of(known);
        return layers ? fit(*layers, samples) : std::nullopt;
    }
    // On periodic dimensions of size 1 and 2, sides are unknown.  The received intervals are, from low to
    // high, some of three.
    if (received.empty() && sent.size() == 1) received = sent; // a process that only sends: owned layers
    if (received.empty() || received.size() > 3) return std::nullopt;
    // Try first the choices that contain the layers between.
    for (const unsigned chosen : {2U, 3U, 6U, 7U, 1U, 4U, 5U}) {
        if (static_cast<std::size_t>(std::popcount(chosen)) != received.size()) continue;
        Known guess = known;
        auto next = received.begin();
        if ((chosen & 1) != 0) guess.lower = *next++;
        if ((chosen & 2) != 0) guess.middle = *next++;
        if ((chosen & 4) != 0) guess.upper = *next++;
        // A process that sends to one side receives from the other one in the same exchange.
        for (const Sample* sample : open) {
            if (sample->sent == nullptr || sample->received == nullptr) continue;
            if (guess.lower == *sample->received) guess.sent_high = *sample->sent;
            if (guess.upper == *sample->received) guess.sent_low = *sample->sent;
        }
        if (const auto layers = layers_of(guess))
            if (auto result = fit(*layers, samples)) return result;
    }
    return std::nullopt;
}

/// The search on one process.
class SearchOfFields {
public:
    SearchOfFields(const Neighborhood& neighborhood, const std::vector<ExchangedBoxes>& boxes)
        : neighborhood_(neighborhood),
          boxes_(boxes)
    {
        for (const ExchangedBoxes& both : boxes)
            for (const auto* box : {&both.sent, &both.received})
                if (*box && !(*box)->is_empty()) all_.push_back(&**box);
    }

    std::optional<FoundArray> run()
    {
        const int d = neighborhood_.dimensions();
        if (all_.empty() || d > most_dimensions_searched || !blocks_agree()) return std::nullopt;
        // Either the innermost dimension has no gaps, or there are equal elements with gaps between them.
        for (const bool has_gaps : {false, true}) {
            element_ = has_gaps ? all_[0]->run : 1;
            if (has_gaps && std::ranges::any_of(all_, [&](const auto* box) { return box->run != element_; }))
                break;
            std::set<std::int64_t, std::greater<>> strides;
            for (const StridedBox* box : all_)
                for (const auto& axis : box->axes) strides.insert(axis.stride);
            if (!has_gaps) strides.insert(1);
            if (auto found = search({strides.begin(), strides.end()})) return found;
            if (static_cast<int>(strides.size()) >= d) continue;
            // A dimension may be one layer thick in each box: then only the places of boxes tell its
            // distance.
            for (const std::int64_t stride : distances()) {
                auto more = strides;
                if (!more.insert(stride).second) continue;
                if (auto found = search({more.begin(), more.end()})) return found;
            }
        }
        return std::nullopt;
    }

private:
    /// For each index both boxes are empty, or neither is.
    bool blocks_agree() const
    {
        return std::ranges::none_of(boxes_, [](const ExchangedBoxes& both) {
            return both.sent && both.received && both.sent->is_empty() != both.received->is_empty();
        });
    }

    /// The distances between a received box and a sent one, the smallest first.
    std::vector<std::int64_t> distances() const
    {
        constexpr std::size_t most = 64;
        std::set<std::int64_t> result;
        for (const ExchangedBoxes& from : boxes_) {
            if (!from.received || from.received->is_empty()) continue;
            for (const ExchangedBoxes& to : boxes_)
                if (to.sent && !to.sent->is_empty() && to.sent->address != from.received->address)
                    result.insert(std::abs(from.received->address - to.sent->address));
        }
        std::vector<std::int64_t> few(result.begin(), result.end());
        few.resize(std::min(few.size(), most));
        return few;
    }

    /// Searches with these distances, outermost first.
    std::optional<FoundArray> search(std::vector<std::int64_t> strides)
    {
        strides_ = std::move(strides);
        if (static_cast<int>(strides_.size()) > neighborhood_.dimensions()) return std::nullopt;
        for (std::size_t a = 1; a < strides_.size(); ++a)
            if (strides_[a - 1] % strides_[a] != 0) return std::nullopt;
        intervals_.assign(strides_.size(), std::vector<Interval>(all_.size()));
        origin_ = (*std::ranges::min_element(all_, {}, [](const auto* box) {
                      return box->address;
                  }))->address;
        std::vector<std::int64_t> distances;
        for (std::size_t b = 0; b < all_.size(); ++b) {
            distances.push_back(all_[b]->address - origin_);
            for (std::size_t a = 0; a < strides_.size(); ++a)
                intervals_[a][b].length = length(*all_[b], strides_[a]);
        }
        return cut(strides_.size(), std::move(distances));
    }

    std::int64_t length(const StridedBox& box, std::int64_t stride) const
    {
        if (stride == 1 && element_ == 1) return box.run;
        const auto found = std::ranges::find(box.axes, stride, &StridedBox::Axis::stride);
        return found == box.axes.end() ? 1 : found->count;
    }

    /// Dimensions of memory from `axis` on have their intervals; `distances` are the rest of the addresses.
    /// The beginning of the next dimension is not known: try each place where no box goes round its end.
    std::optional<FoundArray> cut(std::size_t axis, std::vector<std::int64_t> distances)
    {
        if (axis == 0) {
            const bool nothing_left = std::ranges::all_of(distances,
                                                          [&](std::int64_t n) { return n == distances[0]; });
            return nothing_left ? match() : std::nullopt;
        }
        std::vector<Interval>& intervals = intervals_[axis - 1];
        const std::int64_t stride = strides_[axis - 1];
        const auto remainder = [](std::int64_t n, std::int64_t m) { return (n % m + m) % m; };
        const std::int64_t offset = remainder(distances[0], stride);
        for (const std::int64_t n : distances)
            if (remainder(n, stride) != offset) return std::nullopt;
        if (axis == 1) {
            for (std::size_t b = 0; b < distances.size(); ++b)
                intervals[b].start = (distances[b] - offset) / stride;
            return cut(0, std::vector<std::int64_t>(distances.size(), 0));
        }
        const std::int64_t around = strides_[axis - 2] / stride;
        std::set<std::int64_t> cuts;
        for (const std::int64_t n : distances) cuts.insert(remainder((n - offset) / stride, around));
        for (const std::int64_t first : cuts) {
            std::vector<std::int64_t> left = distances;
            bool fits = true;
            for (std::size_t b = 0; b < distances.size(); ++b) {
                intervals[b].start = remainder((distances[b] - offset) / stride - first, around);
                fits = fits && intervals[b].end() <= around;
                left[b] -= intervals[b].start * stride;
            }
            if (!fits) continue;
            const auto kept = intervals; // the intervals of this cut, while outer dimensions are cut
            if (auto found = cut(axis - 1, std::move(left))) return found;
            intervals = kept;
        }
        return std::nullopt;
    }

    /// All intervals are known.  Which dimension of the grid is which dimension of memory?
    std::optional<FoundArray> match()
    {
        const int d = neighborhood_.dimensions();
        // Dimensions in which no box takes a step come first; no region is beyond them.
        const std::size_t thin = at(d) - strides_.size();
        fits_.assign(at(d), {});
        for (int k = 0; k < d; ++k) {
            for (std::size_t a = 0; a < at(d); ++a) {
                auto found = fit(samples(k, a < thin ? nullptr : &intervals_[a - thin]));
                if (found && a < thin &&
                    std::ranges::any_of(found->sides, [](int side) { return side != 0; }))
                    found.reset();
                fits_[at(k)].push_back(std::move(found));
            }
        }
        std::vector<int> nesting(at(d));
        std::iota(nesting.begin(), nesting.end(), 0);
        if (neighborhood_.grid.order() == Order::col_major) std::ranges::reverse(nesting);
        const bool ascending = neighborhood_.grid.order() == Order::row_major;
        do {
            bool fits = true;
            for (std::size_t a = 0; a < at(d) && fits; ++a) fits = fits_[at(nesting[a])][a].has_value();
            if (!fits) continue;
            if (auto found = describe(nesting)) return found;
        } while (ascending ? std::ranges::next_permutation(nesting).found
                           : std::ranges::prev_permutation(nesting).found);
        return std::nullopt;
    }

    /// The samples for dimension k of the grid if it has these intervals; null stands for a thin dimension.
    std::vector<Sample> samples(int k, const std::vector<Interval>* intervals) const
    {
        static constexpr Interval thin{};
        std::vector<Sample> result;
        std::size_t box = 0;
        for (int i = 0; i < neighborhood_.size(); ++i) {
            const ExchangedBoxes& both = boxes_[at(i)];
            Sample sample;
            const auto next = [&] {
                const Interval* const interval = intervals == nullptr ? &thin : &(*intervals)[box];
                ++box;
                return interval;
            };
            if (both.sent && !both.sent->is_empty()) sample.sent = next();
            if (both.received && !both.received->is_empty()) sample.received = next();
            if (sample.sent == nullptr && sample.received == nullptr) continue;
            // Data that travels by a step fills the region on the side where it comes from.
            for (const int side : {-1, 0, 1})
                if (neighborhood_.grid.representative(k, -side) == neighborhood_.offsets(i, k))
                    sample.sides.push_back(side);
            if (sample.sides.empty()) return {};
            result.push_back(std::move(sample));
        }
        return result;
    }

    std::optional<FoundArray> describe(const std::vector<int>& nesting) const
    {
        const int d = neighborhood_.dimensions();
        const std::size_t thin = at(d) - strides_.size();
        FoundArray found;
        found.address = origin(nesting);
        found.element = element_;
        found.nesting = nesting;
        for (auto* numbers : {&found.lower, &found.upper, &found.owned}) numbers->resize(at(d));
        found.strides.assign(at(d), element_);
        for (std::size_t a = 0; a < at(d); ++a) {
            const std::size_t k = at(nesting[a]);
            const Layers& layers = fits_[k][a]->layers;
            const std::int64_t ghosts = std::max<std::int64_t>(layers.lower, 0) +
                                        std::max<std::int64_t>(layers.upper, 0);
            const std::int64_t all = layers.owned + ghosts;
            // The next outer dimension must take its step behind these layers.
            if (a > thin && strides_[a - thin - 1] / strides_[a - thin] < all) return std::nullopt;
            if (all > INT_MAX) return std::nullopt;
            if (a >= thin) found.strides[k] = strides_[a - thin];
            found.owned[k] = static_cast<int>(layers.owned);
            found.lower[k] = layers.lower == none ? FoundArray::unknown : static_cast<int>(layers.lower);
            found.upper[k] = layers.upper == none ? FoundArray::unknown : static_cast<int>(layers.upper);
        }
        std::set<std::vector<int>> regions;
        std::size_t sample = 0;
        for (const ExchangedBoxes& both : boxes_) {
            if (!both.sent && !both.received) {
                found.regions.emplace_back(std::nullopt);
                continue;
            }
            std::vector<int>& region = *found.regions.emplace_back(std::vector<int>(at(d), 0));
            if ((both.sent ? both.sent : both.received)->is_empty()) continue;
            for (std::size_t a = 0; a < at(d); ++a)
                region[at(nesting[a])] = fits_[at(nesting[a])][a]->sides[sample];
            ++sample;
            const bool is_ghost = std::ranges::any_of(region, [](int side) { return side != 0; });
            if (!is_ghost || !regions.insert(region).second) return std::nullopt;
        }
        return found;
    }

    /// The address of the first owned element, from the place of any box.
    std::int64_t origin(const std::vector<int>& nesting) const
    {
        const std::size_t thin = nesting.size() - strides_.size();
        std::int64_t result = all_[0]->address;
        for (std::size_t a = 0; a < strides_.size(); ++a) {
            const Layers& layers = fits_[at(nesting[a + thin])][a + thin]->layers;
            result += (layers.first - intervals_[a][0].start) * strides_[a];
        }
        return result;
    }

    const Neighborhood& neighborhood_;
    const std::vector<ExchangedBoxes>& boxes_;
    std::vector<const StridedBox*> all_; ///< those that are not empty: by index, the sent one first
    std::int64_t element_ = 1;
    std::vector<std::int64_t> strides_;                 ///< of memory, the largest first
    std::int64_t origin_ = 0;                           ///< the lowest address
    std::vector<std::vector<Interval>> intervals_;      ///< by dimension of memory and box
    std::vector<std::vector<std::optional<Fit>>> fits_; ///< by dimension of the grid and of memory
};

} // namespace

std::optional<FoundArray> find_halo(const Neighborhood& neighborhood,
                                    const std::vector<ExchangedBoxes>& boxes)
{
    return SearchOfFields(neighborhood, boxes).run();
}

} // namespace ortho::grid
