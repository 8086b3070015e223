// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of whole numbers.  No MPI in this file.

#include "base/arithmetic.hpp"

#include <algorithm>

namespace ortho::base {

std::vector<int> prime_factors(std::int64_t number)
{
    std::vector<int> result;
    for (std::int64_t factor = 2; factor * factor <= number; ++factor)
        for (; number % factor == 0; number /= factor) result.push_back(static_cast<int>(factor));
    if (number > 1) result.push_back(static_cast<int>(number));
    return result;
}

std::vector<int> divisors(std::int64_t number)
{
    std::vector<int> result;
    for (std::int64_t low = 1; low * low <= number; ++low) {
        if (number % low != 0) continue;
        result.push_back(static_cast<int>(low));
        if (low * low != number) result.push_back(static_cast<int>(number / low));
    }
    std::ranges::sort(result);
    return result;
}

} // namespace ortho::base
