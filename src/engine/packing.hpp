// SPDX-License-Identifier: BSD-3-Clause
// Small pieces of a message, gathered and spread by us.  No MPI in this file.
#pragma once

#include <cstddef>
#include <span>

namespace ortho::engine {

struct Piece {
    std::byte* address;
    std::size_t bytes;
};

/// Where pieces are so small on average, to copy them costs less than to have MPI walk through a derived
/// datatype, which takes some 10 to 50 ns a piece at either end, but copies once less.
constexpr std::size_t packed_bytes_a_piece = 512;

void gather(std::span<const Piece> pieces, std::byte* row);
void spread(const std::byte* row, std::span<const Piece> pieces);

} // namespace ortho::engine
