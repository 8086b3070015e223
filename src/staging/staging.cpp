// SPDX-License-Identifier: BSD-3-Clause
// Blocks in the memory of devices go through host memory.

#include "staging/staging.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "mpi/datatype.hpp"
#include "mpi/strides.hpp"
#include "nodequeue/arena.hpp"

namespace ortho::staging {

using memory::Reduction;
using schedule::Action;
using schedule::Buffer;
using schedule::Slot;

std::optional<Reduction> device_reduction(MPI_Op op, MPI_Datatype type)
{
    using By = Reduction::By;
    using Number = Reduction::Number;
    const std::pair<MPI_Op, By> operators[] = {{MPI_SUM, By::sum}, {MPI_MIN, By::min}, {MPI_MAX, By::max}};
    const MPI_Datatype integers[] = {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T, MPI_INTEGER};
    const MPI_Datatype floats[] = {MPI_FLOAT, MPI_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION};
    const auto by = std::ranges::find(operators, op, &std::pair<MPI_Op, By>::first);
    if (type == MPI_DATATYPE_NULL || by == std::end(operators)) return std::nullopt;
    const auto find = [&](std::span<const MPI_Datatype> types, Number of_4,
                          Number of_8) -> std::optional<Reduction> {
        if (std::ranges::find(types, type) == types.end()) return std::nullopt;
        int bytes = 0;
        PMPI_Type_size(type, &bytes);
        if (bytes != 4 && bytes != 8) return std::nullopt;
        return Reduction{bytes == 4 ? of_4 : of_8, by->second};
    };
    const auto whole = find(integers, Number::int32, Number::int64);
    return whole ? whole : find(floats, Number::float32, Number::float64);
}

std::optional<std::vector<Action>> last_steps(const schedule::Schedule& schedule)
{
    const auto is_sent = [](Slot slot) { return slot.buffer == Buffer::send; };
    const auto is_temp = [](Slot slot) { return slot.buffer == Buffer::temp; };
    if (schedule.phases.size() != 1) return std::nullopt;
    const schedule::Phase& phase = schedule.phases.front();
    for (const schedule::Round& round : schedule.rounds_of(phase))
        if (!std::ranges::all_of(schedule.sends(round), is_sent)) return std::nullopt;
    for (const Action& action : schedule.meanwhile(phase))
        if (action.kind != Action::Kind::copy || !is_sent(action.from) || !is_temp(action.to))
            return std::nullopt;
    std::vector<Action> result;
    for (auto rest = schedule.afterwards(phase); !rest.empty();) {
        Action step = rest[0];
        std::size_t taken = 1;
        // Operators of MPI take elements in a row, and so algorithms take the result out and put it back.
        if (rest.size() > 2 && is_temp(step.to) && rest[1].kind == Action::Kind::reduce &&
            rest[1].to == step.to && rest[2] == Action{Action::Kind::copy, step.to, step.from}) {
            step = {Action::Kind::reduce, rest[1].from, step.from};
            taken = 3;
        }
        if (step.to.buffer != Buffer::receive || step.from.buffer == Buffer::receive) return std::nullopt;
        result.push_back(step);
        rest = rest.subspan(taken);
    }
    return result;
}

using schedule::Slot;
using transport::DataLocation;

memory::Pages allocate_rows(std::size_t bytes)
{
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return nodequeue::allocate_block(bytes, page);
}

std::unique_ptr<Staging> Staging::of(std::span<const StagedBlock> blocks)
{
    if (!memory::any_driver()) return nullptr;
    auto result = std::make_unique<Staging>();
    for (const StagedBlock& block : blocks) result->add(block);
    if (result->parts_.empty()) return nullptr;
    for (Part& part : result->parts_) {
        part.transfer = part.home.kind->transfer(part.home.device, part.read, part.written, allocate_rows);
        result->bytes_ += part.read_bytes + part.written_bytes;
    }
    result->make_images();
    return result;
}

std::unique_ptr<Staging> Staging::of_reduction(std::span<const StagedBlock> blocks, unsigned number_bytes)
{
    if (!memory::any_driver()) return nullptr;
    auto result = std::make_unique<Staging>();
    result->reduces_ = true;
    std::size_t full = 0;
    for (const StagedBlock& block : blocks) {
        result->add(block);
        if (block.place.count > 0) ++full;
    }
    // Some lie elsewhere, or in two places.
    if (result->parts_.size() != 1 || result->blocks_.size() != full || !result->images_.empty())
        return nullptr;
    Part& part = result->parts_.front();
    for (const grid::StridedBox& box : part.written)
        if (!box.has_units_of(number_bytes)) return nullptr;
    part.transfer = part.home.kind->transfer(part.home.device, part.read, part.written, allocate_rows,
                                             memory::Rows::on_device, number_bytes);
    result->bytes_ += part.read_bytes + part.written_bytes;
    return result;
}

void Staging::add(const StagedBlock& block)
{
    const auto& [address, count, type] = block.place;
    if (count == 0) return;
    const mpi::Measures measures = mpi::measure(type);
    const mpi::Span span = mpi::span_of(measures, count);
    const auto begin = reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(span.begin);
    const auto end = begin + static_cast<std::uintptr_t>(span.end - span.begin);
    if (begin == end) return;
    const memory::Home home = memory::home_of(reinterpret_cast<const void*>(begin));
    mpi::DataBoxes data = mpi::boxes_of(address, count, type);
    std::size_t bytes = 0;
    for (const grid::StridedBox& box : data.boxes) {
        base::require(memory::home_of(reinterpret_cast<const void*>(box.address)) == home,
                      base::ErrorKind::buffer, "buffer",
                      "a block, all that goes to one neighbor or comes from it, lies on several devices, or "
                      "on a device and with the host");
        bytes += box.bytes();
    }
    if (!home) return;
    const std::size_t number = part_of(home);
    Part& part = parts_[number];
    Staged staged{block, number, part.read_bytes, part.written_bytes, bytes};
    const auto append = [&](std::vector<grid::StridedBox>& boxes, std::size_t& all_bytes) {
        boxes.insert(boxes.end(), data.boxes.begin(), data.boxes.end());
        all_bytes += bytes;
    };
    if (block.is_read) append(part.read, part.read_bytes);
    if (block.is_written) append(part.written, part.written_bytes);
    staged.begin = begin;
    if (block.keeps_shape || !data.in_order || block.is_read == block.is_written) {
        const mpi::Span image = block.keeps_shape ? mpi::operands_span(measures, count) : span;
        images_.push_back({begin + static_cast<std::uintptr_t>(image.begin - span.begin),
                           end + static_cast<std::uintptr_t>(image.end - span.end)});
        staged.image.boxes = std::move(data.boxes);
    }
    numbers_.emplace(block.from.value_or(block.slot), blocks_.size());
    blocks_.push_back(std::move(staged));
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
    for (Staged& staged : blocks_)
        for (grid::StridedBox& box : staged.image.boxes) {
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
    const auto number = numbers_.find(slot);
    if (number == numbers_.end()) return place;
    const Staged& staged = blocks_[number->second];
    memory::Transfer& transfer = *parts_[staged.part].transfer;
    if (staged.image.empty())
        return layouts.bytes_at(staged.block.is_written ? transfer.stored() + staged.written_offset
                                                        : transfer.fetched() + staged.read_offset,
                                staged.bytes);
    DataLocation moved = place;
    moved.address = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place.address) +
                                            image_of(staged.begin)->shift);
    return moved;
}

