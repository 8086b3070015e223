// SPDX-License-Identifier: BSD-3-Clause
// Data that its receiver copies from where it lies, once.  No MPI in this file.

#include "nodequeue/single_copy.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "nodequeue/arena.hpp"

namespace ortho::nodequeue {

namespace {

using grid::StridedBox;

/// A copy less is worth waiting for where it takes longer than a turn of another process; below, and where
/// descriptors would be as long as what they tell of, data goes through the ring.
constexpr std::size_t least_mapped_bytes = 8192;
constexpr std::size_t least_mapped_bytes_a_part = 1024;
/// The system takes some time for each page.
constexpr std::size_t least_remote_bytes_a_run = 2048;
/// Descriptors always go in one piece.
constexpr std::size_t most_parts = 512;

constexpr std::size_t most_axes = 4;

/// A box in a row.
struct Descriptor {
    std::uint64_t address; ///< in the arena, or in the process
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

std::size_t number_of(const transport::Parts& parts)
{
    return std::max(parts.pieces.size(), parts.boxes.size());
}

bool lies_in_arena(const transport::Parts& parts)
{
    const Arena* const arena = Arena::mine();
    if (arena == nullptr) return false;
    return std::ranges::all_of(parts.pieces,
                               [&](const transport::Piece& piece) {
                                   return arena->contains(piece.address) &&
                                          arena->contains(piece.address + piece.bytes - 1);
                               }) &&
           std::ranges::all_of(parts.boxes, [&](const StridedBox& box) {
               return box.is_empty() ||
                      (arena->contains(pointer(box.address)) && arena->contains(pointer(last_byte(box))));
           });
}

} // namespace

Access access_to(const transport::Parts& parts, std::size_t bytes, std::size_t least_remote)
{
    if (bytes < std::min(least_mapped_bytes, least_remote) || number_of(parts) == 0 ||
        number_of(parts) > most_parts ||
        !std::ranges::all_of(parts.boxes, [](const StridedBox& box) { return box.axes.size() <= most_axes; }))
        return Access::none;
    if (bytes >= least_mapped_bytes && bytes >= number_of(parts) * least_mapped_bytes_a_part &&
        lies_in_arena(parts))
        return Access::mapped;
    if (bytes >= least_remote && bytes >= parts.runs() * least_remote_bytes_a_run) return Access::remote;
    return Access::none;
}

bool are_too_fine_to_read(const transport::Parts& parts, std::size_t bytes)
{
    return bytes < parts.runs() * least_remote_bytes_a_run / 4;
}

std::size_t bytes_of_descriptors(const transport::Parts& parts)
{
    return number_of(parts) * sizeof(Descriptor);
}

void write_descriptors(const transport::Parts& parts, Access access, std::byte* row)
{
    const std::int64_t begin = access == Access::mapped ? number(Arena::mine()->base()) : 0;
    const auto write = [&](std::int64_t address, std::int64_t run,
                           const std::vector<StridedBox::Axis>& axes) {
        Descriptor descriptor{static_cast<std::uint64_t>(address - begin), run, axes.size(), {}};
        std::ranges::copy(axes, descriptor.axis);
        std::memcpy(row, &descriptor, sizeof descriptor);
        row += sizeof descriptor;
    };
    for (const transport::Piece& piece : parts.pieces)
        write(number(piece.address), static_cast<std::int64_t>(piece.bytes), {});
    for (const StridedBox& box : parts.boxes) {
        if (box.is_empty())
            write(begin, 0, {});
        else
            write(box.address, box.run, box.axes);
    }
}

RemoteData::RemoteData(const std::byte* row, std::size_t bytes, std::uintptr_t begin)
{
    for (std::size_t i = 0; i < bytes / sizeof(Descriptor); ++i) {
        Descriptor descriptor{};
        std::memcpy(&descriptor, row + i * sizeof descriptor, sizeof descriptor);
        StridedBox box{static_cast<std::int64_t>(begin + descriptor.address),
                       {descriptor.axis, descriptor.axis + descriptor.axes},
                       descriptor.run};
        const std::size_t its_bytes = box.bytes();
        bytes_ += its_bytes;
        if (its_bytes > 0) boxes_.push_back(std::move(box));
    }
}

bool RemoteData::read_to(const transport::Parts& to, std::int64_t process) const
{
    return base::read_peer(process, transport::runs_of(boxes_), runs_of(to));
}

} // namespace ortho::nodequeue
