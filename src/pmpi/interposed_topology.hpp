// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood of a communicator, with MPI's meaning.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
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

/// The interposer's attribute of a communicator with a topology.
struct InterposedTopology {
    enum class Kind {
        graph, ///< MPI_DIST_GRAPH or MPI_GRAPH, which ORTHO's calls know
        grid,  ///< MPI_CART, a full communicator for ORTHO's calls
    };

    Kind kind;
    std::shared_ptr<const Neighbors> neighbors;
    /// The number of processes of the communicator that this is a copy from; 0 if it is none.
    int copied_from = 0;
    bool is_attached = false; ///< the graph is attached, as far as it ever will be
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

/// Attaches the graph of a communicator that was just made on `parent`, or that gets its first call that may
/// wait (`parent` is `comm` then).  Collective.
void attach(InterposedTopology& attribute, MPI_Comm parent, MPI_Comm comm);

/// The decision about a neighborhood collective: the library's way, or MPI's own.
struct Replaced {
    InterposedTopology* attribute = nullptr; ///< null: it is MPI's own
    EdgeOrder order{};
    bool is_left = false; ///< it is MPI's own, although its communicator carries a topology
};

/// Collective in the first call that may wait.
Replaced replaced_on(MPI_Comm comm, Call call);

/// The slots of a new graph: about gaps and repeated neighbors.
class NeighborsVote final : public agree::Guest {
public:
    /// `lists` returns this process's neighbors, if they are right.
    explicit NeighborsVote(std::function<Neighbors()> lists) : lists_(std::move(lists)) {}

    void say() override;
    /// Keeps the result with the graph, once the ballot was held.
    int keep_with(MPI_Comm graph) const;

private:
    std::function<Neighbors()> lists_;
    agree::AnyTrue gaps_{ballot};
    agree::AnyTrue repeated_{ballot};
};

/// Does all this for a graph that has just been made.  Collective.
int agree_on_neighbors(MPI_Comm graph);

/// Forgets attributes that were found: MPI has ended.
void forget_found();

extern "C" int copy_attribute(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag);
extern "C" int delete_attribute(MPI_Comm comm, int key, void* value, void* extra);

} // namespace ortho::pmpi
