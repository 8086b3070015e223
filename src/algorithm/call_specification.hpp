// SPDX-License-Identifier: BSD-3-Clause
// What is to be planned, and for whom.  No MPI in this file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithm/dimension_order.hpp"
#include "grid/halo.hpp"
#include "grid/isomorphism.hpp"
#include "grid/local_graph.hpp"
#include "grid/neighborhood.hpp"
#include "schedule/machine.hpp"

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

/// What one process knows of the communicator.  All but `graph` is equal everywhere.
struct PlannerContext {
    grid::LocalGraph graph;
    /// The common stencil, if the neighborhoods are isomorphic.
    std::optional<grid::Neighborhood> neighborhood;
    /// In regular calls all processes have one block size (grid/uniformity.hpp).
    bool regular_sizes_agree = false;
    /// In v and w calls all processes have one size for equal canonical indices, and this
    /// process has a slot to read it from for each of them (info ortho_assert_uniform).
    bool irregular_sizes_agree = false;
    /// In regular reductions all processes have one size (grid/uniformity.hpp).
    bool reduction_sizes_agree = false;
    schedule::Layout layout;

    /// All that follows from a common stencil.
    void set_stencil(const grid::Isomorphism& isomorphism)
    {
        neighborhood = isomorphism.neighborhood;
        regular_sizes_agree = isomorphism.regular_sizes_agree();
        reduction_sizes_agree = isomorphism.reduction_sizes_agree();
    }
};

/// Is there one process that data comes from, or goes to?
constexpr bool has_root(Collective collective)
{
    return collective == Collective::bcast || collective == Collective::gather ||
           collective == Collective::scatter || collective == Collective::reduce;
}

/// Are values combined, which algorithms may do in other orders and so round differently?
constexpr bool reduces(Collective collective)
{
    return collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::reduce_scatter || collective == Collective::halo_reduce;
}

/// May blocks travel through other processes?
enum class Forwarding : std::uint8_t {
    yes,      ///< processes stay in our calls until the operation is over, or promise to come by
    if_bound, ///< they may leave a started operation alone, unless somebody names an algorithm that forwards
    verified, ///< likewise, since the call is verified
    never,    ///< the operation has but one phase of messages
};

/// Have processes compared the sizes of their blocks?
enum class Compared : std::uint8_t {
    no,
    equal,     ///< `CallSpecification::sizes`, or block_bytes of a regular call, are equal everywhere
    different, ///< they are not
};

/// What processes have agreed on for an algorithm.
struct Agreed {
    std::string_view algorithm;
    std::vector<int> numbers; ///< what they mean is the algorithm's business
};

/// The messages of a call, if each partner gets one: the extremes of all processes.
struct Extremes {
    std::int64_t messages; ///< that a process sends
    std::int64_t heaviest; ///< bytes
    std::int64_t lightest;
};

/// What processes send to, or receive from, other nodes, if each partner gets a message of its own: the most
/// that any of them has.
struct OffNodeMessages {
    int messages;
    std::int64_t bytes_a_message; ///< on average
};

/// How long a call took by an algorithm of the list, on all processes.
struct Measured {
    std::string_view algorithm;
    std::int64_t time_ps;
};

/// One call, as far as planning goes.  All but the sizes' meaning for a process without edges
/// is equal everywhere.
struct CallSpecification {
    Collective collective = Collective::barrier;
    int root = 0;
    bool in_place = false;
    /// A v or w form.
    bool irregular = false;
    /// The operator of a reduction does.
    bool commutative = true;
    Forwarding forwarding = Forwarding::yes;
    /// A persistent operation is made, so that processes may agree on something first.
    bool persistent = false;
    /// This goes before what the context says.
    Compared compared = Compared::no;
    /// Bytes of a block; of an irregular call and of a halo, the sum is taken over `sizes` instead.
    std::int64_t block_bytes = 0;
    /// Bytes, if sizes agree: one number for all blocks, or one a canonical index; of halos, one a slot.
    std::vector<std::int64_t> sizes = {};
    /// What processes have agreed on, by algorithm.
    std::vector<Agreed> agreed = {};
    // Of persistent calls; processes have compared them.
    std::optional<Extremes> extremes = std::nullopt;
    std::optional<OffNodeMessages> off_node = std::nullopt;
    /// Of those that were tried; then the fastest of them is taken.
    std::vector<Measured> measured = {};
    /// Messages between processes of a node go through shared memory.
    bool shared_memory = false;
    bool forwards_by_mpi = false; ///< where it does: but those of algorithms that forward are MPI's
    schedule::Large large = schedule::Large::shared; ///< where it does: its large messages
    /// Of halo exchanges: what is exchanged.
    std::shared_ptr<const grid::Halo> halo = nullptr;
    /// A collective that one of these algorithms serves uses no algorithm but these.
    std::vector<std::string> algorithms = {};
    /// A persistent operation tries out the algorithms that apply.
    bool measure = false;
    /// Nobody asks what it takes, where there is but one algorithm.  Need not be equal everywhere: it decides
    /// nothing.
    bool only_to_choose = false;

    void set_sizes(std::vector<std::int64_t> bytes)
    {
        sizes = std::move(bytes);
        block_bytes = sizes.size() == 1 ? sizes[0] : 0;
    }
};

/// The numbers that processes have agreed on for an algorithm; null if they have not.
inline const std::vector<int>* agreed_numbers(const CallSpecification& specification,
                                              std::string_view algorithm)
{
    for (const Agreed& agreed : specification.agreed)
        if (agreed.algorithm == algorithm) return &agreed.numbers;
    return nullptr;
}

} // namespace ortho::algorithm
