// SPDX-License-Identifier: BSD-3-Clause
// The processes of a graph know this of a call together: the sizes of its blocks, how many messages it has,
// the promises of its info, and its tags.  Some of it follows from the arguments.  On the rest the processes
// agree, in one ballot a time.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "agree/ballot.hpp"
#include "engine/context.hpp"

namespace ortho::engine {

// --- Without a ballot ------------------------------------------------------------------------------

/// True if the arguments of a right call have the same sizes on all processes.
bool sizes_agree(const Call& call, const topology::GraphInfo& graph_info);
/// Likewise for calls whose blocks have several sizes.
bool irregular_sizes_agree(const topology::GraphInfo& graph_info);
/// The bytes of the blocks of a call that may be combined, if they are equal on all processes: one number if
/// all blocks have one size, else one for each canonical index.  Nothing for other calls.  Throws base::Error
/// (truncate, count) if this process's own arguments contradict that.
std::optional<std::vector<std::int64_t>> agreed_sizes(const Call& call,
                                                      const topology::GraphInfo& graph_info);
/// Tells the planner the result of a comparison of sizes: nothing if they differ.
void set_compared(algorithm::CallSpecification& specification,
                  std::optional<std::vector<std::int64_t>> sizes);

// --- In a ballot -----------------------------------------------------------------------------------

/// The sizes of the blocks of a call, and its messages.
class CallVote {
public:
    /// Both must outlive it.
    CallVote(agree::Ballot& ballot, const topology::GraphInfo& graph_info);

    void say_sizes(const Call& call);
    /// If the call exchanges or reduces blocks among neighbors.  `bytes`: of its blocks, or larger ones.
    void say_messages(const Call& call, const BlockBytes& bytes, const CommTransports& network);

    // Once the ballot was held:

    /// True if all processes make the same call, with one size for all blocks.
    bool have_one_size() const;
    /// The bytes as agreed_sizes() tells them; nothing if any two processes know different ones.
    std::optional<std::vector<std::int64_t>> sizes() const;
    /// Nothing if nobody has said messages.
    std::optional<algorithm::Extremes> extremes() const;
    /// Nothing, too, if blocks of several processes may not travel together.
    std::optional<algorithm::ExchangeCounts> counts() const;

private:
    agree::Ballot& ballot_;
    const topology::GraphInfo& graph_info_;
    agree::AllEqual kind_{ballot_};           ///< collective and root
    agree::AllTrue are_of_one_size_{ballot_}; ///< the blocks of each process
    std::vector<agree::AllEqual> sizes_{};    ///< by canonical index, or one
    agree::Largest most_{ballot_};            ///< messages
    agree::Largest heaviest_{ballot_};
    agree::Smallest lightest_{ballot_};
    agree::AllTrue may_join_{ballot_};
    std::vector<agree::Largest> counts_{};
};

/// A persistent call.
struct AgreedCall {
    Call call;
    BlockBytes bytes; ///< of its blocks
    // The planner is told this of it if it is started, and if it is run:
    algorithm::CallSpecification started;
    algorithm::CallSpecification run;
    bool have_one_size = false; ///< all blocks of all processes
    int tag = 0;                ///< the first of two tags in a row, which are taken
};

/// Agrees on a persistent call in one ballot: on its tags, on the words of info (rank 0's list of algorithms,
/// promises that all make), and on sizes and messages.  If `describe` throws base::Error on any process, all
/// throw.  Collective; not to be called under the mutex.
AgreedCall agree_on_call(topology::Graph& graph, const call::Describe& describe, MPI_Info info);

/// The first of `n` tags in a row, which are taken on all processes.  Collective; not to be called under the
/// mutex.
int agree_on_tags(topology::Graph& graph, int n);

/// Neighbors compare the bytes of the blocks of a persistent call: both ends of a message must take the same
/// way.  Throws base::Error on all processes if any two differ.  `tag`: of private messages, which nothing
/// else has.  Collective; not to be called under the mutex.
void compare_with_neighbors(topology::Graph& graph, const Call& call, const BlockBytes& bytes, int tag);

} // namespace ortho::engine
