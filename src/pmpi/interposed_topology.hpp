// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood that a communicator carries, as MPI means it.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "agree/ballot.hpp"
#include "mpi/interposer.hpp"
#include "pmpi/pairing.hpp"

namespace ortho::pmpi {

/// A process's neighbors.  Duplicates of a communicator share it.
struct Neighbors {
    std::vector<int> sources; ///< of receive block i; MPI_PROC_NULL: of nobody
    std::vector<int> targets; ///< of send block i
    bool gaps = false;        ///< some process may have MPI_PROC_NULL in the lists of its graph
    bool repeated = false;    ///< some process may have one neighbor twice

    // The send block of each edge, of which the k-th to a process leads to the k-th from it.  Of use where
    // neighbors are repeated.
    std::vector<int> by_direction; ///< Pairing::by_direction; of a grid alone
    std::vector<int> reversed;     ///< Pairing::reversed
};

/// The order of the send blocks in a call.
struct EdgeOrder {
    const Neighbors* neighbors;
    const std::vector<int>* blocks; ///< the send block of each edge; null: the edge's number
};

/// Which neighborhood collectives of a communicator stay MPI's, because they take longer with ours
/// (pmpi/left_to_mpi.hpp).
enum class Left : std::uint8_t {
    nothing,
    by_size, ///< exchanges of small RegularBlocks, and all other calls, unless MPI may be wrong
    all,
};

/// What is kept with a communicator that carries a topology.
struct InterposedTopology {
    enum class Kind {
        graph, ///< MPI_DIST_GRAPH, or MPI_GRAPH: ORTHO's calls take it
        grid,  ///< MPI_CART: a full communicator to ORTHO's calls
    };

    Kind kind;
    std::shared_ptr<const Neighbors> neighbors;
    Left left = Left::nothing;
    /// Processes have agreed on what is left to MPI, and the graph is attached if it is to be.
    bool is_decided = false;
    /// How each call pairs the blocks of repeated neighbors, by its number, once it is known.
    struct Paired {
        bool is_known = false;
        bool is_left = false;
        const std::vector<int>* blocks = nullptr; ///< as in EdgeOrder
    };
    std::array<Paired, Call::numbers> paired{};
    std::shared_ptr<std::atomic<bool>> there = std::make_shared<std::atomic<bool>>(
        true); ///< until the communicator goes
};

/// What `comm` carries; null if it carries no topology, or is none.  Local.
InterposedTopology* attribute_of(MPI_Comm comm);

/// Agrees on what is left to MPI, and attaches the graph of a communicator that was just made on `parent`, or
/// in the first call on it that may wait.  Collective.
void decide(InterposedTopology& attribute, MPI_Comm parent, MPI_Comm comm);

/// Blocks of one size that a process sends, and blocks of one size that it receives.
struct RegularBlocks {
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    MPI_Count recvcount;
    MPI_Datatype recvtype;
};

/// The way of a neighborhood collective: the library's, or MPI's own.
struct Replaced {
    InterposedTopology* attribute = nullptr; ///< null: it is MPI's own
    EdgeOrder order{};
    bool is_left = false; ///< it is MPI's own although its communicator carries a topology
};

/// `blocks`: of a blocking exchange of blocks of one size; null of other calls.  Collective in the first call
/// that may wait.
Replaced replaced_on(MPI_Comm comm, Call call, const RegularBlocks* blocks = nullptr);

/// What decides which collectives of a communicator are left to MPI (pmpi/left_to_mpi.hpp).
class LeavingVote : public agree::Guest {
public:
    /// Counts the communicator.
    void hear() override;
    /// Once the ballot was held, and all have heard.  The same on all processes.
    Left left() const { return left_; }
    bool wants_graph() const override { return left_ != Left::all; }

protected:
    /// The neighbors of this process of `comm`, on a grid or a graph.  `info`: of the constructor.
    void say_of(MPI_Comm comm, InterposedTopology::Kind kind, const Neighbors& neighbors, MPI_Info info);

private:
    agree::AllTrue may_be_left_{ballot};
    agree::Largest processes_a_core_{ballot};
    agree::AllEqual processor_{ballot};
    agree::AllTrue knows_sizes_{ballot};
    Left left_ = Left::nothing;
};

/// What all processes agree on when a graph is made: whether there are gaps and repeated neighbors, and
/// whether it is left to MPI.
class NeighborsVote final : public LeavingVote {
public:
    /// `comm`: of the same processes as the graph, or the graph itself.  `lists`: what this process knows of
    /// its neighbors, if they are right.  `info`: of the constructor.
    NeighborsVote(MPI_Comm comm, std::function<Neighbors()> lists, MPI_Info info)
        : comm_(comm),
          lists_(std::move(lists)),
          info_(info)
    {}

    void say() override;
    /// Once all have said, and heard: keeps it with the graph.
    int keep_with(MPI_Comm graph) const;

private:
    MPI_Comm comm_;
    std::function<Neighbors()> lists_;
    MPI_Info info_;
    agree::AnyTrue gaps_{ballot};
    agree::AnyTrue repeated_{ballot};
};

/// Of a graph that has just been made: does all that.  Collective.
int agree_on_neighbors(MPI_Comm graph, MPI_Info info);

/// Attributes are no more what they were: MPI has ended.
void forget_found();

extern "C" int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag);
extern "C" int delete_attribute(MPI_Comm comm, int key, void* value, void* extra);

} // namespace ortho::pmpi
