// SPDX-License-Identifier: BSD-3-Clause
// A call on a graph, as its arguments describe it.

#include "call/call.hpp"

#include <algorithm>

#include "memory/kind.hpp"
#include "mpi/operator.hpp"

namespace ortho::call {

bool has_block(planner::Collective collective, int root, int source, int target)
{
    using planner::Collective;
    switch (collective) {
    case Collective::bcast: return source == root && target != root; // which has the block
    case Collective::scatter: return source == root;
    case Collective::gather:
    case Collective::reduce: return target == root;
    default: return algorithm::is_among_neighbors(collective); // halos compare their arrays by themselves
    }
}

bool lie_on_device(const BufferBlocks& blocks)
{
    if (!memory::any_driver()) return false;
    for (int slot = 0; slot < blocks.slots(); ++slot)
        if (!blocks.is_gap(slot) && blocks.count(slot) > 0)
            return bool(memory::home_of(blocks[slot].address));
    return false;
}

void set_call(algorithm::CallSpecification& specification, const Call& call)
{
    specification.collective = call.collective;
    specification.root = call.root;
    specification.in_place = call.in_place;
    specification.irregular = call.irregular;
    specification.commutative = mpi::commutes(call.op);
    specification.halo = call.halo;
    if (!call.halo) return;
    specification.set_sizes(call.halo_bytes.most);
    specification.compared = call.halo_bytes.are_equal ? algorithm::Compared::equal
                                                       : algorithm::Compared::different;
}

Bases bases_of(const Call& call)
{
    if (call.lay) return call.bases;
    return {const_cast<void*>(call.send.base()), const_cast<void*>(call.receive.base())};
}

bool is_on_devices(const Call& call)
{
    return std::ranges::any_of(bases_of(call),
                               [](const void* base) { return bool(memory::home_of(base)); }) ||
           lie_on_device(call.send) || lie_on_device(call.receive);
}

} // namespace ortho::call
