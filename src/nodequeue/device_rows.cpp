// SPDX-License-Identifier: BSD-3-Clause
// Messages whose data lies in rows of devices on both sides: what travels is a descriptor of the sender's row.
// No MPI in this file.

#include "nodequeue/device_rows.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ortho::nodequeue {

namespace {

/// The row that a descriptor tells of, and what lies in it.
struct Described {
    memory::SharedRow row;
    std::vector<RowStretch> stretches;
};

Described read_descriptor(std::span<const std::byte> descriptor)
{
    Described result{};
    std::memcpy(&result.row, descriptor.data(), sizeof result.row);
    descriptor = descriptor.subspan(sizeof result.row);
    result.stretches.resize(descriptor.size() / sizeof(RowStretch));
    std::memcpy(result.stretches.data(), descriptor.data(), result.stretches.size() * sizeof(RowStretch));
    return result;
}

} // namespace

std::unique_ptr<const DeviceData> device_data(const transport::Parts& parts, bool is_received)
{
    constexpr std::size_t most_runs = 4096; // rows have as many as there are blocks
    if (!memory::any_row() || parts.runs() > most_runs) return {};
    DeviceData result;
    for (const transport::Piece& run : runs_of(parts)) {
        const memory::RowPart part = memory::find_row(run.address, run.bytes);
        const bool is_first = result.stretches.empty();
        if (part.transfer == nullptr || part.is_stored != is_received ||
            (!is_first && part.transfer != result.transfer))
            return {};
        result.transfer = part.transfer;
        if (!is_first && result.stretches.back().offset + result.stretches.back().bytes == part.offset)
            result.stretches.back().bytes += run.bytes;
        else
            result.stretches.push_back({part.offset, run.bytes});
    }
    return result.transfer != nullptr ? std::make_unique<const DeviceData>(std::move(result)) : nullptr;
}

void bring_to_host(const DeviceData& sent)
{
    for (const auto& [offset, bytes] : sent.stretches) sent.transfer->bring_to_host(offset, offset + bytes);
}

std::size_t bytes_of_descriptor(const DeviceData& sent)
{
    return sizeof(memory::SharedRow) + sent.stretches.size() * sizeof(RowStretch);
}

void write_descriptor(const DeviceData& sent, std::byte* row)
{
    std::memcpy(row, sent.transfer->shared(), sizeof(memory::SharedRow));
    std::memcpy(row + sizeof(memory::SharedRow), sent.stretches.data(),
                sent.stretches.size() * sizeof(RowStretch));
}

std::size_t bytes_described(std::span<const std::byte> descriptor)
{
    std::size_t bytes = 0;
    for (const RowStretch& stretch : read_descriptor(descriptor).stretches) bytes += stretch.bytes;
    return bytes;
}

bool begin_copies(std::span<const std::byte> descriptor, const DeviceData* received)
{
    if (received == nullptr) return false;
    const Described sent = read_descriptor(descriptor);
    std::size_t i = 0;
    RowStretch to = received->stretches[0];
    for (RowStretch from : sent.stretches) {
        while (from.bytes > 0) {
            if (to.bytes == 0) {
                if (++i == received->stretches.size()) return true;
                to = received->stretches[i];
            }
            const std::size_t bytes = std::min(from.bytes, to.bytes);
            if (!received->transfer->copy_to_stored(sent.row, from.offset, to.offset, bytes)) return false;
            from = {from.offset + bytes, from.bytes - bytes};
            to = {to.offset + bytes, to.bytes - bytes};
        }
    }
    return true;
}

} // namespace ortho::nodequeue
