// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose sizes are not those that all processes expect.

#include "engine/odd_blocks.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "engine/context.hpp"

namespace ortho::engine {

BlockBytes bytes_of(const Call& call, const grid::LocalGraph& lists)
{
    const auto of = [](const BufferBlocks& blocks, const std::vector<int>& partners) {
        std::vector<std::int64_t> bytes(at(blocks.slots()), 0);
        for (std::size_t i = 0; i < bytes.size(); ++i)
            if (bytes.size() != partners.size() || partners[i] != grid::gap)
                bytes[i] = blocks.bytes(static_cast<int>(i));
        return bytes;
    };
    return {of(call.send, lists.targets), of(call.receive, lists.sources)};
}

OddBlocks::OddBlocks(std::shared_ptr<const topology::GraphInfo> graph_info, const Call& call,
                     const Expectation& expected, bool all)
    : graph_info_(std::move(graph_info)),
      edges_(graph_info_->lists),
      send_{expected.sent, {}},
      receive_{expected.received, {}}
{
    const auto find = [&](Side& side, std::vector<std::int64_t> bytes, std::vector<int>& partners) {
        const std::size_t n = side.expected.size();
        side.bytes = std::move(bytes);
        side.bytes.resize(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            side.odd.push_back(all || expected.is_odd(side.bytes[i], side.expected[i]));
            if (side.odd[i]) room_bytes_ += static_cast<std::size_t>(side.expected[i]);
            any_ = any_ || side.odd[i];
        }
        for (std::size_t i = 0; i < partners.size(); ++i)
            if (n > 0 && !side.odd[n == 1 ? 0 : i]) partners[i] = grid::gap;
    };
    BlockBytes bytes = bytes_of(call, graph_info_->lists);
    find(send_, std::move(bytes.sent), edges_.targets);
    find(receive_, std::move(bytes.received), edges_.sources);
}

void OddBlocks::raise(BlockBytes& sizes, bool more) const
{
    const auto raise = [more](std::vector<std::int64_t>& all, const Side& side) {
        all.resize(std::max(all.size(), side.bytes.size()), 0);
        for (std::size_t i = 0; i < side.bytes.size(); ++i)
            if (side.odd[i]) all[i] = std::max(all[i], side.bytes[i] + (more ? side.bytes[i] / 2 : 0));
    };
    raise(sizes.sent, send_);
    raise(sizes.received, receive_);
}

Call OddBlocks::with_expected_sizes(const Call& call)
{
    room_.resize(room_bytes_);
    std::byte* room = room_.data();
    Call result = call;
    result.send = with_expected_sizes(call.send, send_, graph_info_->lists.targets, room);
    result.receive = with_expected_sizes(call.receive, receive_, graph_info_->lists.sources, room);
    return result;
}

BufferBlocks OddBlocks::with_expected_sizes(const BufferBlocks& blocks, Side& side,
                                            const std::vector<int>& partners, std::byte*& room) const
{
    const std::size_t n = side.odd.size();
    side.counts.assign(n, 0);
    side.displacements.assign(n, 0);
    side.types.assign(n, MPI_BYTE);
    for (std::size_t i = 0; i < n; ++i) {
        if (n == partners.size() && partners[i] == grid::gap) continue;
        const DataLocation place = side.odd[i] ? DataLocation{room, side.expected[i], MPI_BYTE}
                                               : blocks[static_cast<int>(i)];
        if (side.odd[i]) room += side.expected[i];
        side.counts[i] = place.count;
        side.displacements[i] = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(place.address));
        side.types[i] = place.type;
    }
    return BufferBlocks::typed(nullptr, static_cast<int>(n), side.counts.data(), side.displacements.data(),
                               side.types.data(), n == partners.size() ? &partners : nullptr);
}

} // namespace ortho::engine
