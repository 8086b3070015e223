// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood of a communicator, with MPI's meaning.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "pmpi/pairing.hpp"

namespace ortho::pmpi {

/// The interposer's attribute of a communicator with a topology.  The library has the lists.
struct InterposedTopology {
    bool is_grid = false;     ///< MPI_CART, a full communicator for ORTHO's calls; else a graph to them
    std::size_t sources = 0;  ///< the number of receive blocks
    std::size_t targets = 0;  ///< the number of send blocks
    bool gaps = false;        ///< some process may have MPI_PROC_NULL in its lists
    bool repeated = false;    ///< some process may have one neighbor twice
    bool is_attached = false; ///< the graph is attached, as far as it ever will be

    /// The order of blocks in each call, by its number, if neighbors are repeated.
    struct Paired {
        bool is_left = false;                     ///< the call is MPI's own
        std::optional<std::vector<int>> blocks{}; ///< the send block of each edge; none: the edge's number
    };
    std::array<std::unique_ptr<const Paired>, Call::numbers> paired{}; ///< null before the first call
    std::shared_ptr<std::atomic<bool>> there = std::make_shared<std::atomic<bool>>(
        true); ///< until the communicator is freed
};

/// The decision about a neighborhood collective, and the order of its send blocks.
struct EdgeOrder {
    const InterposedTopology* neighbors = nullptr; ///< null: the call is MPI's own
    const std::vector<int>* blocks = nullptr;      ///< the send block of each edge; null: the edge's number
    bool is_left = false; ///< it is MPI's own, although its communicator carries a topology
};

/// The topology of `comm`; null if it carries none, or is MPI_COMM_NULL.  Local.
InterposedTopology* attribute_of(MPI_Comm comm);

/// Attaches the graph of a communicator that was just made on `parent`, or that gets its first call that may
/// wait (`parent` is `comm` then).  Collective.
void attach(InterposedTopology& attribute, MPI_Comm parent, MPI_Comm comm);

/// Collective in the first call that may wait.
EdgeOrder order_on(MPI_Comm comm, Call call);

/// Forgets attributes that were found: MPI has ended.
void forget_found();

extern "C" int delete_attribute(MPI_Comm comm, int key, void* value, void* extra);

} // namespace ortho::pmpi
