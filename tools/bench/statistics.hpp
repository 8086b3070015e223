// SPDX-License-Identifier: BSD-3-Clause
// What a few measurements say.  No MPI here.
#pragma once

#include <span>
#include <vector>

namespace bench {

/// Of numbers in any order; 0 if there are none.
double median(std::vector<double> numbers);

/// Of positive numbers; 1 if there are none.
double geometric_mean(std::span<const double> numbers);

/// A median, and where the true one lies.
struct Estimate {
    double median = 0;
    double low = 0;
    double high = 0;
    double coverage = 0; ///< the probability that the true median is in [low, high]
};

/// By order statistics: the n numbers in order, x_1 ... x_n, enclose the true median between x_k and
/// x_(n+1-k) with probability 1 - 2 P(B < k), B being binomial with n trials of 1/2, whatever the
/// distribution is, if the numbers are independent.  The largest k whose interval holds at least `wanted`;
/// with fewer than 6 numbers none holds 0.95, and k = 1 (5 numbers: 0.9375).
Estimate estimate_median(std::vector<double> numbers, double wanted = 0.95);

/// Ours between MPI's and MPI's once more.
struct Verdict {
    double ratio = 0;    ///< MPI's time (the geometric mean of both) / ours
    double control = 0;  ///< MPI's first time / MPI's second
    bool slower = false; ///< the ratio is below 0.97 by more than the control is off 1
};
Verdict judge(double mpi, double ours, double mpi_again);

/// numerator[i] / denominator[i].
std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators);

} // namespace bench
