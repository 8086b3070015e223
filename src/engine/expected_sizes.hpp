// SPDX-License-Identifier: BSD-3-Clause
// The sizes of the blocks of v and w exchanges that block, on communicators whose neighborhoods are
// isomorphic.
//
// A process that forwards a block must know its size. MPI says nothing of the sizes of others' blocks.
// But nearly all programs with such neighborhoods have the same sizes on all processes, call after call.
// So the processes compare them once, in the first such call, and expect them from there on.
//
// Nothing needs to be asked in later calls. Both ends of an edge know the bytes of its block: they are
// equal in legal programs. If they are others than expected, the block is odd. Then bytes of the expected
// size travel in its place, which its receiver throws away, and it goes straight to its receiver
// afterwards. Processes that pass blocks on need not know.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/buffer_blocks.hpp"
#include "topology/graph.hpp"

namespace ortho::engine {

struct Call;

/// All is equal on all processes, but for `some_were_odd`.
struct ExpectedSizes {
    static constexpr int never = -1;
    static constexpr int most_calls = 128;

    bool are_decided = false;
    /// By canonical index; null if none are expected.
    std::shared_ptr<const std::vector<std::int64_t>> bytes;
    /// After so many calls that block, processes ask each other whether blocks were odd.  If any were, nothing
    /// is expected any more.
    int calls_left = never;
    int interval = 1;
    bool some_were_odd = false;

    void count_call()
    {
        if (calls_left > 0) --calls_left;
    }
};

/// The sizes that all processes expect of a call that blocks; null if none.  Counts the call.  All processes
/// get the same answer.  Not to be called under the mutex.
std::shared_ptr<const std::vector<std::int64_t>> expect_sizes(topology::Graph& graph, const Call& call);

/// The blocks of a call that have other sizes than are expected.
class OddBlocks {
public:
    OddBlocks(std::shared_ptr<const topology::GraphInfo> graph_info, const Call& call);

    bool any() const { return any_; }
    /// The call with blocks of the expected sizes in their places.  It refers to this object.
    Call stand_in(const Call& call);
    /// The lists of the graph, with gaps where blocks are not odd.
    const grid::LocalGraph& edges() const { return edges_; }

private:
    struct Side {
        std::vector<MPI_Count> counts;
        std::vector<MPI_Aint> displacements;
        std::vector<MPI_Datatype> types;
    };
    BufferBlocks stand_in(const BufferBlocks& blocks, const std::vector<int>& partners,
                          const std::vector<int>& odd, const std::vector<int>& slots, Side& side,
                          std::byte*& room) const;

    std::shared_ptr<const topology::GraphInfo> graph_info_;
    std::shared_ptr<const std::vector<std::int64_t>> expected_;
    grid::LocalGraph edges_;
    bool any_ = false;
    std::size_t bytes_ = 0; ///< that travel in the places of odd blocks
    std::vector<std::byte> room_;
    Side send_, receive_;
};

} // namespace ortho::engine
