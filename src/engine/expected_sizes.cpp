// SPDX-License-Identifier: BSD-3-Clause
// The sizes of the blocks of exchanges that block.

#include "engine/expected_sizes.hpp"

#include <mutex>
#include <utility>

#include "agree/ballot.hpp"
#include "base/index.hpp"
#include "engine/block_sizes.hpp"
#include "engine/context.hpp"
#include "engine/messages_vote.hpp"

namespace ortho::engine {

namespace {

using planner::Collective;

bool takes_sizes(const Call& call, const topology::GraphInfo& graph_info)
{
    return call.collective == Collective::alltoall && call.irregular && graph_info.isomorphism &&
           !irregular_sizes_agree(graph_info);
}

bool takes_wires(const Call& call, const topology::GraphInfo& graph_info, const CommTransports& network)
{
    const topology::Settings& settings = *graph_info.settings;
    // Blocks of one size travel by the stencil, whoever has named its grid.
    const bool has_way = graph_info.isomorphism && !(graph_info.has_found_grid && call.irregular);
    return (call.collective == Collective::alltoall || call.collective == Collective::allgather) &&
           !has_way && settings.layout.nodes && !settings.layout.one_node && network.shares_memory();
}

/// Calls use(blocks, sizes, partners) for both sides of a call.
template <class Use>
void visit_sides(const Call& call, Expectation& sizes, const grid::LocalGraph& lists, Use use)
{
    use(call.send, sizes.sent, lists.targets);
    use(call.receive, sizes.received, lists.sources);
}

/// There are no bytes where there is no block.
std::int64_t bytes_of(const BufferBlocks& blocks, const std::vector<int>& partners, std::size_t slot)
{
    const int i = static_cast<int>(slot);
    if (i >= blocks.slots() || (blocks.slots() == std::ssize(partners) && partners[slot] == grid::gap))
        return 0;
    return blocks.bytes(i);
}

void keep_largest(const Call& call, Expectation& largest, const grid::LocalGraph& lists)
{
    visit_sides(call, largest, lists, [](const auto& blocks, auto& sizes, const auto& partners) {
        sizes.resize(std::max(sizes.size(), at(blocks.slots())), 0);
        for (std::size_t i = 0; i < sizes.size(); ++i)
            sizes[i] = std::max(sizes[i], bytes_of(blocks, partners, i));
    });
}

/// Collective.
void decide_by_sizes(topology::Graph& graph, const Call& call, ExpectedSizes::Kind& kind)
{
    const grid::Isomorphism& isomorphism = *graph.graph_info->isomorphism;
    auto sizes = compare_sizes(graph, call, isomorphism);
    if (!sizes) return;
    auto expected = std::make_shared<Expectation>(std::vector<std::int64_t>(at(call.send.slots()), 0),
                                                  std::vector<std::int64_t>(at(call.receive.slots()), 0));
    for (std::size_t i = 0; i < sizes->size(); ++i) {
        if (const int slot = isomorphism.slots.send[i]; slot != grid::gap)
            expected->sent[at(slot)] = (*sizes)[i];
        if (const int slot = isomorphism.slots.receive[i]; slot != grid::gap)
            expected->received[at(slot)] = (*sizes)[i];
    }
    expected->canonical = std::move(*sizes);
    Call sized = call;
    sized.expected = expected;
    const std::lock_guard lock(graph.mutex);
    Engine& engine = engine_of(graph);
    // An algorithm that forwards nothing needs no sizes.
    if (!engine.context().plan(engine.context().specification_of(sized, Way::blocking)).algorithm->forwards)
        return;
    engine.expected_sizes.expect(kind, std::move(expected));
}

/// Collective.
void decide_by_wires(topology::Graph& graph, const Call& call, ExpectedSizes::Kind& kind)
{
    // Blocks that have become longer may do so again.
    if (call.irregular && kind.tries_left < ExpectedSizes::tries)
        for (auto* const sizes : {&kind.largest.sent, &kind.largest.received})
            for (std::int64_t& bytes : *sizes) bytes += bytes / 2;
    auto expected = std::make_shared<Expectation>(kind.largest);
    OddBlocks rows(graph.graph_info, call, *expected, true);
    Call sized = rows.stand_in(call);
    agree::Ballot ballot;
    MessagesVote messages(ballot);
    Engine& engine = [&]() -> Engine& {
        const std::lock_guard lock(graph.mutex);
        messages.say(sized, *graph.graph_info, engine_of(graph).network());
        return engine_of(graph);
    }();
    graph.hold(ballot);
    expected->counts = messages.counts();
    if (!expected->counts) return;
    sized.expected = expected;
    const int tag = take_tag(graph, Way::blocking);
    OwnTransports transports;
    BoundCall bound;
    {
        const std::lock_guard lock(graph.mutex);
        Context& context = engine.context();
        const auto specification = context.specification_of(sized, Way::blocking);
        bound.decision = context.decide(sized, specification, Way::blocking);
        if (!bound.decision->plan.algorithm->by_wires) return;
        transports = engine.network().blocking_by_wires(graph.graph_info->settings->layout.nodes);
        bound = context.bind_again(sized, specification, bound, bases_of(sized), transports.transports());
    }
    agree::Ballot memory;
    const agree::AllTrue have_memory(memory, transports.connect_wires(tag));
    graph.hold(memory);
    if (!have_memory.holds()) return;
    expected->by_wires = transports.transports();
    const std::lock_guard lock(graph.mutex);
    engine.expected_sizes.expect(kind, std::move(expected));
    engine.drop_plans(); // which take direct messages
}

/// In one of the first calls of a kind.  Collective.
void watch(topology::Graph& graph, const Call& call, ExpectedSizes& all, ExpectedSizes::Kind& kind)
{
    // Nobody knows an operation for the first call, so all processes come by here.
    if (kind.calls == 0) all.watched = ExpectedSizes::watched_calls;
    if (all.watched == 0) return;
    keep_largest(call, kind.largest, graph.graph_info->lists);
    if (++kind.calls < ExpectedSizes::calls_before_wires) return;
    kind.is_decided = true;
    decide_by_wires(graph, call, kind);
}

/// Collective.
void ask_for_odd_blocks(topology::Graph& graph, Engine& engine)
{
    ExpectedSizes& expected = engine.expected_sizes;
    agree::Ballot ballot;
    std::vector<agree::AnyTrue> some_were_odd;
    for (const ExpectedSizes::Kind& kind : expected.kinds)
        some_were_odd.emplace_back(ballot, kind.some_were_odd);
    graph.hold(ballot);
    expected.interval = std::min(2 * expected.interval, ExpectedSizes::most_calls);
    expected.calls_left = ExpectedSizes::never;
    bool any = false;
    for (std::size_t k = 0; k < expected.kinds.size(); ++k) {
        ExpectedSizes::Kind& kind = expected.kinds[k];
        if (some_were_odd[k].holds()) {
            any = true;
            // Wires will do, or longer ones.
            kind.calls = 0;
            kind.is_decided = kind.now->counts && --kind.tries_left == 0;
            kind.now.reset();
            kind.some_were_odd = false;
        }
        if (kind.now) expected.calls_left = expected.interval;
    }
    if (!any) return;
    const std::lock_guard lock(graph.mutex);
    engine.drop_plans(); // which are made for these sizes
}

} // namespace

ExpectedSizes::Kind& ExpectedSizes::kind_of(const Call& call)
{
    return kinds[(call.collective == Collective::alltoall ? 0U : 2U) + (call.irregular ? 1U : 0U)];
}

std::shared_ptr<const Expectation> expect_sizes(topology::Graph& graph, const Call& call)
{
    const auto [engine, by_sizes, by_wires] = [&] {
        const std::lock_guard lock(graph.mutex);
        Engine& its = engine_of(graph);
        const topology::GraphInfo& graph_info = *graph.graph_info;
        // Named algorithms would be an error later.
        const bool may_be = !call.in_place && graph_info.settings->algorithms.empty();
        return std::tuple(&its, may_be && takes_sizes(call, graph_info),
                          may_be && takes_wires(call, graph_info, its.network()));
    }();
    ExpectedSizes& all = engine->expected_sizes;
    if (all.calls_left == 0)
        ask_for_odd_blocks(graph, *engine);
    else
        all.count_call();
    if (!by_sizes && !by_wires) {
        if (all.watched > 0) --all.watched;
        return nullptr;
    }
    ExpectedSizes::Kind& kind = all.kind_of(call);
    if (by_sizes && !std::exchange(kind.are_compared, true)) decide_by_sizes(graph, call, kind);
    if (by_wires && !kind.now && !kind.is_decided) watch(graph, call, all, kind);
    if (all.watched > 0) --all.watched;
    return kind.now;
}

void note_odd_blocks(topology::Graph& graph, const Call& call)
{
    const std::lock_guard lock(graph.mutex);
    ExpectedSizes::Kind& kind = engine_of(graph).expected_sizes.kind_of(call);
    kind.some_were_odd = true;
    keep_largest(call, kind.largest, graph.graph_info->lists);
}

OddBlocks::OddBlocks(std::shared_ptr<const topology::GraphInfo> graph_info, const Call& call,
                     const Expectation& expected, bool all)
    : graph_info_(std::move(graph_info)),
      edges_(graph_info_->lists),
      send_{expected.sent},
      receive_{expected.received}
{
    const auto find = [&](const BufferBlocks& blocks, Side& side, std::vector<int>& partners) {
        side.odd.assign(side.expected.size(), false);
        for (std::size_t i = 0; i < side.odd.size(); ++i) {
            if (!all && !expected.is_odd(bytes_of(blocks, partners, i), side.expected[i])) continue;
            side.odd[i] = true;
            bytes_ += static_cast<std::size_t>(side.expected[i]);
            any_ = true;
        }
        // One block for all, or one for each.
        for (std::size_t i = 0; i < partners.size(); ++i)
            if (!side.odd.empty() && !side.odd[side.odd.size() == 1 ? 0 : i]) partners[i] = grid::gap;
    };
    find(call.send, send_, edges_.targets);
    find(call.receive, receive_, edges_.sources);
}

Call OddBlocks::stand_in(const Call& call)
{
    room_.resize(bytes_);
    std::byte* room = room_.data();
    Call result = call;
    result.send = stand_in(call.send, send_, graph_info_->lists.targets, room);
    result.receive = stand_in(call.receive, receive_, graph_info_->lists.sources, room);
    return result;
}

BufferBlocks OddBlocks::stand_in(const BufferBlocks& blocks, Side& side, const std::vector<int>& partners,
                                 std::byte*& room) const
{
    const std::size_t n = side.odd.size();
    side.counts.assign(n, 0);
    side.displacements.assign(n, 0);
    side.types.assign(n, MPI_BYTE);
    const auto put = [&](std::size_t i, MPI_Count count, const void* address, MPI_Datatype type) {
        side.counts[i] = count;
        side.displacements[i] = static_cast<MPI_Aint>(reinterpret_cast<std::uintptr_t>(address));
        side.types[i] = type;
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (n == partners.size() && partners[i] == grid::gap) continue;
        if (side.odd[i]) {
            put(i, side.expected[i], room, MPI_BYTE);
            room += side.expected[i];
        } else {
            const DataLocation place = blocks[static_cast<int>(i)];
            put(i, place.count, place.address, place.type);
        }
    }
    return BufferBlocks::typed(nullptr, static_cast<int>(n), side.counts.data(), side.displacements.data(),
                               side.types.data(), n == partners.size() ? &partners : nullptr);
}

} // namespace ortho::engine
