// SPDX-License-Identifier: BSD-3-Clause
// The sizes that processes expect in exchanges that block.  A process that forwards a block must know its
// size, although it neither sends nor receives it.  So all processes agree on sizes in some calls, and expect
// them in the next calls, which ask nobody (doc/algorithms.md, Expected sizes):
//
//   neighborhoods    from      sizes are                               they serve
//   isomorphic       call 1    the same on all processes               algorithms that combine blocks
//   others, or if    call 2    those of each edge, the largest so far  wires between nodes
//   sizes differ
//
// One rule says when they agree.  The exchanges of one kind on a graph are counted, by all processes alike.
// In calls 1, 2, 4, 8, ... 128, and in every 128th call from there on, all processes hold one ballot.  It
// tells whether blocks were odd since the last ballot (engine/odd_blocks.hpp), and the sizes.  If sizes are
// expected and no block was odd, they stay expected.  If not, the processes decide anew, and the ballot was
// in vain.  If the ballot before was not in vain, calls are then counted from 1 again.  After 6 ballots in a
// row that were in vain nothing is expected any more, and the kind has no more ballots.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "algorithm/call_specification.hpp"
#include "call/buffer_blocks.hpp"
#include "engine/odd_blocks.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

/// The sizes that processes expect in the exchanges of one kind: alltoall or allgather, with one size or with
/// several.  All is equal on all processes but for `largest` and `some_were_odd`.
struct ExpectedSizes {
    static constexpr int most_in_vain = 6;
    static constexpr int longest_interval = 128;
    static constexpr int never = -1;

    std::shared_ptr<const Expectation> now{}; ///< null if nothing is expected
    int calls_left = 0;                       ///< before the call that holds the next ballot
    int interval = 1;                         ///< in calls, from the next ballot to the one after it
    int in_vain = 0;                          ///< ballots in a row
    /// The largest blocks in calls with a ballot, and odd ones: both ends of an edge have seen these.
    BlockBytes largest{};
    bool some_were_odd = false;

    /// Counts a call that holds no ballot.  False if the call must hold one.
    bool count()
    {
        if (calls_left == 0) return false;
        if (calls_left != never) --calls_left;
        return true;
    }
    /// Blocks of a call were odd.
    void note(const OddBlocks& odd, const Call& call);
};
/// By collective, and whether there are several sizes.
using ExpectedSizesOfKinds = std::map<std::pair<algorithm::Collective, bool>, ExpectedSizes>;

/// Counts a blocking call, and agrees on sizes if it is the call's turn.  Null if nothing can be expected in
/// such calls, which is so on all processes or on none; these are not counted.  Not to be called under the
/// mutex.
ExpectedSizes* expect_sizes(topology::Graph& graph, const Call& call);

} // namespace ortho::engine
