// SPDX-License-Identifier: BSD-3-Clause
// The transports of messages between the processes of a communicator, for each kind of operation.

#include "engine/comm_transports.hpp"

#include <utility>

#include "nodequeue/announced_messages.hpp"
#include "nodequeue/shared_memory.hpp"
#include "transport/detached.hpp"
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

transport::Transports CommTransports::detached(MPI_Comm user_comm)
{
    return {transport::detached(user_comm)};
}

OwnTransports CommTransports::blocking_by_wires(std::shared_ptr<const grid::Nodes> nodes) const
{
    auto wires = std::make_shared<nodequeue::NodeWires>(channels_, std::move(nodes), private_comm_);
    return {{blocking_.front(), wires, blocking_.back()}, nullptr, wires, private_comm_};
}

OwnTransports CommTransports::started(bool comes_by, bool any_size, const Nodes& wired) const
{
    return own(channels_ ? std::make_shared<nodequeue::StartedChannels>(*channels_, comes_by, any_size)
                         : nullptr,
               wired);
}

OwnTransports CommTransports::run(const Nodes& wired) const
{
    return own(channels_ ? std::make_shared<nodequeue::RunChannels>(*channels_) : nullptr, wired);
}

OwnTransports CommTransports::own(std::shared_ptr<nodequeue::PrivateChannels> channels,
                                  const Nodes& wired) const
{
    transport::Transports transports = by_mpi_;
    std::shared_ptr<nodequeue::NodeWires> wires;
    if (wired) {
        wires = std::make_shared<nodequeue::NodeWires>(channels_, wired, private_comm_);
        transports.insert(transports.begin(), wires);
    }
    if (channels) transports.insert(transports.begin(), nodequeue::shared_memory(channels, private_comm_));
    return {std::move(transports), std::move(channels), std::move(wires), private_comm_};
}

} // namespace ortho::engine
