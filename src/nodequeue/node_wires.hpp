// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes that travel together (algorithm/wires.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "algorithm/wires.hpp"
#include "grid/nodes.hpp"
#include "nodequeue/shm_channels.hpp"
#include "transport/transport.hpp"

namespace ortho::nodequeue {

struct WireState;
class WireMessages;

/// The wires of one persistent operation, whose schedule has one phase.  On the nodes nothing is sent: all
/// rows of a node lie in the arena of its leader.  Each end of a wire has two rows, which take turns:
/// a process may begin its next execution while others have not ended this one.
class NodeWires final : public transport::Transport {
public:
    /// `comm`: for messages.
    NodeWires(std::shared_ptr<NodeChannels> channels, std::shared_ptr<const grid::Nodes> nodes,
              MPI_Comm comm);
    ~NodeWires() override;

    /// Once the operation is bound: finds wires for its messages.  False if there is no memory for them,
    /// which the processes of a node say alike.  `tag`: of messages, which nothing else has.  Collective.
    bool connect(int tag);

    bool reaches(int rank, std::size_t, std::size_t) const override { return nodes_->of(rank) != node_; }
    std::unique_ptr<transport::Messages> bind() override;
    std::unique_ptr<transport::Passage> passage(const transport::Labels& labels) override;
    bool all_take_part() const override { return true; } // agents have work whatever they send themselves
    const char* words() const override { return "by wires between nodes"; }

    // For messages and passages.
    MPI_Comm comm() const { return comm_; }
    const algorithm::WireTasks& tasks() const { return tasks_; }
    bool is_connected() const { return memory_ != nullptr; }
    int node_of(int rank) const { return nodes_->of(rank); }
    /// The part of this process in a wire to that node.
    const algorithm::UnionOfRows& part_for(int node) const { return parts_.at(node); }
    WireState& state(const algorithm::WireEnd& end) const;
    std::byte* row(const algorithm::WireEnd& end, std::uint64_t turn) const;
    /// The number of the execution that begins; the same on all processes.
    std::uint64_t next_turn() { return turns_++; }

private:
    int leader_of(int node) const { return nodes_->members(node).front(); }
    algorithm::WireDeclaration declare();
    algorithm::WireTasks lead(algorithm::WireDeclaration mine, int tag);

    std::shared_ptr<NodeChannels> channels_;
    std::shared_ptr<const grid::Nodes> nodes_;
    MPI_Comm comm_;
    int rank_;
    int node_;
    WireMessages* bound_ = nullptr;               // that were bound last
    std::map<int, algorithm::UnionOfRows> parts_; // by node
    algorithm::WireTasks tasks_;
    std::byte* memory_ = nullptr; // the node's
    std::uint64_t turns_ = 0;
};

} // namespace ortho::nodequeue
