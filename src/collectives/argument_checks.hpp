// SPDX-License-Identifier: BSD-3-Clause
// Checking the arguments of collectives on graphs.
#pragma once

#include <mpi.h>

#include <memory>

#include "engine/buffer_blocks.hpp"
#include "engine/edges.hpp"
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
inline constexpr SideNames send_names{"sendbuf", "sendcount", "sendtype", "sdispls"};
inline constexpr SideNames receive_names{"recvbuf", "recvcount", "recvtype", "rdispls"};

/// A call's arguments on one communicator that carries a graph, checked as they are turned into
/// engine::Blocks.  Only what is significant on this process should be handed in.
/// Throws base::Error naming argument and value.
class Arguments {
public:
    Arguments(MPI_Comm comm, const topology::Graph& graph)
        : comm_(comm),
          graph_info_(graph.graph_info),
          edges_(*graph_info_)
    {}

    int rank() const { return graph_info_->lists.rank; }
    const engine::BlockSlots& sources() const { return edges_.in(); }
    const engine::BlockSlots& targets() const { return edges_.out(); }
    int indegree() const { return static_cast<int>(sources().number); }
    int outdegree() const { return static_cast<int>(targets().number); }
    /// There is a block on this side that counts: an edge, or a gap whose size is asserted.
    bool receives() const { return edges_.in().number > 0; }
    bool sends() const { return edges_.out().number > 0; }
    /// There is an edge from, to this process.
    bool receives_from(int process) const { return edges_.from(process).number > 0; }
    bool sends_to(int process) const { return edges_.to(process).number > 0; }

    void check_root(int root) const;
    /// `slots` blocks of `count` elements.
    engine::Blocks regular(const void* buffer, int slots, MPI_Count count, MPI_Datatype type,
                           const SideNames& names) const;
    engine::Blocks varying(const void* buffer, const engine::BlockSlots& places, const mpi::Numbers& counts,
                           const mpi::Numbers& displacements, MPI_Datatype type,
                           const SideNames& names) const;
    engine::Blocks typed(const void* buffer, const engine::BlockSlots& places, const mpi::Numbers& counts,
                         const mpi::Numbers& displacements, const MPI_Datatype types[],
                         const SideNames& names) const;
    void check_operator(MPI_Op op, MPI_Datatype type, MPI_Count count, const char* name = "count") const;
    /// Regular blocks of plain data that begin at one address on both sides are a mistake.
    void check_distinct(const engine::Blocks& send, const engine::Blocks& receive) const;

private:
    static void check_arrays(const mpi::Numbers& counts, const mpi::Numbers& displacements,
                             const SideNames& names);
    void check_block(const engine::Blocks& blocks, int slot, const SideNames& names) const;

    MPI_Comm comm_;
    std::shared_ptr<const topology::GraphInfo> graph_info_;
    engine::Edges edges_;
};

} // namespace ortho::collectives
