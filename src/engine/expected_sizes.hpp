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
// tells whether blocks were odd since the last ballot (OddBlocks), and the sizes.  If sizes are
// expected and no block was odd, they stay expected.  If not, the processes decide anew, and the ballot was
// in vain.  If the ballot before was not in vain, calls are then counted from 1 again.  After 6 ballots in a
// row that were in vain nothing is expected any more, and the kind has no more ballots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "call/buffer_blocks.hpp"
#include "call/call.hpp"
#include "topology/graph.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

using call::Call;

/// The bytes of the blocks of this process, by slot; 0 for gaps.
struct BlockBytes {
    std::vector<std::int64_t> sent{}, received{};
};
BlockBytes bytes_of(const Call& call, const grid::LocalGraph& lists);

/// The size of the block that goes along an edge: one slot may serve all edges of a side.
inline std::int64_t along(const std::vector<std::int64_t>& bytes, std::size_t edge)
{
    return bytes.empty() ? 0 : bytes[bytes.size() == 1 ? 0 : edge];
}

/// The sizes that all processes expect of the blocks of a call.  Both ends of an edge expect the same.
struct Expectation : BlockBytes {
    /// By canonical index, if these are the same on all processes.
    std::vector<std::int64_t> canonical{};
    // If the call goes by wires between nodes, whose places are as long as the blocks are expected to be:
    std::optional<algorithm::ExchangeCounts> counts{};
    transport::Transports by_wires{};

    /// A block that is shorter than its place on a wire is not odd.
    bool is_odd(std::int64_t bytes, std::int64_t expected) const
    {
        return counts ? bytes > expected : bytes != expected;
    }
};

/// The odd blocks of a call, whose sizes are not those that all processes expect.  Bytes of the expected size
/// travel in the place of such a block, and the block itself goes straight to its receiver afterwards.
class OddBlocks {
public:
    /// `all`: all blocks count as odd.
    OddBlocks(std::shared_ptr<const topology::GraphInfo> graph_info, const Call& call,
              const Expectation& expected, bool all = false);

    bool any() const { return any_; }
    /// The call with bytes of the expected sizes, which lie in this object, in the places of odd blocks.
    Call with_expected_sizes(const Call& call);
    /// The lists of the graph, with gaps where blocks are not odd.
    const grid::LocalGraph& edges() const { return edges_; }
    /// Raises sizes to those of the odd blocks.  `more`: and half as much again.
    void raise(BlockBytes& sizes, bool more) const;

private:
    struct Side {
        const std::vector<std::int64_t>& expected;
        std::vector<std::int64_t> bytes;
        std::vector<bool> odd{};
        std::vector<MPI_Count> counts{};
        std::vector<MPI_Aint> displacements{};
        std::vector<MPI_Datatype> types{};
    };
    call::BufferBlocks with_expected_sizes(const call::BufferBlocks& blocks, Side& side,
                                           const std::vector<int>& partners, std::byte*& room) const;

    std::shared_ptr<const topology::GraphInfo> graph_info_;
    grid::LocalGraph edges_;
    bool any_ = false;
    std::size_t room_bytes_ = 0;
    std::vector<std::byte> room_; ///< what travels in the places of odd blocks
    Side send_, receive_;
};

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
