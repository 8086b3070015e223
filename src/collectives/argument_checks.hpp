// SPDX-License-Identifier: BSD-3-Clause
// Checking the arguments of collectives on graphs.
#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "call/buffer_blocks.hpp"
#include "call/edges.hpp"
#include "engine/context.hpp"
#include "mpi/error_handling.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

/// How the public call names the arguments of one side.
struct SideNames {
    const char* buffer;
    const char* count;
    const char* type;
    const char* displacement;
};

/// A call's arguments on one communicator that carries a graph, checked as they are turned into
/// call::BufferBlocks.  Only what is significant on this process should be handed in.
/// Throws base::Error naming argument and value.
class ArgumentChecks {
public:
    ArgumentChecks(MPI_Comm comm, const topology::Graph& graph)
        : comm_(comm),
          graph_info_(graph.graph_info),
          edges_(*graph_info_)
    {}

    int rank() const { return graph_info_->lists.rank; }
    const call::BlockSlots& targets() const { return edges_.out(); }
    int outdegree() const { return static_cast<int>(targets().number); }
    /// There is a block on this side that counts: an edge, or a gap whose size is asserted.
    bool receives() const { return edges_.in().number > 0; }
    bool sends() const { return edges_.out().number > 0; }
    /// There is an edge to this process.
    bool sends_to(int process) const { return edges_.to(process).number > 0; }

    void check_root(int root) const;
    /// `slots` blocks of `count` elements.
    call::BufferBlocks regular(const void* buffer, int slots, MPI_Count count, MPI_Datatype type,
                               const SideNames& names) const;
    call::BufferBlocks varying(const void* buffer, const call::BlockSlots& places,
                               const mpi::CountArray& counts, const mpi::CountArray& displacements,
                               MPI_Datatype type, const SideNames& names) const;
    call::BufferBlocks typed(const void* buffer, const call::BlockSlots& places,
                             const mpi::CountArray& counts, const mpi::CountArray& displacements,
                             const MPI_Datatype types[], const SideNames& names) const;
    void check_operator(MPI_Op op, MPI_Datatype type, MPI_Count count, const char* name = "count") const;
    /// Regular blocks of plain data that begin at one address on both sides are a mistake.
    void check_distinct(const call::BufferBlocks& send, const call::BufferBlocks& receive) const;

    const call::Edges& edges() const { return edges_; }

private:
    static void check_arrays(const mpi::CountArray& counts, const mpi::CountArray& displacements,
                             const SideNames& names);
    void check_block(const call::BufferBlocks& blocks, int slot, const SideNames& names) const;

    MPI_Comm comm_;
    std::shared_ptr<const topology::GraphInfo> graph_info_;
    call::Edges edges_;
};

/// Describes a call that reduces nothing from the list of its arguments.
class Description {
public:
    Description(const ArgumentChecks& arguments, planner::Collective collective, bool irregular,
                const SideNames& send, const SideNames& receive)
        : arguments_(arguments),
          names_{send, receive},
          call_{.collective = collective, .irregular = irregular}
    {}

    void root(int root)
    {
        arguments_.check_root(root);
        call_.root = root;
    }
    // The first call of blocks() describes what is sent, the second what is received.
    void blocks(const void* buffer, const call::BlockSlots& slots, MPI_Count count, MPI_Datatype type)
    {
        add(slots, [&](const SideNames& names) {
            return arguments_.regular(buffer, static_cast<int>(slots.number), count, type, names);
        });
    }
    void blocks(const void* buffer, const call::BlockSlots& slots, const mpi::CountArray& counts,
                const mpi::CountArray& displacements, MPI_Datatype type)
    {
        add(slots, [&](const SideNames& names) {
            return arguments_.varying(buffer, slots, counts, displacements, type, names);
        });
    }
    void blocks(const void* buffer, const call::BlockSlots& slots, const mpi::CountArray& counts,
                const mpi::CountArray& displacements, const MPI_Datatype types[])
    {
        add(slots, [&](const SideNames& names) {
            return arguments_.typed(buffer, slots, counts, displacements, types, names);
        });
    }

    /// Once all is listed.
    call::Call take()
    {
        if (!call_.irregular && !algorithm::has_root(call_.collective))
            arguments_.check_distinct(call_.send, call_.receive);
        return std::move(call_);
    }

private:
    template <class Make>
    void add(const call::BlockSlots& slots, Make make)
    {
        const bool is_receive = std::exchange(is_send_known_, true);
        if (slots.number > 0) (is_receive ? call_.receive : call_.send) = make(names_[is_receive ? 1 : 0]);
    }

    const ArgumentChecks& arguments_;
    SideNames names_[2];
    call::Call call_;
    bool is_send_known_ = false;
};

} // namespace ortho::collectives
