// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood of a communicator, with MPI's meaning.
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
    std::vector<int> sources; ///< of receive block i; MPI_PROC_NULL: no process
    std::vector<int> targets; ///< of send block i
    bool gaps = false;        ///< some process may have MPI_PROC_NULL in the lists of its graph
    bool repeated = false;    ///< some process may have one neighbor twice

    // The send block of each edge, if neighbors are repeated.  The k-th edge to a process is its k-th edge
    // from this process.
    std::vector<int> by_direction; ///< Pairing::by_direction; only for a grid
    std::vector<int> reversed;     ///< Pairing::reversed
};

/// The order of the send blocks in a call.
struct EdgeOrder {
    const Neighbors* neighbors;
    const std::vector<int>* blocks; ///< the send block of each edge; null: the edge's number
};

/// The neighborhood collectives of a communicator that are left to MPI, since they take longer with ours
/// (pmpi/left_to_mpi.hpp).
enum class Left : std::uint8_t {
    nothing,
    by_size, ///< exchanges of small RegularBlocks, and other calls, unless MPI may be wrong
    all,
};

/// The interposer's attribute of a communicator with a topology.
struct InterposedTopology {
    enum class Kind {
        graph, ///< MPI_DIST_GRAPH or MPI_GRAPH, which ORTHO's calls know
        grid,  ///< MPI_CART, a full communicator for ORTHO's calls
    };

    Kind kind;
    std::shared_ptr<const Neighbors> neighbors;
    Left left = Left::nothing;
    /// The number of processes of the communicator that this is a copy from; 0 if it is none.
    int copied_from = 0;
    /// Processes have agreed on what is left to MPI, and the graph is attached if it is needed.
    bool is_decided = false;
    /// The pairing of repeated neighbors' blocks in each call, by its number, once it is known.
    struct Paired {
        bool is_known = false;
        bool is_left = false;
        const std::vector<int>* blocks = nullptr; ///< as in EdgeOrder
    };
    std::array<Paired, Call::numbers> paired{};
    std::shared_ptr<std::atomic<bool>> there = std::make_shared<std::atomic<bool>>(
        true); ///< until the communicator is freed
};

/// The topology of `comm`; null if it carries none, or is MPI_COMM_NULL.  Local.
InterposedTopology* attribute_of(MPI_Comm comm);

/// Agrees on what is left to MPI, and attaches the graph of a communicator that was just made on `parent`; or
/// does so in the first call on it that may wait.  Collective.
void decide(InterposedTopology& attribute, MPI_Comm parent, MPI_Comm comm);

/// Blocks of one size that a process sends, and blocks of one size that it receives.
struct RegularBlocks {
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    MPI_Count recvcount;
    MPI_Datatype recvtype;
};

/// The decision about a neighborhood collective: the library's way, or MPI's own.
struct Replaced {
    InterposedTopology* attribute = nullptr; ///< null: it is MPI's own
    EdgeOrder order{};
    bool is_left = false; ///< it is MPI's own, although its communicator carries a topology
};

/// `blocks` are those of a blocking exchange of blocks of one size; null for other calls.  Collective in the
/// first call that may wait.
Replaced replaced_on(MPI_Comm comm, Call call, const RegularBlocks* blocks = nullptr);

/// The slots that decide which collectives of a communicator are left to MPI (pmpi/left_to_mpi.hpp).
class LeavingVote : public agree::Guest {
public:
    /// Counts the communicator.
    void hear() override;
    /// The decision, after hear().  It is the same on all processes.
    Left left() const { return left_; }
    bool wants_graph() const override { return left_ != Left::all; }

protected:
    /// Fills the slots for the neighbors of this process of `comm`, on a grid or a graph.  `info` is the
    /// constructor's.
    void say_of(MPI_Comm comm, InterposedTopology::Kind kind, const Neighbors& neighbors, MPI_Info info);

private:
    agree::AllTrue may_be_left_{ballot};
    agree::Largest processes_a_core_{ballot};
    agree::AllEqual processor_{ballot};
    agree::AllTrue knows_sizes_{ballot};
    Left left_ = Left::nothing;
};

/// The slots of a new graph: about gaps and repeated neighbors, and about leaving it to MPI.
class NeighborsVote final : public LeavingVote {
public:
    /// `comm` has the processes of the graph, or is the graph itself.  `lists` returns this process's
    /// neighbors, if they are right.  `info` is the constructor's.
    NeighborsVote(MPI_Comm comm, std::function<Neighbors()> lists, MPI_Info info)
        : comm_(comm),
          lists_(std::move(lists)),
          info_(info)
    {}

    void say() override;
    /// Keeps the result with the graph, after hear().
    int keep_with(MPI_Comm graph) const;

private:
    MPI_Comm comm_;
    std::function<Neighbors()> lists_;
    MPI_Info info_;
    agree::AnyTrue gaps_{ballot};
    agree::AnyTrue repeated_{ballot};
};

/// Does all this for a graph that has just been made.  Collective.
int agree_on_neighbors(MPI_Comm graph, MPI_Info info);

/// Forgets attributes that were found: MPI has ended.
void forget_found();

extern "C" int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag);
extern "C" int delete_attribute(MPI_Comm comm, int key, void* value, void* extra);

} // namespace ortho::pmpi
