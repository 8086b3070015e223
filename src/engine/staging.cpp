// SPDX-License-Identifier: BSD-3-Clause
// Blocks in the memory of devices go through host memory.

#include "engine/staging.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "mpi/datatype.hpp"
#include "mpi/strides.hpp"

namespace ortho::engine {

using schedule::Slot;
using transport::DataLocation;

namespace {

std::size_t bytes_in(const grid::StridedBox& box)
{
    auto result = static_cast<std::size_t>(box.run);
    for (const auto& axis : box.axes) result *= static_cast<std::size_t>(axis.count);
    return result;
}

} // namespace

std::unique_ptr<Staging> Staging::of(std::span<const StagedBlock> blocks)
{
    if (!memory::any_driver()) return nullptr;
    auto result = std::make_unique<Staging>();
    for (const StagedBlock& block : blocks) result->add(block);
    if (result->parts_.empty()) return nullptr;
    for (Part& part : result->parts_) {
        part.transfer = part.home.kind->transfer(part.home.device, part.read, part.written);
        result->bytes_ += part.read_bytes + part.written_bytes;
    }
    result->make_images();
    return result;
}

void Staging::add(const StagedBlock& block)
{
    const auto& [address, count, type] = block.place;
    if (count == 0) return;
    const mpi::Span span = mpi::span_of(mpi::measure(type), count);
    const auto begin = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(span.begin);
    const auto end = begin + static_cast<std::uintptr_t>(span.end - span.begin);
    if (begin == end) return;
    const memory::Home home = memory::home_of(reinterpret_cast<const void*>(begin));
    if (!home) return;
    const std::size_t number = part_of(home);
    Part& part = parts_[number];
    mpi::DataBoxes data = mpi::boxes_of(address, count, type);
    std::size_t bytes = 0;
    for (const grid::StridedBox& box : data.boxes) bytes += bytes_in(box);
    const std::size_t read_offset = part.read_bytes;
    const std::size_t written_offset = part.written_bytes;
    const auto append = [&](std::vector<grid::StridedBox>& boxes, std::size_t& all_bytes) {
        boxes.insert(boxes.end(), data.boxes.begin(), data.boxes.end());
        all_bytes += bytes;
    };
    if (block.is_read) append(part.read, part.read_bytes);
    if (block.is_written) append(part.written, part.written_bytes);
    if (!block.keeps_shape && data.in_order && block.is_read != block.is_written) {
        rows_[block.slot] = {number, block.is_written, block.is_written ? written_offset : read_offset,
                             bytes};
        return;
    }
    shaped_slots_[block.slot] = begin;
    images_.push_back({begin, end});
    transport::Parts boxes;
    boxes.boxes = std::move(data.boxes);
    shaped_.push_back(
        {number, std::move(boxes), read_offset, written_offset, block.is_read, block.is_written});
}

std::size_t Staging::part_of(const memory::Home& home)
{
    const auto found = std::ranges::find(parts_, home, &Part::home);
    if (found != parts_.end()) return static_cast<std::size_t>(found - parts_.begin());
    parts_.emplace_back(home);
    return parts_.size() - 1;
}

/// Blocks that share bytes lie in one image.
void Staging::make_images()
{
    std::ranges::sort(images_, {}, &Image::begin);
    std::vector<Image> joined;
    for (Image& image : images_)
        if (!joined.empty() && image.begin < joined.back().end)
            joined.back().end = std::max(joined.back().end, image.end);
        else
            joined.push_back(std::move(image));
    images_ = std::move(joined);
    for (Image& image : images_) {
        constexpr std::uintptr_t alignment = 64;
        const std::size_t bytes = image.end - image.begin;
        image.memory = std::make_unique_for_overwrite<std::byte[]>(bytes + alignment);
        bytes_ += bytes;
        const auto first = reinterpret_cast<std::uintptr_t>(image.memory.get());
        // As far from a multiple of the alignment as on the device.
        image.shift = first + (image.begin - first) % alignment - image.begin;
    }
    for (Shaped& block : shaped_)
        for (grid::StridedBox& box : block.boxes.boxes) {
            const auto address = static_cast<std::uintptr_t>(box.address);
            box.address = static_cast<std::int64_t>(address + image_of(address)->shift);
        }
}

const Staging::Image* Staging::image_of(std::uintptr_t address) const
{
    return &*std::prev(std::ranges::upper_bound(images_, address, {}, &Image::begin));
}

DataLocation Staging::place(Slot slot, const DataLocation& place, transport::BoundDatatypes& layouts) const
{
    if (const auto row = rows_.find(slot); row != rows_.end()) {
        const auto& [number, is_written, offset, bytes] = row->second;
        memory::Transfer& transfer = *parts_[number].transfer;
        return layouts.bytes_at((is_written ? transfer.stored() : transfer.fetched()) + offset, bytes);
    }
    const auto found = shaped_slots_.find(slot);
    if (found == shaped_slots_.end()) return place;
    DataLocation moved = place;
    moved.address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place.address) +
                                            image_of(found->second)->shift);
    return moved;
}

void Staging::fetch(void* stream)
{
    for (const Part& part : parts_) part.transfer->fetch(stream);
}

bool Staging::is_fetched()
{
    const bool all = std::ranges::all_of(parts_, [](const Part& part) { return part.transfer->is_done(); });
    if (!all) return false;
    for (const Shaped& block : shaped_)
        if (block.is_read) spread(parts_[block.part].transfer->fetched() + block.read_offset, block.boxes);
    return true;
}

void Staging::fetch_now()
{
    fetch(nullptr);
    for (const Part& part : parts_) part.transfer->wait();
    is_fetched();
}

void Staging::store()
{
    for (const Shaped& block : shaped_)
        if (block.is_written)
            gather(block.boxes, parts_[block.part].transfer->stored() + block.written_offset);
    for (const Part& part : parts_) part.transfer->store();
}

bool Staging::is_stored()
{
    return std::ranges::all_of(parts_, [](const Part& part) { return part.transfer->is_done(); });
}

void Staging::store_now()
{
    store();
    for (const Part& part : parts_) part.transfer->wait();
}

void Staging::precede(void* stream)
{
    for (const Part& part : parts_) part.transfer->precede(stream);
}

} // namespace ortho::engine
