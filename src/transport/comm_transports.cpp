// SPDX-License-Identifier: BSD-3-Clause
// What messages between the processes of a communicator travel by, for each kind of operation.

#include "transport/comm_transports.hpp"

#include <utility>

#include "transport/detached.hpp"
#include "transport/point_to_point.hpp"
#include "transport/shared_memory.hpp"

namespace ortho::transport {

Network::Network(MPI_Comm channel)
    : channel_(channel),
      blocking_{point_to_point(channel)},
      nonblocking_(blocking_)
{}

void Network::share_memory(Memory memory)
{
    has_agreed_ = true;
    lines_ = std::move(memory);
    if (lines_) blocking_.insert(blocking_.begin(), shared_memory(lines_, channel_));
}

Transports Network::detached(MPI_Comm users) { return {transport::detached(users)}; }

OwnTransports Network::started(bool comes_by) const
{
    return own(lines_ ? std::make_shared<StartedLines>(*lines_, comes_by) : nullptr);
}

OwnTransports Network::run() const { return own(lines_ ? std::make_shared<RunLines>(*lines_) : nullptr); }

OwnTransports Network::own(std::shared_ptr<PrivateLines> lines) const
{
    Transports transports = nonblocking_;
    if (lines) transports.insert(transports.begin(), shared_memory(lines, channel_));
    return {std::move(transports), std::move(lines), channel_};
}

} // namespace ortho::transport
