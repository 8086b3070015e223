// SPDX-License-Identifier: BSD-3-Clause
// Sums and products that do not overflow.  No MPI in this file.
#pragma once

#include <cstdint>
#include <limits>

namespace ortho::base {

/// a * b + c of numbers that are not negative; the largest number if the result is too large.
inline std::int64_t times_plus(std::int64_t a, std::int64_t b, std::int64_t c)
{
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result))
        return std::numeric_limits<std::int64_t>::max();
    return result;
}

} // namespace ortho::base
