// SPDX-License-Identifier: BSD-3-Clause
// The sizes of blocks on communicators whose neighborhoods are isomorphic.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agree/ballot.hpp"
#include "algorithm/call_specification.hpp"
#include "planner/algorithm_list.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

struct Call;

/// Has the collective schedules that need sizes to agree?
bool may_combine(const Call& call);

/// Has each out-neighbor a block of its own?
bool sends_personal(planner::Collective collective);

/// A forwarding process reads the sizes of others' blocks off its own slots: has it one for each
/// canonical index?
bool has_slot_for_every_index(const topology::GraphInfo& graph_info);

/// Are the sizes of the call's blocks known everywhere, without asking?
bool sizes_agree(const Call& call, const topology::GraphInfo& graph_info);
/// True if the sizes of blocks that differ are known everywhere, too.
bool irregular_sizes_agree(const topology::GraphInfo& graph_info);

/// The bytes of the blocks of a call whose sizes agree everywhere, and which may be combined: one number if
/// they are all equal, else one for each canonical index; nothing of other calls.  Throws base::Error
/// (truncate, count) if this process's own arguments contradict that.
std::optional<std::vector<std::int64_t>> agreed_sizes(const Call& call,
                                                      const topology::GraphInfo& graph_info);

/// Does a block of the call go along an edge?
bool has_block(const Call& call, int source, int target);

/// Do blocks go along the same edges on all processes, and have all of them one size?
class SizesVote {
public:
    explicit SizesVote(agree::Ballot& ballot) : has_one_(ballot), size_(ballot), kind_(ballot) {}
    void say(const Call& call);
    bool are_equal() const { return has_one_.holds() && size_.holds() && kind_.holds(); }

private:
    agree::AllTrue has_one_;
    agree::AllEqual size_;
    agree::AllEqual kind_; ///< collective and root
};

/// Neighbors compare the bytes of the blocks of a persistent call: both ends of a message must take the same
/// way.  Throws base::Error on all processes if any two differ.  `tag`: of private messages, which nothing
/// else has.  Collective; not to be called under the mutex.
void compare_with_neighbors(topology::Graph& graph, const Call& call, int tag);

/// known_sizes() says this where this process's two sides differ.
inline constexpr long long contradictory_size = 1LL << 62;

/// The bytes that this process knows of: one number for a regular call or an allgather, else one for
/// each canonical index; -1 where it neither sends nor receives.
std::vector<long long> known_sizes(const Call& call, const grid::Isomorphism& isomorphism);

/// The sizes that processes know of, block by block, if all that know one say the same.  Collective;
/// not to be called under the mutex.
std::optional<std::vector<std::int64_t>> compare_sizes(topology::Graph& graph, const Call& call,
                                                       const grid::Isomorphism& isomorphism);
void set_compared(algorithm::CallSpecification& specification,
                  std::optional<std::vector<std::int64_t>> sizes);

} // namespace ortho::engine
