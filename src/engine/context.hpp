// SPDX-License-Identifier: BSD-3-Clause
// What the engine keeps with a communicator that carries a graph.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <memory>

#include "engine/binding.hpp"
#include "engine/blocks.hpp"
#include "planner/planner.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// A collective call on a graph, as its arguments describe it.
struct Call {
    planner::Collective collective;
    Blocks send;
    Blocks receive;
    bool irregular = false;
    int root = 0;
    bool in_place = false;
    MPI_Op op = MPI_OP_NULL;
};

/// The planner of a communicator, and the bindings of the calls it has seen.  To be used under
/// the graph's mutex.
class Context : public topology::Extension {
public:
    explicit Context(std::shared_ptr<const topology::Facts> facts);

    /// The binding of a call: the one from before, if all arguments are the same.
    std::shared_ptr<const Binding> bind(const Call& call);

    /// The tag of the next operation; all processes start their operations in the same order.
    int next_tag();

private:
    struct Kept {
        std::uint64_t hash;
        Key key;
        std::shared_ptr<const Binding> binding;
    };

    std::shared_ptr<const Binding> make(const Call& call);
    void keep(Kept kept);

    std::shared_ptr<const topology::Facts> facts_;
    planner::Planner planner_;
    std::list<Kept> kept_; // most recently used first
    std::size_t kept_temp_bytes_ = 0;
    Key key_;              // of the call being looked up
    int last_tag_ = 0;
};

/// The context of an attached graph, made at first use.  To be called under the graph's mutex.
Context& context_of(topology::Graph& graph);

} // namespace ortho::engine
