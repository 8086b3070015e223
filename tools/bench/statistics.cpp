// SPDX-License-Identifier: BSD-3-Clause
#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace bench {

double median(std::vector<double> numbers)
{
    if (numbers.empty()) return 0;
    std::ranges::sort(numbers);
    const std::size_t half = numbers.size() / 2;
    return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

double geometric_mean(std::span<const double> numbers)
{
    if (numbers.empty()) return 1;
    double sum = 0;
    for (const double number : numbers) sum += std::log(number);
    return std::exp(sum / static_cast<double>(numbers.size()));
}

Estimate estimate_median(std::vector<double> numbers, double wanted)
{
    if (numbers.empty()) return {};
    std::ranges::sort(numbers);
    const std::size_t n = numbers.size();
    double outcome = std::pow(0.5, static_cast<double>(n)); // P(B = k - 1)
    double tail = outcome;                                  // P(B < k)
    std::size_t k = 1;
    while (2 * (k + 1) <= n) {
        const double next = outcome * static_cast<double>(n - k + 1) / static_cast<double>(k);
        if (1 - 2 * (tail + next) < wanted) break;
        outcome = next;
        tail += next;
        ++k;
    }
    return {median(numbers), numbers[k - 1], numbers[n - k], std::max(0.0, 1 - 2 * tail)};
}

Verdict judge(double mpi, double ours, double mpi_again)
{
    Verdict verdict;
    verdict.ratio = std::sqrt(mpi * mpi_again) / ours;
    verdict.control = mpi / mpi_again;
    verdict.slower = verdict.ratio < 0.97 - (std::max(verdict.control, 1 / verdict.control) - 1);
    return verdict;
}

std::vector<double> ratios(std::span<const double> numerators, std::span<const double> denominators)
{
    std::vector<double> result;
    for (std::size_t i = 0; i < numerators.size() && i < denominators.size(); ++i)
        result.push_back(numerators[i] / denominators[i]);
    return result;
}

} // namespace bench
