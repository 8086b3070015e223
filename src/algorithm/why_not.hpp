// SPDX-License-Identifier: BSD-3-Clause
// The reasons why an algorithm does not apply to a call.  No MPI in this file.
#pragma once

#include <string_view>

namespace ortho::algorithm {

/// A reason.  Here are those of the planner and of several algorithms; an algorithm may have others.
struct WhyNot {
    /// A sentence for the user, which begins with a small letter and has no full stop: the fact, and the
    /// remedy if there is one.  Empty if the algorithm applies.
    std::string_view text;
    /// Other algorithms serve such calls: only a user who names this algorithm gets the reason.
    bool out_of_scope = false;

    bool operator==(const WhyNot&) const = default;

    static const WhyNot nothing; ///< it applies
    static const WhyNot not_isomorphic;
    static const WhyNot counts_may_differ;
    static const WhyNot sizes_may_differ;
    static const WhyNot sizes_differ;
    static const WhyNot regions_differ;
    static const WhyNot one_node;
    static const WhyNot not_full;
    static const WhyNot nodes_unknown;
    static const WhyNot too_many_edges;
    static const WhyNot one_size;
    static const WhyNot not_persistent;
    static const WhyNot no_rounds;
    static const WhyNot no_weights;
    static const WhyNot not_commutative;
    static const WhyNot results_may_differ;
    static const WhyNot nothing_to_combine;
    static const WhyNot others_named;
    static const WhyNot may_be_left_alone;
    static const WhyNot not_attached;
    static const WhyNot on_devices;
    static const WhyNot independent;
};

inline constexpr WhyNot WhyNot::nothing{""};
inline constexpr WhyNot WhyNot::not_isomorphic{
    "it is not known that all processes have the same offsets to their neighbors on a grid; "
    "make the communicator by ORTHO_Cart_neighborhood_create, or name the grid by "
    "ORTHO_Cart_name before the graph is made"};
inline constexpr WhyNot WhyNot::counts_may_differ{
    "blocks travel through other processes, which must know their sizes, and the "
    "neighborhood does not connect all processes, so that counts may differ; set info "
    "ortho_assert_uniform to true if they do not, or use the _init form, which compares them"};
inline constexpr WhyNot WhyNot::sizes_may_differ{
    "blocks travel through other processes, which must know their sizes, and in v and w "
    "calls sizes may differ from process to process; set info ortho_assert_uniform to true "
    "if they do not, or use the _init form, which compares them"};
inline constexpr WhyNot WhyNot::sizes_differ{
    "blocks travel through other processes, which must know their sizes, and the processes pass "
    "different sizes for the same neighbor"};
inline constexpr WhyNot WhyNot::regions_differ{
    "cells travel through other processes, which must know how many there are, and the processes have "
    "ghost regions of different sizes"};
inline constexpr WhyNot WhyNot::not_full{
    "cells travel through other processes, and some points of the grid have none (ORTHO_Cart_name_map)"};
inline constexpr WhyNot WhyNot::one_node{"it saves messages between nodes, and all processes are on one node",
                                         true};
inline constexpr WhyNot WhyNot::nodes_unknown{
    "it saves messages between nodes, and it is not known which processes share a node", true};
inline constexpr WhyNot WhyNot::too_many_edges{
    "the nodes have so many neighbors that planning it would take too long"};
inline constexpr WhyNot WhyNot::one_size{
    "it sends large blocks first, and in this call all blocks have one size; it is for "
    "persistent v and w calls",
    true};
inline constexpr WhyNot WhyNot::not_persistent{
    "the processes agree on an order of their messages, which takes longer than one call; "
    "persistent v and w calls do"};
inline constexpr WhyNot WhyNot::no_rounds{
    "it sends large messages first, and here no message is large, and twice as large as another, or "
    "there are too many messages to put in order"};
inline constexpr WhyNot WhyNot::no_weights{
    "all processes must know the rounds of all messages before the call, and here neither a common stencil "
    "nor weights tell them; set info ortho_sizes to weights when the graph is made, or use the _init form"};
inline constexpr WhyNot WhyNot::not_commutative{
    "it reduces in another order, and the operator does not commute; if it does, say so in "
    "MPI_Op_create"};
inline constexpr WhyNot WhyNot::results_may_differ{
    "in ORTHO_Reduce_scatterv the processes may have results of different sizes; use "
    "ORTHO_Reduce_scatter_block if they do not"};
inline constexpr WhyNot WhyNot::nothing_to_combine{
    "it combines what is on its way across several dimensions, and here each neighbor is one dimension away"};
inline constexpr WhyNot WhyNot::others_named{
    "other algorithms are named for this call, by ORTHO_ALGORITHM or info ortho_algorithm"};
inline constexpr WhyNot WhyNot::may_be_left_alone{
    "blocks travel through other processes, which may be busy elsewhere while the operation "
    "is under way; use a blocking call or ORTHO_Run, or set info ortho_forward to true after "
    "reading Progress in mpiortho(7)"};
inline constexpr WhyNot WhyNot::not_attached{
    "blocks travel through other processes, and for that the library needs a communicator of "
    "its own, which it has not made yet; make a blocking or an _init call on this "
    "communicator first, or duplicate it by ORTHO_Comm_dup"};
inline constexpr WhyNot WhyNot::on_devices{
    "blocks lie in the memory of devices, and stay there between processes of this node; what travels "
    "through other processes would go through host memory"};
inline constexpr WhyNot WhyNot::independent{
    "processes wait for others that are no neighbors, and the program has promised that processes which no "
    "path of neighbors connects call independently (info ortho_independent)"};

/// All these reasons but `nothing`.
inline constexpr WhyNot common_reasons[] = {
    WhyNot::not_isomorphic, WhyNot::counts_may_differ, WhyNot::sizes_may_differ,   WhyNot::sizes_differ,
    WhyNot::regions_differ, WhyNot::one_node,          WhyNot::not_full,           WhyNot::nodes_unknown,
    WhyNot::too_many_edges, WhyNot::one_size,          WhyNot::not_persistent,     WhyNot::no_rounds,
    WhyNot::no_weights,     WhyNot::not_commutative,   WhyNot::results_may_differ, WhyNot::nothing_to_combine,
    WhyNot::others_named,   WhyNot::may_be_left_alone, WhyNot::not_attached,       WhyNot::on_devices,
    WhyNot::independent};

} // namespace ortho::algorithm
