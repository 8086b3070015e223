// SPDX-License-Identifier: BSD-3-Clause
// Numbers as products.  No MPI in this file.
#pragma once

#include <cstdint>
#include <vector>

namespace ortho::base {

/// The prime factors of a positive number, in increasing order, each as often as it divides the number.
std::vector<int> prime_factors(std::int64_t number);

/// The divisors of a positive number, in increasing order.
std::vector<int> divisors(std::int64_t number);

} // namespace ortho::base
