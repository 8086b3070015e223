// SPDX-License-Identifier: BSD-3-Clause
// The transports of messages between the processes of a communicator, for each kind of operation.

#include "engine/comm_transports.hpp"

#include <functional>

namespace ortho::engine {

CommTransports::CommTransports(MPI_Comm private_comm, int first_tag, int tags,
                               std::shared_ptr<nodequeue::NodeChannels> memory,
                               const nodequeue::Limits& limits, bool announces)
    : private_comm_(private_comm),
      first_tag_(first_tag),
      tags_(tags),
      channels_(std::move(memory)),
      announces_(announces && channels_)
{
    std::function<bool(int)> is_on_node;
    if (channels_) is_on_node = [channels = channels_](int rank) { return channels->lead_to(rank); };
    by_mpi_.push_back(transport::point_to_point(private_comm, std::move(is_on_node)));
    blocking_ = by_mpi_;
    if (!channels_) return;
    channels_->set(limits);
    blocking_ = {nodequeue::shared_memory(channels_, private_comm_), by_mpi_.back()};
}

const transport::Transports& CommTransports::of(OnNode on_node)
{
    if (on_node == OnNode::channels) return blocking_;
    if (on_node != OnNode::announced || !announces_) return by_mpi_;
    if (nonblocking_.empty())
        nonblocking_ = {nodequeue::announced_messages(channels_, by_mpi_.back(), private_comm_),
                        by_mpi_.back()};
    return nonblocking_;
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
