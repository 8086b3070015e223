// SPDX-License-Identifier: BSD-3-Clause
// The sizes that processes expect in exchanges that block.

#include "engine/expected_sizes.hpp"

#include <algorithm>
#include <mutex>

#include "agree/ballot.hpp"
#include "base/index.hpp"
#include "engine/agreement.hpp"
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

namespace {

using planner::Collective;

/// A blocking call that may profit from expected sizes.  Made under the graph's mutex, and used without it.
struct Exchange {
    topology::Graph& graph;
    const Call& call;
    Engine& engine = engine_of(graph);
    std::shared_ptr<const topology::GraphInfo> graph_info = graph.graph_info;
    // The ways that it may profit.  They are the same on all processes.
    bool by_sizes = may_profit() && takes_sizes();
    bool by_wires = may_profit() && takes_wires();

private:
    /// A named algorithm that needs sizes is an error, which must not depend on earlier calls.
    bool may_profit() const
    {
        const topology::Settings& settings = *graph_info->settings;
        return !call.in_place && settings.algorithms.empty() && !settings.independent;
    }
    bool takes_sizes() const
    {
        return call.collective == Collective::alltoall && call.irregular && graph_info->isomorphism &&
               !irregular_sizes_agree(*graph_info);
    }
    bool takes_wires() const
    {
        const schedule::Layout& layout = graph_info->settings->layout;
        // Blocks of one size travel by the stencil, whoever has named its grid.
        const bool has_way = graph_info->isomorphism && !(graph_info->has_found_grid && call.irregular);
        return (call.collective == Collective::alltoall || call.collective == Collective::allgather) &&
               !has_way && layout.nodes && !layout.one_node && engine.network().shares_memory();
    }
};

/// The sizes of this call, which are the same on all processes, if a schedule that forwards is the cheapest.
std::shared_ptr<const Expectation> by_sizes(const Exchange& of, std::vector<std::int64_t> sizes)
{
    auto expected = std::make_shared<Expectation>(bytes_of(of.call, of.graph_info->lists));
    expected->canonical = std::move(sizes);
    Call sized = of.call;
    sized.expected = expected;
    const std::lock_guard lock(of.graph.mutex);
    Context& context = of.engine.context();
    const planner::Plan plan = context.plan(context.specification_of(sized, Way::blocking));
    return plan.algorithm->forwards ? expected : nullptr;
}

/// The expectation of blocks of these sizes on wires, if wires are the cheapest; else null.  Collective.
std::shared_ptr<const Expectation> by_wires(const Exchange& of, const BlockBytes& largest,
                                            const algorithm::ExchangeCounts& counts)
{
    auto expected = std::make_shared<Expectation>(largest);
    expected->counts = counts;
    OddBlocks places(of.graph_info, of.call, *expected, true);
    Call sized = places.with_expected_sizes(of.call);
    sized.expected = expected;
    const int tag = take_tag(of.graph, Way::blocking);
    OwnTransports transports;
    BoundCall bound;
    {
        const std::lock_guard lock(of.graph.mutex);
        Context& context = of.engine.context();
        const auto specification = context.specification_of(sized, Way::blocking);
        bound.decision = context.decide(sized, specification, Way::blocking);
        if (!bound.decision->plan.algorithm->by_wires) return nullptr;
        transports = of.engine.network().own(OnNode::channels, specification,
                                             of.graph_info->settings->layout.nodes);
        bound = context.bind_again(sized, specification, bound, bases_of(sized), transports.transports());
    }
    agree::Ballot memory;
    const agree::AllTrue have_memory(memory, transports.connect_wires(tag));
    of.graph.hold(memory);
    if (!have_memory.holds()) return nullptr;
    expected->by_wires = transports.transports();
    return expected;
}

void raise(std::vector<std::int64_t>& largest, const std::vector<std::int64_t>& bytes)
{
    largest.resize(std::max(largest.size(), bytes.size()), 0);
    for (std::size_t i = 0; i < bytes.size(); ++i) largest[i] = std::max(largest[i], bytes[i]);
}

/// Collective.
void hold_ballot(const Exchange& of, ExpectedSizes& kind)
{
    if (kind.now)
        if (const OddBlocks odd(of.graph_info, of.call, *kind.now); odd.any()) kind.note(odd, of.call);
    const BlockBytes bytes = bytes_of(of.call, of.graph_info->lists);
    raise(kind.largest.sent, bytes.sent);
    raise(kind.largest.received, bytes.received);
    agree::Ballot ballot;
    const agree::AnyTrue were_odd(ballot, std::exchange(kind.some_were_odd, false));
    CallVote vote(ballot, *of.graph_info);
    if (of.by_sizes) vote.say_sizes(of.call);
    // Wires take long to make, and many graphs have one call alone.
    if (of.by_wires && kind.interval > 1) {
        const std::lock_guard lock(of.graph.mutex);
        vote.say_messages(of.call, kind.largest, of.engine.network());
    }
    if (of.by_sizes || kind.interval > 1) of.graph.hold(ballot); // else nobody has said anything
    if (kind.now && !were_odd.holds()) {
        kind.in_vain = 0;
    } else {
        if (kind.in_vain++ == 0) kind.interval = 1;
        const auto before = std::exchange(kind.now, nullptr);
        if (kind.in_vain < ExpectedSizes::most_in_vain) {
            if (auto sizes = of.by_sizes ? vote.sizes() : std::nullopt)
                kind.now = by_sizes(of, std::move(*sizes));
            if (const auto counts = vote.counts(); counts && !kind.now)
                kind.now = by_wires(of, kind.largest, *counts);
        }
        const std::lock_guard lock(of.graph.mutex);
        // Kept plans are made for what was expected.  There are none in the first call.
        if (before || (kind.now && kind.in_vain > 1)) of.engine.drop_plans();
    }
    kind.calls_left = kind.in_vain < ExpectedSizes::most_in_vain ? kind.interval - 1 : ExpectedSizes::never;
    kind.interval = std::min(2 * kind.interval, ExpectedSizes::longest_interval);
}

} // namespace

void ExpectedSizes::note(const OddBlocks& odd, const Call& call)
{
    some_were_odd = true;
    // Blocks that have become longer may do so again.
    odd.raise(largest, call.irregular);
}

ExpectedSizes* expect_sizes(topology::Graph& graph, const Call& call)
{
    std::unique_lock lock(graph.mutex);
    const Exchange exchange{graph, call};
    lock.unlock();
    if (!exchange.by_sizes && !exchange.by_wires) return nullptr;
    ExpectedSizes& kind = exchange.engine.expected_sizes[{call.collective, call.irregular}];
    if (!kind.count()) hold_ballot(exchange, kind);
    return &kind;
}

} // namespace ortho::engine
