// SPDX-License-Identifier: BSD-3-Clause
// A logarithmic scale of a chart.
#pragma once

#include <cmath>

namespace plan {

/// Numbers from `least` to `most`, both positive, between two places on the page.
class LogScale {
public:
    LogScale(double least, double most, double from, double to)
        : least_(std::log(least)),
          most_(std::log(most)),
          from_(from),
          to_(to)
    {}

    double operator()(double number) const
    {
        return from_ + (to_ - from_) * (std::log(number) - least_) / (most_ - least_);
    }
    double least() const { return std::exp(least_); }
    double most() const { return std::exp(most_); }
    double from() const { return from_; }
    double to() const { return to_; }
    bool holds(double number) const
    {
        constexpr double rounding = 1e-9;
        return std::log(number) >= least_ - rounding && std::log(number) <= most_ + rounding;
    }

private:
    double least_;
    double most_;
    double from_;
    double to_;
};

} // namespace plan
