// SPDX-License-Identifier: BSD-3-Clause
// The call to plan, and the communicator that it is on.  No MPI in this file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm/offset_steps.hpp"
#include "grid/halo.hpp"
#include "grid/isomorphism.hpp"
#include "grid/local_graph.hpp"
#include "grid/neighborhood.hpp"
#include "schedule/machine.hpp"
#include "schedule/work.hpp"

namespace ortho::algorithm {

/// The collectives that have schedules; v and w forms are the same collective.
enum class Collective : std::uint8_t {
    barrier,
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter,
    halo,
    halo_reduce,
};

/// The agreement of all processes for an algorithm.
struct Agreed {
    std::string_view algorithm;
    std::vector<int> numbers; ///< their meaning is the algorithm's own
    // The work of the processes that have most of it, in bytes, if messages go in rounds, or at once.
    std::vector<schedule::PhaseCounts> in_rounds = {};
    std::vector<schedule::PhaseCounts> at_once = {};
};

/// One process's knowledge of the communicator.  All but `graph` is equal everywhere.
struct PlannerContext {
    grid::LocalGraph graph;
    /// The common stencil, if the neighborhoods are isomorphic.
    std::optional<grid::Neighborhood> neighborhood;
    /// Nobody has named its grid.
    bool has_found_grid = false;
    /// In regular calls all processes have one block size (grid/isomorphism.hpp).
    bool regular_sizes_agree = false;
    /// In v and w calls all processes have one size for equal canonical indices, and this process has a slot
    /// for each of them to read it from (info ortho_assert_uniform).
    bool irregular_sizes_agree = false;
    /// In regular reductions all processes have one size (grid/isomorphism.hpp).
    bool reduction_sizes_agree = false;
    schedule::Layout layout;
    /// Processes that no path of edges connects call independently (info ortho_independent).
    bool independent = false;
    /// The number of messages that meet at a process without loss (schedule::may_meet); the planner sets it.
    int may_meet = 0;
    /// Rounds of messages whose sizes the weights of edges tell (info ortho_sizes); null if nobody says so.
    std::shared_ptr<const Agreed> by_weights = nullptr;

    /// Sets all members that follow from a common stencil.
    void set_stencil(const grid::Isomorphism& isomorphism)
    {
        neighborhood = isomorphism.neighborhood;
        regular_sizes_agree = isomorphism.regular_sizes_agree();
        reduction_sizes_agree = isomorphism.reduction_sizes_agree();
    }
};

/// Does data come from one process, or go to one?
constexpr bool has_root(Collective collective)
{
    return collective == Collective::bcast || collective == Collective::gather ||
           collective == Collective::scatter || collective == Collective::reduce;
}

/// True if blocks are exchanged, or reduced, along all edges.
constexpr bool is_among_neighbors(Collective collective)
{
    return collective == Collective::alltoall || collective == Collective::allgather ||
           collective == Collective::allreduce || collective == Collective::reduce_scatter;
}

/// True if each out-neighbor gets a block of its own.
constexpr bool sends_personal(Collective collective)
{
    return collective == Collective::alltoall || collective == Collective::reduce_scatter;
}

/// Does the collective combine values?  Algorithms may do so in other orders, and so round differently.
constexpr bool reduces(Collective collective)
{
    return collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::reduce_scatter || collective == Collective::halo_reduce;
}

/// When blocks may travel through other processes.
enum class Forwards : std::uint8_t {
    always,      ///< processes stay in our calls until the operation is over
    if_promised, ///< they may leave a started operation alone, unless all have promised to come by
    never,       ///< the operation has but one phase of messages
};

/// The result of comparing the sizes of blocks on all processes.
enum class Compared : std::uint8_t {
    no,
    equal,     ///< `CallSpecification::sizes`, or block_bytes of a regular call, are equal everywhere
    different, ///< sizes differ
};

/// The messages of a call, if each partner gets one: the extremes of all processes.
struct Extremes {
    std::int64_t messages; ///< that a process sends
    std::int64_t heaviest; ///< bytes
    std::int64_t lightest;
};

/// The messages that a process sends, or receives, if each partner gets one: the most of any process.
struct ExchangeCounts {
    std::int64_t node_messages; ///< on its node
    std::int64_t node_bytes;
    std::int64_t off_messages; ///< to other nodes, or from them
    std::int64_t off_bytes;
    std::int64_t nodes; ///< how many others it sends to, or receives from
};

/// One call, as planning sees it.  All is equal everywhere, but for the meaning of the sizes on a process
/// without edges.
struct CallSpecification {
    Collective collective = Collective::barrier;
    int root = 0;
    bool in_place = false;
    /// A v or w form.
    bool irregular = false;
    /// The operator of a reduction commutes.
    bool commutative = true;
    /// `always`, too, if all processes have promised.  If they have not, algorithms that are named may
    /// forward.
    Forwards forwards = Forwards::always;
    bool on_devices = false; ///< all processes are on one node, and data lies on devices
    /// A persistent operation is made, so processes may agree on something first.
    bool persistent = false;
    /// The result of a comparison goes before the context.
    Compared compared = Compared::no;
    /// Bytes of a block.  Irregular calls and halos sum up `sizes` instead.
    std::int64_t block_bytes = 0;
    /// Bytes, if sizes agree: one for all blocks, or one for each canonical index (of a halo, for each slot).
    std::vector<std::int64_t> sizes = {};
    /// The agreements of all processes, by algorithm.
    std::vector<Agreed> agreed = {};
    // Messages of persistent calls, which all processes have compared.
    std::optional<Extremes> extremes = std::nullopt;
    /// Nothing, too, if no messages of several processes may travel together.
    std::optional<ExchangeCounts> counts = std::nullopt;
    /// Messages between processes of a node go through shared memory.
    bool shared_memory = false;
    bool forwards_by_mpi = false; ///< with shared_memory: MPI carries the messages of algorithms that forward
    schedule::Large large = schedule::Large::shared; ///< with shared_memory: the way of its large messages
    /// The halo of a halo exchange.
    std::shared_ptr<const grid::Halo> halo = nullptr;
    /// If any of these algorithms serves the collective, it uses no others.
    std::vector<std::string> algorithms = {};
    /// Nobody asks for the price if there is one algorithm only.  This decides nothing, so it may differ.
    bool only_to_choose = false;

    void set_sizes(std::vector<std::int64_t> bytes)
    {
        sizes = std::move(bytes);
        block_bytes = sizes.size() == 1 ? sizes[0] : 0;
    }
};

/// The numbers of the agreement for an algorithm; null if there is none.
inline const std::vector<int>* agreed_numbers(const CallSpecification& specification,
                                              std::string_view algorithm)
{
    for (const Agreed& agreed : specification.agreed)
        if (agreed.algorithm == algorithm) return &agreed.numbers;
    return nullptr;
}

} // namespace ortho::algorithm
