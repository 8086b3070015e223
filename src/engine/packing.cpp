// SPDX-License-Identifier: BSD-3-Clause
// Small pieces of a message, gathered and spread by us.  No MPI in this file.

#include "engine/packing.hpp"

#include <cstring>

namespace ortho::engine {

namespace {

/// copy(address in the row, piece) for each.  Pieces of one int or double, of which there are most, are
/// copied by one instruction.
template <class Row, class Copy>
void visit(std::span<const Piece> pieces, Row* row, Copy copy)
{
    for (const Piece& piece : pieces) {
        switch (piece.bytes) {
        case 4: copy(row, piece.address, 4); break;
        case 8: copy(row, piece.address, 8); break;
        case 16: copy(row, piece.address, 16); break;
        default: copy(row, piece.address, piece.bytes);
        }
        row += piece.bytes;
    }
}

} // namespace

void gather(std::span<const Piece> pieces, std::byte* row)
{
    visit(pieces, row, [](std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
}

void spread(const std::byte* row, std::span<const Piece> pieces)
{
    visit(pieces, row, [](const std::byte* from, std::byte* to, std::size_t bytes) { std::memcpy(to, from, bytes); });
}

} // namespace ortho::engine
