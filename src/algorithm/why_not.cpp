// SPDX-License-Identifier: BSD-3-Clause
// Why an algorithm does not apply to a call, in words.  No MPI in this file.

#include "algorithm/why_not.hpp"

namespace ortho::algorithm {

std::string_view text_of(WhyNot why_not)
{
    switch (why_not) {
    case WhyNot::nothing: return "";
    case WhyNot::not_isomorphic:
        return "it is not known that all processes have the same offsets to their neighbors on a grid; "
               "make the communicator by ORTHO_Cart_neighborhood_create, or name the grid by "
               "ORTHO_Cart_name before the graph is made";
    case WhyNot::counts_may_differ:
        return "blocks travel through other processes, which must know their sizes, and the "
               "neighborhood does not connect all processes, so that counts may differ; set info "
               "ortho_assert_uniform to true if they do not, or use the _init form, which compares them";
    case WhyNot::sizes_may_differ:
        return "blocks travel through other processes, which must know their sizes, and in v and w "
               "calls sizes may differ from process to process; set info ortho_assert_uniform to true "
               "if they do not, or use the _init form, which compares them";
    case WhyNot::sizes_differ:
        return "blocks travel through other processes, which must know their sizes, and the processes pass "
               "different sizes for the same neighbor";
    case WhyNot::one_node: return "it saves messages between nodes, and all processes are on one node";
    case WhyNot::nodes_unknown:
        return "it saves messages between nodes, and it is not known which processes share a node";
    case WhyNot::too_many_edges:
        return "the nodes have so many neighbors that planning it would take too long";
    case WhyNot::one_size:
        return "it sends large blocks first, and in this call all blocks have one size; it is for "
               "ORTHO_Alltoallv_init and ORTHO_Alltoallw_init";
    case WhyNot::not_persistent:
        return "the processes agree on an order of their messages, which takes longer than one call; use "
               "ORTHO_Alltoallv_init or ORTHO_Alltoallw_init";
    case WhyNot::no_rounds:
        return "it sends large messages first, and here no message is twice as large as another, or "
               "there are too many messages to put in order";
    case WhyNot::not_commutative:
        return "it reduces in another order, and the operator does not commute; if it does, say so in "
               "MPI_Op_create";
    case WhyNot::results_may_differ:
        return "in ORTHO_Reduce_scatterv the processes may have results of different sizes; use "
               "ORTHO_Reduce_scatter_block if they do not";
    case WhyNot::others_named:
        return "other algorithms are named for this call, by ORTHO_ALGORITHM or info ortho_algorithm";
    case WhyNot::may_be_left_alone:
        return "blocks travel through other processes, which may be busy elsewhere while the operation "
               "is under way; use a blocking call or ORTHO_Run, or set info ortho_forward to true after "
               "reading Progress in mpiortho(7)";
    case WhyNot::verified:
        return "blocks travel through other processes, and non-blocking calls do not do that where "
               "ORTHO_VERIFY=1 checks them; use a blocking or a persistent call";
    case WhyNot::not_attached:
        return "blocks travel through other processes, and for that the library needs a communicator of "
               "its own, which it has not made yet; make a blocking or an _init call on this "
               "communicator first, or duplicate it by ORTHO_Comm_dup";
    }
    return "";
}

} // namespace ortho::algorithm
