// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a few measurements.  No MPI here.
#pragma once

#include <span>
#include <vector>

namespace bench {

/// The median of numbers in any order; 0 if there are none.
double median(std::vector<double> numbers);

/// The geometric mean of positive numbers; 1 if there are none.
double geometric_mean(std::span<const double> numbers);

/// A median, and an interval around the true one.
struct Estimate {
    double median = 0;
    double low = 0;
    double high = 0;
    double coverage = 0; ///< the probability that the true median is in [low, high]
};

/// An estimate by order statistics.  The n numbers in order, x_1 ... x_n, enclose the true median between x_k
/// and x_(n+1-k) with probability 1 - 2 P(B < k).  B is binomial with n trials of 1/2.  This holds for any
/// distribution, if the numbers are independent.  k is the largest one whose interval holds at least
/// `wanted`.  With fewer than 6 numbers none holds 0.95, and k = 1 (5 numbers: 0.9375).
Estimate estimate_median(std::vector<double> numbers, double wanted = 0.95);

/// The comparison of our time with two times of MPI's.
struct Verdict {
    double ratio = 0;    ///< MPI's time (the geometric mean of both) / ours
    double control = 0;  ///< MPI's first time / MPI's second
    bool slower = false; ///< the ratio is below 0.97 by more than the control differs from 1
};
Verdict judge(double mpi, double ours, double mpi_again);

/// The ratios numerator[i] / denominator[i].
std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators);

} // namespace bench
