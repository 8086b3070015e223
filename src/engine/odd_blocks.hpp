// SPDX-License-Identifier: BSD-3-Clause
// Blocks whose sizes are not those that all processes expect.  Bytes of the expected size travel in the place
// of such a block, and the block itself goes straight to its receiver afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "call/buffer_blocks.hpp"
#include "topology/graph.hpp"
#include "transport/transport.hpp"

namespace ortho::call {
struct Call;
}

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

/// The odd blocks of a call.
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
    BufferBlocks with_expected_sizes(const BufferBlocks& blocks, Side& side, const std::vector<int>& partners,
                                     std::byte*& room) const;

    std::shared_ptr<const topology::GraphInfo> graph_info_;
    grid::LocalGraph edges_;
    bool any_ = false;
    std::size_t room_bytes_ = 0;
    std::vector<std::byte> room_; ///< what travels in the places of odd blocks
    Side send_, receive_;
};

} // namespace ortho::engine
