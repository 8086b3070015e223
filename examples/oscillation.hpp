// SPDX-License-Identifier: BSD-3-Clause
// How often a signal swings.  No MPI in this file.
#pragma once

#include <vector>

/// Finds the frequency of a signal about 0 from the times when it rises through 0.
class Oscillation {
public:
    /// The next value; values are a unit of time apart.
    void add(double value)
    {
        if (count_ > 0 && last_ < 0 && value >= 0)
            rises_.push_back(static_cast<double>(count_) - value / (value - last_));
        last_ = value;
        ++count_;
    }
    /// Whole periods since time `from`.
    int periods(double from) const
    {
        int rises = 0;
        for (const double time : rises_) rises += time >= from ? 1 : 0;
        return rises > 0 ? rises - 1 : 0;
    }
    /// Periods in a unit of time, since time `from`; 0 if there is no whole one.
    double frequency(double from) const
    {
        const int n = periods(from);
        return n == 0 ? 0 : n / (rises_.back() - rises_[rises_.size() - 1 - static_cast<std::size_t>(n)]);
    }

private:
    long long count_ = 0;
    double last_ = 0;
    std::vector<double> rises_;
};
