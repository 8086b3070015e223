// SPDX-License-Identifier: BSD-3-Clause
// Which of two ways is faster for messages that come again and again: two copies, or one that the receiver
// makes of its sender's memory.  No MPI in this file.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "nodequeue/copy_choices.hpp"

namespace ortho::nodequeue {

/// Tries both ways, some times each, goes the faster one for many times, and tries both again: what a program
/// does between two calls may change, and with it what lies in which cache.  The least time of a way counts,
/// because a partner may be late.  The clock is asked during trials alone.
template <class Clock>
class FasterWayBy {
public:
    enum class Way { two_copies, one_copy };

    /// Begins once more: the way to go.  `is_settled`: two copies will take as long as they do now.
    Way begin(bool is_settled = true)
    {
        if (is_timed_) times_of(way_).keep_period(Clock::now() - begin_);
        if (count_ == all_trials) choose();
        if (count_ == all_trials + kept) *this = FasterWayBy();
        const bool waits = !is_settled && count_ == two_untimed && waited_ < most_waits;
        const std::size_t number = waits ? count_ - 1 : count_++;
        waited_ += waits ? 1 : 0;
        is_timed_ = false;
        if (number >= all_trials) return way_;
        way_ = number < two_trials ? Way::two_copies : Way::one_copy;
        is_timed_ = way_ == Way::two_copies ? number >= two_untimed : number >= two_trials + one_untimed;
        if (is_timed_) begin_ = Clock::now();
        return way_;
    }
    /// It is over.
    void end()
    {
        if (is_timed_) times_of(way_).keep_call(Clock::now() - begin_);
    }

private:
    // Two copies go round a ring, and find memory that nobody has read only in the first round; a read finds
    // caches as they were left.
    static constexpr std::size_t two_untimed = 8;
    static constexpr std::size_t one_untimed = 2;
    static constexpr std::size_t timed = 4;
    static constexpr std::size_t two_trials = two_untimed + timed;
    static constexpr std::size_t all_trials = two_trials + one_untimed + timed;
    static constexpr std::size_t kept = 1000;
    static constexpr std::size_t most_waits = 100;

    struct Times {
        typename Clock::duration call = Clock::duration::max();
        typename Clock::duration period =
            Clock::duration::max(); ///< from the begin of one to that of the next
        void keep_call(typename Clock::duration time) { call = std::min(call, time); }
        void keep_period(typename Clock::duration time) { period = std::min(period, time); }
        /// Do calls take most of the time?  Then it shows what they do to the caches of what lies between.
        bool is_short() const { return period / 4 < call; }
    };
    Times& times_of(Way way) { return times_[way == Way::two_copies ? 0 : 1]; }
    /// By more than chance: each end decides alone, and to copy twice one way and once the other way is no
    /// faster than either.
    bool is_one_faster() const
    {
        const auto& [two, one] = times_;
        const bool are_short = two.is_short() && one.is_short();
        return are_short ? one.period < two.period / 8 * 7 : one.call < two.call / 8 * 7;
    }

    void choose()
    {
        CopyChoices& choices = CopyChoices::mine();
        way_ = is_one_faster() ? Way::one_copy : Way::two_copies;
        ++(way_ == Way::one_copy ? choices.one_copy : choices.two_copies);
    }

    std::size_t count_ = 0;
    std::size_t waited_ = 0; // for two copies to be settled
    Way way_ = Way::two_copies;
    bool is_timed_ = false;
    typename Clock::time_point begin_{};
    std::array<Times, 2> times_{};
};

using FasterWay = FasterWayBy<std::chrono::steady_clock>;

} // namespace ortho::nodequeue
