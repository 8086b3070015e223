// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of whole numbers.  No MPI in this file.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace ortho::base {

/// a * b + c of numbers that are not negative; the largest number if the result is too large.
inline std::int64_t times_plus(std::int64_t a, std::int64_t b, std::int64_t c)
{
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result))
        return std::numeric_limits<std::int64_t>::max();
    return result;
}

/// a / b, rounded up.  `a` is not negative, `b` is positive.
template <class T>
constexpr T divided_up(T a, std::type_identity_t<T> b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

/// The smallest multiple of `unit` that is not less than `a`.
template <class T>
constexpr T rounded_up(T a, std::type_identity_t<T> unit)
{
    return divided_up(a, unit) * unit;
}

/// The prime factors of a positive number, in increasing order, each as often as it divides the number.
std::vector<int> prime_factors(std::int64_t number);

/// The divisors of a positive number, in increasing order.
std::vector<int> divisors(std::int64_t number);

} // namespace ortho::base
