// SPDX-License-Identifier: BSD-3-Clause
// The sizes of blocks on communicators whose neighborhoods are isomorphic.

#include "engine/block_sizes.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "engine/context.hpp"
#include "mpi/operator.hpp"

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

} // namespace

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

} // namespace ortho::engine
