// SPDX-License-Identifier: BSD-3-Clause
// The sizes of the blocks of v and w exchanges that block.

#include "engine/expected_sizes.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "agree/ballot.hpp"
#include "base/index.hpp"
#include "engine/block_sizes.hpp"
#include "engine/context.hpp"

namespace ortho::engine {

namespace {

bool takes_sizes(const Call& call, const topology::GraphInfo& graph_info)
{
    return call.collective == planner::Collective::alltoall && call.irregular && !call.in_place &&
           graph_info.isomorphism && !irregular_sizes_agree(graph_info) &&
           graph_info.settings->algorithms.empty(); // which would be an error later
}

/// Collective.
void decide(topology::Graph& graph, const Call& call, ExpectedSizes& expected)
{
    expected.are_decided = true;
    auto sizes = compare_sizes(graph, call, *graph.graph_info->isomorphism);
    if (!sizes) return;
    Call sized = call;
    sized.expected_sizes = std::make_shared<const std::vector<std::int64_t>>(std::move(*sizes));
    const std::lock_guard lock(graph.mutex);
    Context& context = engine_of(graph).context();
    // An algorithm that forwards nothing needs no sizes.
    if (!context.plan(context.specification_of(sized, Form::blocking)).algorithm->forwards) return;
    expected.bytes = sized.expected_sizes;
    expected.calls_left = expected.interval;
}

/// Collective.
void ask_for_odd_blocks(topology::Graph& graph, Engine& engine)
{
    ExpectedSizes& expected = engine.expected_sizes;
    agree::Ballot ballot;
    const agree::AnyTrue some_were_odd(ballot, expected.some_were_odd);
    graph.hold(ballot);
    expected.interval = std::min(2 * expected.interval, ExpectedSizes::most_calls);
    expected.calls_left = expected.interval;
    if (!some_were_odd.holds()) return;
    expected.calls_left = ExpectedSizes::never;
    expected.bytes.reset();
    const std::lock_guard lock(graph.mutex);
    engine.drop_plans(); // which are made for these sizes
}

} // namespace

std::shared_ptr<const std::vector<std::int64_t>> expect_sizes(topology::Graph& graph, const Call& call)
{
    Engine& engine = [&]() -> Engine& {
        const std::lock_guard lock(graph.mutex);
        return engine_of(graph);
    }();
    ExpectedSizes& expected = engine.expected_sizes;
    if (expected.calls_left == 0)
        ask_for_odd_blocks(graph, engine);
    else
        expected.count_call();
    if (!takes_sizes(call, *graph.graph_info)) return nullptr;
    if (!expected.are_decided) decide(graph, call, expected);
    return expected.bytes;
}

OddBlocks::OddBlocks(std::shared_ptr<const topology::GraphInfo> graph_info, const Call& call)
    : graph_info_(std::move(graph_info)),
      expected_(call.expected_sizes),
      edges_(graph_info_->lists)
{
    const auto find = [&](const BufferBlocks& blocks, const std::vector<int>& slots,
                          std::vector<int>& edges) {
        std::vector<int> odd(edges.size(), grid::gap);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const int slot = slots[i];
            if (slot == grid::gap || blocks.bytes(slot) == (*expected_)[i]) continue;
            odd[at(slot)] = edges[at(slot)];
            bytes_ += static_cast<std::size_t>((*expected_)[i]);
            any_ = true;
        }
        edges = std::move(odd);
    };
    const grid::Slots& slots = graph_info_->isomorphism->slots;
    find(call.send, slots.send, edges_.targets);
    find(call.receive, slots.receive, edges_.sources);
}

Call OddBlocks::stand_in(const Call& call)
{
    const grid::Slots& slots = graph_info_->isomorphism->slots;
    const grid::LocalGraph& lists = graph_info_->lists;
    room_.resize(bytes_);
    std::byte* room = room_.data();
    Call result = call;
    result.send = stand_in(call.send, lists.targets, edges_.targets, slots.send, send_, room);
    result.receive = stand_in(call.receive, lists.sources, edges_.sources, slots.receive, receive_, room);
    return result;
}

BufferBlocks OddBlocks::stand_in(const BufferBlocks& blocks, const std::vector<int>& partners,
                                 const std::vector<int>& odd, const std::vector<int>& slots, Side& side,
                                 std::byte*& room) const
{
    side = {std::vector<MPI_Count>(partners.size(), 0), std::vector<MPI_Aint>(partners.size(), 0),
            std::vector<MPI_Datatype>(partners.size(), MPI_BYTE)};
    const auto put = [&](int slot, MPI_Count count, const void* address, MPI_Datatype type) {
        side.counts[at(slot)] = count;
        side.displacements[at(slot)] = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(address));
        side.types[at(slot)] = type;
    };
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const int slot = slots[i];
        if (slot == grid::gap) continue;
        if (odd[at(slot)] == grid::gap) {
            const DataLocation place = blocks[slot];
            put(slot, place.count, place.address, place.type);
        } else {
            put(slot, (*expected_)[i], room, MPI_BYTE);
            room += (*expected_)[i];
        }
    }
    return BufferBlocks::typed(nullptr, static_cast<int>(partners.size()), side.counts.data(),
                               side.displacements.data(), side.types.data(), &partners);
}

} // namespace ortho::engine
