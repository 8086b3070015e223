// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms.  A new one is a file in src/algorithm/ and its name here.  No MPI in this file.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithm/algorithm.hpp"

/// The names of all objects of type Algorithm.  If prices are equal, the first algorithm is taken.  A grouped
/// algorithm with one dimension in each group costs as much as the combining one before it, which is then
/// taken.  On graphs without a stencil only persistent exchanges between nodes have one.  An ordered
/// algorithm sends the messages of the direct one, but no two messages of a round meet at a process: its price
/// is never higher, and it comes before that one.
#define ORTHO_ALGORITHMS(X)                                                                                  \
    X(barrier_direct)                                                                                        \
    X(bcast_direct)                                                                                          \
    X(gather_direct)                                                                                         \
    X(scatter_direct)                                                                                        \
    X(allgather_node_wires)                                                                                  \
    X(allgather_direct)                                                                                      \
    X(allgather_combining)                                                                                   \
    X(allgather_grouped)                                                                                     \
    X(allgather_radix)                                                                                       \
    X(allgather_node_pairs)                                                                                  \
    X(alltoall_node_wires)                                                                                   \
    X(alltoall_ordered)                                                                                      \
    X(alltoall_direct)                                                                                       \
    X(alltoall_rounds)                                                                                       \
    X(alltoall_combining)                                                                                    \
    X(alltoall_grouped)                                                                                      \
    X(alltoall_radix)                                                                                        \
    X(alltoall_node_pairs)                                                                                   \
    X(reduce_direct)                                                                                         \
    X(allreduce_node_wires)                                                                                  \
    X(allreduce_direct)                                                                                      \
    X(allreduce_combining)                                                                                   \
    X(allreduce_grouped)                                                                                     \
    X(allreduce_radix)                                                                                       \
    X(reduce_scatter_node_wires)                                                                             \
    X(reduce_scatter_direct)                                                                                 \
    X(reduce_scatter_combining)                                                                              \
    X(reduce_scatter_grouped)                                                                                \
    X(reduce_scatter_radix)                                                                                  \
    X(halo_direct)                                                                                           \
    X(halo_combining)                                                                                        \
    X(halo_node_pairs)                                                                                       \
    X(halo_reduce_direct)                                                                                    \
    X(halo_reduce_combining)

namespace ortho::algorithm {

#define ORTHO_DECLARE(name) extern const Algorithm name;
ORTHO_ALGORITHMS(ORTHO_DECLARE)
#undef ORTHO_DECLARE

} // namespace ortho::algorithm

namespace ortho::planner {

using algorithm::Algorithm;
using algorithm::Collective;

/// All algorithms, in the order of the list.
std::span<const Algorithm* const> all_algorithms();

/// Does an algorithm of this name exist for this collective?
bool serves(std::string_view name, Collective collective);

/// True if no algorithm has this name.
bool is_unknown(std::string_view name);

/// The names in the order of the list.
std::vector<std::string_view> all_names();

} // namespace ortho::planner