void Staging::tell_of_rows()
{
    for (Part& part : parts_)
        if (part.transfer->shared() != nullptr)
            part.found_rows = std::make_unique<memory::FoundRows>(*part.transfer, part.read_bytes,
                                                                  part.written_bytes);
}

void Staging::leave_on_device(Slot slot)
{
    const auto number = numbers_.find(slot);
    if (number == numbers_.end()) return;
    const Staged& staged = blocks_[number->second];
    const Part& part = parts_[staged.part];
    if (part.found_rows && staged.block.is_read && staged.image.empty())
        part.transfer->leave_on_device(staged.read_offset, staged.read_offset + staged.bytes);
}

void Staging::fetch(void* stream)
{
    for (Staged& staged : blocks_) staged.is_stored = false;
    for (const Part& part : parts_) part.transfer->fetch(stream);
}

bool Staging::is_fetched()
{
    if (!is_stored()) return false; // something is under way
    for (const Staged& staged : blocks_)
        if (staged.block.is_read && !staged.image.empty())
            spread(parts_[staged.part].transfer->fetched() + staged.read_offset, staged.image);
    return true;
}

void Staging::fetch_now()
{
    fetch(nullptr);
    while (wait_for_piece()) {}
}

bool Staging::is_coming()
{
    return std::ranges::all_of(parts_, [](const Part& part) {
        return part.read_bytes > 0 ? part.transfer->fetched_so_far() > 0 : part.transfer->is_done();
    });
}

bool Staging::wait_for_piece()
{
    for (const Part& part : parts_)
        if (part.transfer->wait_for_piece()) return true;
    for (const Part& part : parts_) part.transfer->wait();
    is_fetched();
    return false;
}

void Staging::gather_image(const Staged& staged)
{
    if (!staged.image.empty())
        gather(staged.image, parts_[staged.part].transfer->stored() + staged.written_offset);
}

void Staging::store_reduced(const Staged& staged)
{
    const Staged& from = blocks_[numbers_.at(staged.block.from.value_or(staged.block.slot))];
    memory::Transfer& transfer = *parts_[staged.part].transfer;
    const bool is_stored = from.block.is_written;
    transfer.store_from({&transfer, is_stored, is_stored ? from.written_offset : from.read_offset},
                        staged.written_offset, staged.written_offset + staged.bytes, staged.block.reduction);
}

void Staging::store()
{
    if (reduces_) {
        for (const Staged& staged : blocks_)
            if (staged.block.is_written) store_reduced(staged);
        return;
    }
    // By part, the end of what is copied or need not be.
    std::vector<std::size_t> ends(parts_.size(), 0);
    for (Staged& staged : blocks_) {
        if (!staged.block.is_written) continue;
        if (!std::exchange(staged.is_stored, false)) {
            gather_image(staged);
            continue;
        }
        std::size_t& end = ends[staged.part];
        parts_[staged.part].transfer->store(end, staged.written_offset);
        end = staged.written_offset + staged.bytes;
    }
    for (std::size_t i = 0; i < parts_.size(); ++i)
        parts_[i].transfer->store(ends[i], parts_[i].written_bytes);
}

void Staging::store_block(int index)
{
    for (Staged& staged : blocks_) {
        if (!staged.block.is_written || staged.block.index != index || staged.is_stored) continue;
        gather_image(staged);
        memory::Transfer& transfer = *parts_[staged.part].transfer;
        transfer.store(staged.written_offset, staged.written_offset + staged.bytes);
        transfer.wait();
        staged.is_stored = true;
    }
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

} // namespace ortho::staging
