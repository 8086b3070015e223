// SPDX-License-Identifier: BSD-3-Clause
// Data that lies in its sender's arena.  No MPI in this file.

#include "transport/single_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "shm/arena.hpp"

namespace ortho::transport {

namespace {

using grid::StridedBox;

/// A copy less is worth waiting for where it takes longer than a turn of another process; below, and where
/// directions would be as long as what they lead to, data goes through the ring.
constexpr std::size_t least_bytes = 8192;
constexpr std::size_t least_bytes_a_part = 1024;
/// Directions always go in one piece.
constexpr std::size_t most_parts = 512;

constexpr std::size_t most_axes = 4;

/// A box in a row.
struct Direction {
    std::uint64_t offset; ///< in the arena
    std::int64_t run;
    std::uint64_t axes;
    StridedBox::Axis axis[most_axes];
};

std::int64_t number(const std::byte* address)
{
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

const std::byte* pointer(std::int64_t address)
{
    return reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(address));
}

std::int64_t last_byte(const StridedBox& box)
{
    std::int64_t last = box.address + box.run - 1;
    for (const auto& axis : box.axes) last += (axis.count - 1) * axis.stride;
    return last;
}

std::size_t number_of(const Parts& parts) { return std::max(parts.pieces.size(), parts.boxes.size()); }

} // namespace

bool may_be_read_where_it_lies(const Parts& parts, std::size_t bytes)
{
    if (bytes < least_bytes || number_of(parts) == 0 || number_of(parts) > most_parts ||
        bytes < number_of(parts) * least_bytes_a_part)
        return false;
    const shared::Arena* const arena = shared::Arena::mine();
    if (arena == nullptr) return false;
    return std::ranges::all_of(parts.pieces,
                               [&](const Piece& piece) {
                                   return arena->contains(piece.address) &&
                                          arena->contains(piece.address + piece.bytes - 1);
                               }) &&
           std::ranges::all_of(parts.boxes, [&](const StridedBox& box) {
               return box.is_empty() ||
                      (box.axes.size() <= most_axes && arena->contains(pointer(box.address)) &&
                       arena->contains(pointer(last_byte(box))));
           });
}

std::size_t bytes_of_directions(const Parts& parts) { return number_of(parts) * sizeof(Direction); }

void write_directions(const Parts& parts, std::byte* row)
{
    const shared::Arena& arena = *shared::Arena::mine();
    const auto write = [&](const std::byte* address, std::int64_t run,
                           const std::vector<StridedBox::Axis>& axes) {
        Direction direction{arena.offset_of(address), run, axes.size(), {}};
        std::ranges::copy(axes, direction.axis);
        std::memcpy(row, &direction, sizeof direction);
        row += sizeof direction;
    };
    for (const Piece& piece : parts.pieces) write(piece.address, static_cast<std::int64_t>(piece.bytes), {});
    for (const StridedBox& box : parts.boxes) {
        if (box.is_empty())
            write(arena.base(), 0, {});
        else
            write(pointer(box.address), box.run, box.axes);
    }
}

std::size_t follow_directions(const std::byte* row, std::size_t bytes, std::byte* arena, const Parts& to)
{
    std::vector<StridedBox> boxes;
    std::size_t length = 0;
    for (std::size_t i = 0; i < bytes / sizeof(Direction); ++i) {
        Direction direction{};
        std::memcpy(&direction, row + i * sizeof direction, sizeof direction);
        StridedBox box{number(arena + direction.offset),
                       {direction.axis, direction.axis + direction.axes},
                       direction.run};
        auto its_bytes = static_cast<std::size_t>(box.run);
        for (const auto& axis : box.axes) its_bytes *= static_cast<std::size_t>(axis.count);
        length += its_bytes;
        if (its_bytes > 0) boxes.push_back(std::move(box));
    }
    copy(boxes, to);
    return length;
}

} // namespace ortho::transport
