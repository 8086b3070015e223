// SPDX-License-Identifier: BSD-3-Clause
// The sizes of blocks on communicators whose neighborhoods are isomorphic.

#include "engine/block_sizes.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "engine/context.hpp"
#include "mpi/operator.hpp"
#include "runtime/message.hpp"
#include "topology/error_consensus.hpp"

namespace ortho::engine {

namespace {

using planner::Collective;

void require_equal(MPI_Count sent, MPI_Count received)
{
    base::require(sent <= received, base::ErrorKind::truncate, "recvcount", "this process sends blocks of ",
                  sent, " bytes, and has room for ", received,
                  " in a slot: on this grid all blocks have one size");
    base::require(sent == received, base::ErrorKind::count, "sendcount", "this process sends blocks of ",
                  sent, " bytes, and expects ", received,
                  " in a slot: on this grid all blocks have one size");
}

/// All blocks of the call have one size.
bool has_one_size(const Call& call) { return !call.irregular || call.collective == Collective::allgather; }

/// Visit the sizes of all blocks of a call that has one size.
template <class Visit>
void visit_sizes(const Call& call, Visit visit)
{
    if (call.element.slots() > 0) {
        visit(call.element.bytes(0)); // of all blocks of a reduction
        return;
    }
    if (call.send.slots() > 0) visit(call.send.bytes(0));
    const int different = call.irregular ? call.receive.slots() : std::min(1, call.receive.slots());
    for (int slot = 0; slot < different; ++slot)
        if (!call.receive.is_gap(slot)) visit(call.receive.bytes(slot));
}

/// One end of an edge.
struct BlockEnd {
    std::int64_t slot;
    std::int64_t bytes; ///< -1 if no block goes along it

    std::string text() const { return bytes < 0 ? "no block" : base::text(bytes, " bytes"); }
};
using EndsByPartner = std::map<int, std::vector<BlockEnd>>;

/// The ends of the edges that lead to each partner, or come from it, in the order of the list.
template <class HasBlock>
EndsByPartner ends_of(const BufferBlocks& blocks, const std::vector<int>& partners, HasBlock has_block)
{
    EndsByPartner ends;
    const auto bytes_of = [&](int i) -> std::int64_t {
        const bool is_there = blocks.slots() > 0 && has_block(partners[at(i)]);
        return is_there ? blocks.bytes(blocks.slots() == 1 ? 0 : i) : -1;
    };
    for (int i = 0; i < std::ssize(partners); ++i)
        if (partners[at(i)] != grid::gap) ends[partners[at(i)]].push_back({i, bytes_of(i)});
    return ends;
}

std::optional<base::Error> find_difference(const std::string& where, int rank, const EndsByPartner& mine,
                                           const EndsByPartner& theirs)
{
    for (const auto& [partner, ends] : mine) {
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const BlockEnd& sent = theirs.at(partner)[i];
            if (sent.bytes == ends[i].bytes) continue;
            const bool is_too_long = ends[i].bytes >= 0 && sent.bytes > ends[i].bytes;
            return base::Error(
                is_too_long ? base::ErrorKind::truncate : base::ErrorKind::mismatch, "recvcount",
                base::text("on ", where, " rank ", partner, " sends ", sent.text(), " in slot ", sent.slot,
                           " to rank ", rank, is_too_long ? ", which has room for " : ", which expects ",
                           ends[i].text(), " in slot ", ends[i].slot));
        }
    }
    return std::nullopt;
}

} // namespace

bool has_block(const Call& call, int source, int target)
{
    switch (call.collective) {
    case Collective::bcast: return source == call.root && target != call.root; // which has the block
    case Collective::scatter: return source == call.root;
    case Collective::gather:
    case Collective::reduce: return target == call.root;
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::allreduce:
    case Collective::reduce_scatter: return true;
    default: return false; // halo exchanges compare their arrays by themselves
    }
}

void compare_with_neighbors(topology::Graph& graph, const Call& call, int tag)
{
    if (call.halo) return;
    const auto [graph_info, title] = [&] {
        const std::lock_guard lock(graph.mutex);
        return std::pair(graph.graph_info, graph.title());
    }();
    const auto& [rank, sources, targets] = graph_info->lists;
    const EndsByPartner sent = ends_of(call.send, targets,
                                       [&, me = rank](int target) { return has_block(call, me, target); });
    const EndsByPartner expected = ends_of(
        call.receive, sources, [&, me = rank](int source) { return has_block(call, source, me); });
    EndsByPartner heard = expected; // as many
    runtime::Posted messages(graph.private_comm.messages(), tag);
    for (auto& [partner, ends] : heard) messages.receive(partner, std::as_writable_bytes(std::span(ends)));
    for (const auto& [partner, ends] : sent) messages.send(partner, std::as_bytes(std::span(ends)));
    messages.wait();
    std::optional<base::Error> difference = find_difference(title, rank, expected, heard);
    agree::Ballot ballot;
    const agree::AnyTrue is_wrong(ballot, difference.has_value());
    graph.hold(ballot); // by messages, where that will do
    if (is_wrong.holds()) topology::fail_if_any(graph.collectives(), std::move(difference));
}

