// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood that a communicator carries, as MPI means it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mpi/interposer.hpp"
#include "pmpi/exchange_by_mpi.hpp"

namespace ortho::pmpi {

/// A process's neighbors.  Duplicates of a communicator share it.
struct Neighbors {
    std::vector<int> sources; ///< of receive block i; MPI_PROC_NULL: of nobody
    std::vector<int> targets; ///< of send block i
    /// The k-th edge to a process pairs with the k-th edge from it, if edge k carries send block blocks[k].
    /// On graphs blocks[k] is k.  On grids, too, but where both neighbors in a dimension are one process:
    /// what goes to -1 is to arrive from +1 (MPI-4.1 §8.6).
    std::vector<int> blocks;
    bool swapped = false;  ///< some blocks[k] is not k, on some process
    bool gaps = false;     ///< some process may have MPI_PROC_NULL in the lists of its graph
    bool repeated = false; ///< some process may have one neighbor twice
};

/// Where MPI's own call is right.
inline bool mpi_exchanges(const Neighbors& neighbors) { return !neighbors.repeated && !neighbors.gaps; }
/// All blocks of a process are one: repeated neighbors are nothing that MPI could confuse.
inline bool mpi_gathers(const Neighbors& neighbors) { return !neighbors.gaps; }

/// Counts what is alive of them.
class Living {
public:
    Living() { ++number_; }
    Living(const Living&) { ++number_; }
    Living& operator=(const Living&) = default;
    ~Living() { --number_; }
    static int number() { return number_.load(); }

private:
    static inline std::atomic<int> number_{0};
};

/// Which neighborhood collectives of a communicator stay MPI's, because they take longer with ours
/// (pmpi/left_to_mpi.hpp).
enum class Left : std::uint8_t {
    nothing,
    by_size, ///< exchanges of small RegularBlocks, and all other calls, unless MPI may be wrong
    all,
};

/// What is kept with a communicator that carries a topology.
struct TopologyAttribute {
    enum class Kind {
        graph, ///< MPI_DIST_GRAPH, or MPI_GRAPH: ORTHO's calls take it
        grid,  ///< MPI_CART: a full communicator to ORTHO's calls
    };

    Kind kind;
    std::shared_ptr<const Neighbors> neighbors;
    Left left = Left::nothing;
    MPI_Comm graph = MPI_COMM_NULL; ///< of a grid: its neighbors as a graph, once that is made
    Repeated exchanges{};
    std::shared_ptr<std::atomic<bool>> there = std::make_shared<std::atomic<bool>>(
        true); ///< until the communicator goes
    Living living{};
};

/// What `comm` carries; null if it carries no topology, or is none.  Local.
TopologyAttribute* carried_by(MPI_Comm comm);

/// The same for a neighborhood collective; null, too, where the call is to be MPI's own: the interposer is
/// off, the collectives are left to MPI, or the user wants the MPI's own pairing of repeated neighbors, and
/// there may be any.
TopologyAttribute* exchanged_on(MPI_Comm comm);

/// Blocks of one size that a process sends, and blocks of one size that it receives.
struct RegularBlocks {
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    MPI_Count recvcount;
    MPI_Datatype recvtype;
};
/// The same for a blocking exchange of these.
TopologyAttribute* exchanged_on(MPI_Comm comm, const RegularBlocks& blocks);

/// What all processes agree on when a graph is made: whether there are gaps and repeated neighbors, and
/// whether it is left to MPI.
class NeighborsVote final : public mpi::AlsoAgreed {
public:
    /// `comm`: of the same processes as the graph, or the graph itself.  `lists`: what this process knows of
    /// its neighbors, if they are right.  `info`: of the constructor.
    NeighborsVote(MPI_Comm comm, std::function<Neighbors()> lists, MPI_Info info)
        : comm_(comm),
          lists_(std::move(lists)),
          info_(info)
    {}

    void say(std::span<int, most> numbers) override;
    void hear(std::span<const int, most> largest) override;
    /// Once all have said, and heard: keeps it with the graph.
    int keep_with(MPI_Comm graph) const;

private:
    MPI_Comm comm_;
    std::function<Neighbors()> lists_;
    MPI_Info info_;
    bool gaps_ = false;
    bool repeated_ = false;
    Left left_ = Left::nothing;
};

/// Of a graph that has just been made: does all that.  Collective.
int agree_on_neighbors(MPI_Comm graph, MPI_Info info);

/// The communicator that ORTHO's calls understand: `comm` itself, or, of a grid, the graph of its neighbors,
/// made in the first call; that one returns its errors.  Collective the first time.  Null if it failed; the
/// error is raised.
MPI_Comm graph_of(TopologyAttribute& carried, MPI_Comm comm);

/// The same, if it is there already.  Local.
inline MPI_Comm graph_if_made(const TopologyAttribute& carried, MPI_Comm comm)
{
    return carried.kind == TopologyAttribute::Kind::graph ? comm : carried.graph;
}

/// Attributes are no more what they were: MPI has ended.
void forget_found();

extern "C" int copy_carried(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag);
extern "C" int delete_carried(MPI_Comm comm, int key, void* value, void* extra);

} // namespace ortho::pmpi
