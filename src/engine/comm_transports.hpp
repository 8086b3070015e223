// SPDX-License-Identifier: BSD-3-Clause
// The transports of messages between the processes of a communicator, for each kind of operation.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "algorithm/call_specification.hpp"
#include "engine/ways.hpp"
#include "grid/nodes.hpp"
#include "nodequeue/node_wires.hpp"
#include "nodequeue/shm_channels.hpp"
#include "schedule/machine.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

/// Transports that one persistent operation has for itself.  They lead nowhere before they are connected.
class OwnTransports {
public:
    OwnTransports() = default;
    OwnTransports(transport::Transports transports, std::shared_ptr<nodequeue::PrivateChannels> channels,
                  std::shared_ptr<nodequeue::NodeWires> wires, MPI_Comm private_comm)
        : transports_(std::move(transports)),
          channels_(std::move(channels)),
          wires_(std::move(wires)),
          private_comm_(private_comm)
    {}

    const transport::Transports& transports() const { return transports_; }
    /// Once the operation is bound to them: finds wires between nodes.  False if there is no memory for them.
    /// `tag`: that nothing else has.  Collective.
    bool connect_wires(int tag) { return wires_->connect(tag); }
    /// Once the operation is bound to them.  `tag`: that nothing else has.
    void begin_to_connect(int tag)
    {
        if (channels_) channels_->begin_to_connect(private_comm_, tag);
    }
    /// Goes on; true once they lead somewhere.
    bool are_connected() { return !channels_ || channels_->are_connected(); }
    /// The ranks that they have not heard of.
    std::vector<int> unheard() const { return channels_ ? channels_->unheard() : std::vector<int>(); }
    /// The operation is bound to them again, by the same schedule.
    void bind_again()
    {
        if (channels_) channels_->bind_again();
    }
    /// Does MPI move messages on that are bound to go another way?  Once connected.
    bool some_go_by_mpi() const { return channels_ && channels_->any_leads_nowhere(); }

private:
    transport::Transports transports_;
    std::shared_ptr<nodequeue::PrivateChannels> channels_; // null if there is nothing to connect
    std::shared_ptr<nodequeue::NodeWires> wires_;          // null if messages between nodes go by MPI
    MPI_Comm private_comm_ = MPI_COMM_NULL;
};

/// The transports of one communicator.  To be used under its graph's mutex.
class CommTransports {
public:
    /// `private_comm`: where nobody else uses the tags of this network's operations.  They take `tags` of
    /// them in turn, from `first_tag` on.  `memory`: that the processes of a node share; null if there is
    /// none.  `announces`: non-blocking operations use it, too.
    CommTransports(MPI_Comm private_comm, int first_tag, int tags,
                   std::shared_ptr<nodequeue::NodeChannels> memory, const nodequeue::Limits& limits,
                   bool announces);

    bool shares_memory() const { return channels_ != nullptr; }
    /// Do all these processes share memory with this one?
    bool shares_memory_with(std::span<const int> ranks, int me) const
    {
        return std::ranges::all_of(
            ranks, [&](int rank) { return rank == me || (channels_ && channels_->lead_to(rank)); });
    }
    /// The way of large messages on a node, where their senders wait.
    schedule::Large large_while_waiting() const
    {
        return channels_ && channels_->read_peers_always() ? schedule::Large::single
                                                           : schedule::Large::shared;
    }
    /// True if all processes are on one node, and share memory.
    bool all_here() const { return channels_ && channels_->all_here(); }

    /// For operations that all processes begin in the same order: by the communicator's channels, or by
    /// announced messages.
    const transport::Transports& of(OnNode on_node);
    /// MPI's messages alone.
    const transport::Transports& by_mpi() const { return by_mpi_; }
    // The next of those operations.  They must count on all processes, whatever comes.
    transport::Stamp next_blocking(int tag) { return {tag, channels_ ? channels_->next_operation() : 0}; }
    transport::Stamp next_nonblocking(int tag)
    {
        return {tag, channels_ ? channels_->next_nonblocking() : 0, first_tag_, tags_};
    }

    /// For one operation.  `wired`: its messages between these nodes go by wires; null if they do not.
    OwnTransports own(OnNode on_node, const algorithm::CallSpecification& specification,
                      std::shared_ptr<const grid::Nodes> wired) const;

private:
    MPI_Comm private_comm_;
    int first_tag_;
    int tags_;
    std::shared_ptr<nodequeue::NodeChannels> channels_; // null if there is no memory to share
    bool announces_;
    transport::Transports by_mpi_; // alone
    transport::Transports blocking_;
    transport::Transports nonblocking_; // once there are such operations
};

} // namespace ortho::engine