void SizesVote::say(const Call& call)
{
    kind_.say((static_cast<long long>(call.collective) << 32) + call.root);
    const bool has_one = has_one_size(call);
    has_one_.say(has_one);
    if (has_one) visit_sizes(call, [&](MPI_Count bytes) { size_.say(bytes); });
}

bool may_combine(const Call& call)
{
    switch (call.collective) {
    case Collective::alltoall:
    case Collective::allgather: return true;
    case Collective::allreduce:
    case Collective::reduce_scatter: return !call.irregular && mpi::commutes(call.op);
    default: return false;
    }
}

bool sends_personal(Collective collective)
{
    return collective == Collective::alltoall || collective == Collective::reduce_scatter;
}

bool has_slot_for_every_index(const topology::GraphInfo& graph_info)
{
    return graph_info.isomorphism->neighborhood.grid.is_torus() || graph_info.stencil.has_value();
}

bool irregular_sizes_agree(const topology::GraphInfo& graph_info)
{
    return graph_info.isomorphism && graph_info.settings && graph_info.settings->assert_uniform &&
           has_slot_for_every_index(graph_info);
}

bool sizes_agree(const Call& call, const topology::GraphInfo& graph_info)
{
    if (!graph_info.isomorphism) return false;
    if (irregular_sizes_agree(graph_info)) return true;
    if (call.irregular) return false;
    return call.op == MPI_OP_NULL ? graph_info.isomorphism->regular_sizes_agree()
                                  : graph_info.isomorphism->reduction_sizes_agree();
}

std::optional<std::vector<std::int64_t>> agreed_sizes(const Call& call, const topology::GraphInfo& graph_info)
{
    if (!may_combine(call) || !sizes_agree(call, graph_info)) return std::nullopt;
    const grid::Isomorphism& isomorphism = *graph_info.isomorphism;
    if (has_one_size(call)) {
        // A process may have a block on one side only to read the size from.
        std::optional<MPI_Count> bytes;
        visit_sizes(call, [&](MPI_Count size) {
            if (bytes) require_equal(*bytes, size);
            bytes = size;
        });
        return std::vector<std::int64_t>{bytes.value_or(0)};
    }
    std::vector<std::int64_t> bytes;
    for (std::size_t i = 0; i < isomorphism.size_slots.size(); ++i) {
        bytes.push_back(call.send.bytes(isomorphism.size_slots[i]));
        const int slot = isomorphism.slots.receive[i];
        if (slot != grid::gap) require_equal(bytes.back(), call.receive.bytes(slot));
    }
    return bytes;
}

std::vector<long long> known_sizes(const Call& call, const grid::Isomorphism& isomorphism)
{
    constexpr long long unknown = -1;
    const auto join = [&](long long known, long long size) {
        return known == unknown || known == size ? size : contradictory_size;
    };
    if (has_one_size(call)) {
        long long bytes = unknown;
        visit_sizes(call, [&](MPI_Count size) { bytes = join(bytes, size); });
        return {bytes};
    }
    std::vector<long long> bytes;
    for (std::size_t i = 0; i < isomorphism.slots.send.size(); ++i) {
        bytes.push_back(unknown);
        if (const int slot = isomorphism.slots.send[i]; slot != grid::gap)
            bytes.back() = join(bytes.back(), call.send.bytes(slot));
        if (const int slot = isomorphism.slots.receive[i]; slot != grid::gap)
            bytes.back() = join(bytes.back(), call.receive.bytes(slot));
    }
    return bytes;
}

std::optional<std::vector<std::int64_t>> compare_sizes(topology::Graph& graph, const Call& call,
                                                       const grid::Isomorphism& isomorphism)
{
    agree::Ballot ballot;
    std::vector<agree::AllEqual> sizes;
    for (const long long size : known_sizes(call, isomorphism)) {
        agree::AllEqual& slot = sizes.emplace_back(ballot);
        if (size >= 0) slot.say(size); // else it knows none
    }
    graph.hold(ballot);
    std::vector<std::int64_t> bytes;
    for (const agree::AllEqual& size : sizes) {
        if (!size.holds() || (size.is_said() && size.value() == contradictory_size)) return std::nullopt;
        bytes.push_back(size.is_said() ? size.value() : 0); // nobody has a block that nobody knows
    }
    return bytes;
}

void set_compared(algorithm::CallSpecification& specification, std::optional<std::vector<std::int64_t>> sizes)
{
    specification.compared = sizes ? algorithm::Compared::equal : algorithm::Compared::different;
    if (sizes) specification.set_sizes(std::move(*sizes));
}

} // namespace ortho::engine
