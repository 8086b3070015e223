// SPDX-License-Identifier: BSD-3-Clause
// The sizes of the blocks of exchanges that block.  A process that forwards a block must know its size.  So
// the processes agree on sizes early, and expect them from there on (doc/algorithms.md, Expected sizes):
//
//   neighborhoods    in          sizes are                              they serve
//   isomorphic       call 1      the same on all processes              algorithms that combine blocks
//   others, or if    call 3      those of this edge, the largest yet    wires between nodes
//   sizes differ
//
// A block of another size is odd; one by a wire only if it is longer.  Bytes of the expected size travel in
// its place, and it goes straight to its receiver afterwards.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "call/buffer_blocks.hpp"
#include "topology/graph.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

struct Call;

/// The sizes that processes expect in calls of one kind.
struct Expectation {
    /// By block of this process; 0 for gaps.
    std::vector<std::int64_t> sent, received;
    /// By canonical index, if they are the same on all processes.
    std::vector<std::int64_t> canonical{};
    /// For wires:
    std::optional<algorithm::ExchangeCounts> counts{};
    transport::Transports by_wires{};

    bool is_odd(std::int64_t bytes, std::int64_t expected) const
    {
        return counts ? bytes > expected : bytes != expected;
    }
};

/// All is equal on all processes, but for `largest` and `some_were_odd`.
struct ExpectedSizes {
    static constexpr int never = -1;
    static constexpr int most_calls = 128;
    /// So many calls after the first one of a kind all processes look at each call together.
    static constexpr int watched_calls = 64;
    static constexpr int calls_before_wires = 3;
    static constexpr int tries = 4; ///< to find wires that are long enough

    /// An alltoall or an allgather, with one size or with several.
    struct Kind {
        int calls = 0;                            ///< while they are watched
        bool are_compared = false;                ///< sizes of all processes
        bool is_decided = false;                  ///< about wires
        std::shared_ptr<const Expectation> now{}; ///< null if nothing is expected
        Expectation largest{};                    ///< sizes that both ends of each edge have seen
        bool some_were_odd = false;
        int tries_left = tries;
    };
    std::array<Kind, 4> kinds{};
    /// After so many calls that block, processes ask each other whether blocks were odd.  If any were, they
    /// decide anew.
    int calls_left = never;
    int interval = 1;
    int watched = 0; ///< calls from here on

    Kind& kind_of(const Call& call);
    /// Must all processes look at the next call together?
    bool are_due() const { return calls_left == 0 || watched > 0; }
    void count_call()
    {
        if (calls_left > 0) --calls_left;
    }
    void expect(Kind& kind, std::shared_ptr<const Expectation> expected)
    {
        kind.now = std::move(expected);
        calls_left = interval = 1;
    }
};

/// The sizes that all processes expect in a call that blocks; null if none.  Counts the call.  All get the
/// same answer.  Not to be called under the mutex.
std::shared_ptr<const Expectation> expect_sizes(topology::Graph& graph, const Call& call);

/// Blocks of this call were odd.  Not to be called under the mutex.
void note_odd_blocks(topology::Graph& graph, const Call& call);

/// The blocks of a call that have other sizes than are expected.
class OddBlocks {
public:
    /// `all`: they are odd whatever their sizes.
    OddBlocks(std::shared_ptr<const topology::GraphInfo> graph_info, const Call& call,
              const Expectation& expected, bool all = false);

    bool any() const { return any_; }
    /// The call with blocks of the expected sizes in their places, which lie one after the other.  It refers
    /// to this object.
    Call stand_in(const Call& call);
    /// The lists of the graph, with gaps where blocks are not odd.
    const grid::LocalGraph& edges() const { return edges_; }

private:
    struct Side {
        const std::vector<std::int64_t>& expected;
        std::vector<bool> odd{};
        std::vector<MPI_Count> counts{};
        std::vector<MPI_Aint> displacements{};
        std::vector<MPI_Datatype> types{};
    };
    BufferBlocks stand_in(const BufferBlocks& blocks, Side& side, const std::vector<int>& partners,
                          std::byte*& room) const;

    std::shared_ptr<const topology::GraphInfo> graph_info_;
    grid::LocalGraph edges_;
    bool any_ = false;
    std::size_t bytes_ = 0; ///< that travel in the places of odd blocks
    std::vector<std::byte> room_;
    Side send_, receive_;
};

} // namespace ortho::engine
