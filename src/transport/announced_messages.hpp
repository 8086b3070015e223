// SPDX-License-Identifier: BSD-3-Clause
// Messages of non-blocking operations that MPI moves between processes of a node.
//
// Each end chooses the way of a message by its size.  In a wrong program the ends may disagree, and MPIs let
// programs receive into blocks that are larger than what is sent.  So a message that goes by MPI is announced
// where those are that go through shared memory.  Whoever looks for a message there finds what was sent.
#pragma once

#include <memory>

#include "transport/shm_channels.hpp"
#include "transport/transport.hpp"

namespace ortho::transport {

/// `by_mpi`: what moves them.  The messages of one phase alone: they are looked for in the order of
/// operations.
std::shared_ptr<Transport> announced_messages(std::shared_ptr<NodeChannels> channels,
                                              std::shared_ptr<Transport> by_mpi);

} // namespace ortho::transport
