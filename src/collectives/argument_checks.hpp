// SPDX-License-Identifier: BSD-3-Clause
// Checking the arguments of collectives on graphs.
#pragma once

#include <mpi.h>

#include <memory>

#include "engine/buffer_blocks.hpp"
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
    Arguments(MPI_Comm comm, const topology::Graph& graph) : comm_(comm), graph_info_(graph.graph_info) {}

    int rank() const { return graph_info_->lists.rank; }
    const std::vector<int>& sources() const { return graph_info_->lists.sources; }
    const std::vector<int>& targets() const { return graph_info_->lists.targets; }
    int indegree() const { return static_cast<int>(sources().size()); }
    int outdegree() const { return static_cast<int>(targets().size()); }
    /// There is a block on this side that counts: an edge, or a gap whose size is asserted.
    bool receives() const { return any_block(sources()); }
    bool sends() const { return any_block(targets()); }
    /// There is an edge from, to this process.
    bool receives_from(int process) const;
    bool sends_to(int process) const;

    void check_root(int root) const;
    /// `slots` blocks of `count` elements.
    engine::Blocks regular(const void* buffer, int slots, MPI_Count count, MPI_Datatype type,
                           const SideNames& names) const;
    engine::Blocks varying(const void* buffer, const std::vector<int>& partners, const mpi::Numbers& counts,
                           const mpi::Numbers& displacements, MPI_Datatype type,
                           const SideNames& names) const;
    engine::Blocks typed(const void* buffer, const std::vector<int>& partners, const mpi::Numbers& counts,
                         const mpi::Numbers& displacements, const MPI_Datatype types[],
                         const SideNames& names) const;
    void check_operator(MPI_Op op, MPI_Datatype type, MPI_Count count, const char* name = "count") const;
    /// Regular blocks of plain data that begin at one address on both sides are a mistake.
    void check_distinct(const engine::Blocks& send, const engine::Blocks& receive) const;

private:
    bool gaps_have_sizes() const;
    bool any_block(const std::vector<int>& partners) const;
    const std::vector<int>* gaps_of(const std::vector<int>& partners) const;
    static void check_arrays(const mpi::Numbers& counts, const mpi::Numbers& displacements,
                             const SideNames& names);
    void check_block(const engine::Blocks& blocks, int slot, const SideNames& names) const;

    MPI_Comm comm_;
    std::shared_ptr<const topology::GraphInfo> graph_info_;
};

} // namespace ortho::collectives
