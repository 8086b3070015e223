// SPDX-License-Identifier: BSD-3-Clause
// The transports of messages between the processes of a communicator, for each kind of operation.

#include "engine/comm_transports.hpp"

#include <utility>

#include "nodequeue/announced_messages.hpp"
#include "nodequeue/shared_memory.hpp"
#include "transport/point_to_point.hpp"

namespace ortho::engine {

CommTransports::CommTransports(MPI_Comm private_comm, int first_tag, int tags)
    : private_comm_(private_comm),
      first_tag_(first_tag),
      tags_(tags),
      blocking_{transport::point_to_point(private_comm, nullptr)},
      nonblocking_(blocking_),
      by_mpi_(blocking_)
{}

void CommTransports::share_memory(std::shared_ptr<nodequeue::NodeChannels> memory,
                                  const nodequeue::Limits& limits, bool nonblocking)
{
    channels_ = std::move(memory);
    if (!channels_) return;
    channels_->set(limits);
    by_mpi_ = {transport::point_to_point(
        private_comm_, [channels = channels_](int rank) { return channels->lead_to(rank); })};
    blocking_ = {nodequeue::shared_memory(channels_, private_comm_), by_mpi_.back()};
    nonblocking_ = by_mpi_;
    if (nonblocking)
        nonblocking_.insert(nonblocking_.begin(),
                            nodequeue::announced_messages(channels_, by_mpi_.back(), private_comm_));
}

OwnTransports CommTransports::own(OnNode on_node, const algorithm::CallSpecification& specification,
                                  std::shared_ptr<const grid::Nodes> wired) const
{
    transport::Transports transports = by_mpi_;
    const auto add = [&](const auto& transport) { transports.insert(transports.begin(), transport); };
    std::shared_ptr<nodequeue::NodeWires> wires;
    if (wired)
        add(wires = std::make_shared<nodequeue::NodeWires>(channels_, std::move(wired), private_comm_));
    std::shared_ptr<nodequeue::PrivateChannels> channels;
    if (channels_ && on_node == OnNode::own_channels)
        channels = std::make_shared<nodequeue::RunChannels>(*channels_);
    else if (channels_ && on_node == OnNode::own_rows)
        channels = std::make_shared<nodequeue::StartedChannels>(
            *channels_, specification.forwards == algorithm::Forwards::always,
            specification.large == schedule::Large::shared);
    if (channels)
        add(nodequeue::shared_memory(channels, private_comm_));
    else if (on_node == OnNode::channels)
        add(blocking_.front());
    return {std::move(transports), std::move(channels), std::move(wires), private_comm_};
}

} // namespace ortho::engine
