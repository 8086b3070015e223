// SPDX-License-Identifier: BSD-3-Clause
// The ways of a call on a graph, as a table.  All calls go one road; what differs between them stands here.
// doc/calls.md has the same table, which tests/unit/ways_test compares.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithm/call_specification.hpp"

namespace ortho::engine {

using algorithm::Forwards; ///< a promise is info ortho_forward on all processes, or a progress thread in each

/// How a call is made.
enum class Way : std::uint8_t {
    blocking,
    run,         ///< a persistent operation, by ORTHO_Run
    started,     ///< a persistent operation, by ORTHO_Start
    nonblocking, ///< on an attached graph
    detached,    ///< on a graph that is not attached
};

/// Where messages between processes of a node travel.  Those between nodes go by MPI or, beside channels, by
/// wires.
enum class OnNode : std::uint8_t {
    channels,     ///< those of the communicator
    own_channels, ///< those of the operation
    own_rows,     ///< those of the operation, with room for each message
    announced,    ///< announced messages, or MPI's for algorithms that forward; MPI's alone in verified calls
    users_comm,   ///< one MPI_Ialltoallw on the user's communicator, as between nodes
};

/// The way of large messages on a node.
enum class LargeOnNode : std::uint8_t {
    by_price,           ///< one copy or two, whichever is faster
    by_price_or_by_mpi, ///< one copy or two if all have promised to come by, else MPI moves them on
    by_mpi,
    none,
};

/// Where the tag of an operation comes from.
enum class TagOf : std::uint8_t {
    turn,      ///< the next in turn
    kept_turn, ///< the next in turn, kept until the operation is over
    request,   ///< agreed when the request is made
    none,
};

/// The owner of operations that are over.
enum class KeptWith : std::uint8_t { graph, request };

struct WayFacts {
    Way way;
    bool caller_waits; ///< each caller, until the operation is over
    OnNode on_node;
    LargeOnNode large;
    Forwards forwards;
    TagOf tag;
    KeptWith kept_with;
};

inline constexpr WayFacts ways[] = {
    {Way::blocking, true, OnNode::channels, LargeOnNode::by_price, Forwards::always, TagOf::turn,
     KeptWith::graph},
    {Way::run, true, OnNode::own_channels, LargeOnNode::by_price, Forwards::always, TagOf::request,
     KeptWith::request},
    {Way::started, false, OnNode::own_rows, LargeOnNode::by_price_or_by_mpi, Forwards::if_promised,
     TagOf::request, KeptWith::request},
    {Way::nonblocking, false, OnNode::announced, LargeOnNode::by_mpi, Forwards::if_promised, TagOf::kept_turn,
     KeptWith::graph},
    {Way::detached, false, OnNode::users_comm, LargeOnNode::none, Forwards::never, TagOf::none,
     KeptWith::graph},
};

constexpr const WayFacts& facts_of(Way way) { return ways[static_cast<std::size_t>(way)]; }

} // namespace ortho::engine
