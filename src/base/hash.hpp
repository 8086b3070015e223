// SPDX-License-Identifier: BSD-3-Clause
// One number for a list of numbers.  No MPI in this file.
#pragma once

#include <cstdint>

namespace ortho::base {

/// FNV-1a over the numbers of a list, each taken as a whole; chars count as unsigned.  A list may be hashed
/// in pieces: the hash of one piece is the seed of the next.
template <class List>
std::uint64_t hash_of(const List& list, std::uint64_t seed = 14695981039346656037U)
{
    for (const auto item : list) {
        if constexpr (sizeof item == 1)
            seed ^= static_cast<unsigned char>(item);
        else
            seed ^= static_cast<std::uint64_t>(item);
        seed *= 1099511628211U;
    }
    return seed;
}

} // namespace ortho::base
