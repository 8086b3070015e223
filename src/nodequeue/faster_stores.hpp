// SPDX-License-Identifier: BSD-3-Clause
// Which stores put rows into a ring faster: usual ones, or stores past the caches.  No MPI in this file.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "nodequeue/copy_choices.hpp"

namespace ortho::nodequeue {

/// Which stores are faster depends on how far the reader's core is (doc/transports.md).  So both kinds are
/// timed, some rows each, from time to time.
template <class Clock>
class FasterStoresBy {
public:
    /// Smaller rows take usual stores.
    static constexpr std::size_t least_bytes = 2 << 10;

    /// `round`: after so many bytes all lines of the ring have been written again.
    explicit FasterStoresBy(std::size_t round = 0) : round_(static_cast<std::uint32_t>(round)) {}

    /// The next row has so many bytes: are stores past the caches faster?
    bool begin(std::size_t bytes)
    {
        const bool was_tried = std::exchange(is_tried_, false);
        is_timed_ = false;
        if (bytes < least_bytes) return is_past_ = false;
        if (bytes_ >= kept_rounds * round_ && rows_ == all_timed) *this = FasterStoresBy(round_);
        is_past_ = rows_ == all_timed ? is_past_faster() : rows_ >= timed;
        is_tried_ = rows_ < all_timed && bytes_ >= round_;
        is_timed_ = is_tried_ && was_tried; // no line of it was prefetched
        bytes_ += static_cast<std::uint32_t>(bytes);
        if (is_timed_) begin_ = Clock::now();
        return is_past_;
    }
    /// The row is there.
    void end(std::size_t bytes)
    {
        if (!is_timed_) return;
        const std::chrono::duration<float> time = Clock::now() - begin_;
        float& least = seconds_a_byte_[is_past_ ? 1 : 0];
        least = std::min(least, time.count() / static_cast<float>(bytes));
        if (++rows_ < all_timed) return;
        CopyChoices& choices = CopyChoices::mine();
        ++(is_past_faster() ? choices.stores_past_caches : choices.usual_stores);
    }
    /// Is it known which stores are faster for rows of so many bytes?
    bool is_settled(std::size_t bytes) const { return bytes < least_bytes || rows_ == all_timed; }
    /// Are the lines of the next row to be got now, like those of the last one?  That would hide in trials
    /// what usual stores take.
    bool may_prefetch() const { return !is_past_ && !is_tried_; }

private:
    static constexpr std::size_t timed = 4; ///< rows of each kind
    static constexpr std::size_t all_timed = 2 * timed;
    static constexpr std::size_t kept_rounds = 200;
    /// The reader pays for stores past the caches, too, and its time is not measured.  On an EPYC usual
    /// stores take 2 to 3 times as long as those past the caches between cores that share a cache, and 7 to
    /// 16 times as long between others.
    static constexpr float enough = 4;

    bool is_past_faster() const { return enough * seconds_a_byte_[1] < seconds_a_byte_[0]; }

    std::uint32_t round_;
    std::uint32_t bytes_ = 0;
    std::uint8_t rows_ = 0; ///< that were timed
    bool is_past_ = false;
    bool is_tried_ = false;
    bool is_timed_ = false;
    typename Clock::time_point begin_{};
    std::array<float, 2> seconds_a_byte_{std::numeric_limits<float>::max(),
                                         std::numeric_limits<float>::max()};
};

using FasterStores = FasterStoresBy<std::chrono::steady_clock>;

} // namespace ortho::nodequeue
