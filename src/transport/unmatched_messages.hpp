// SPDX-License-Identifier: BSD-3-Clause
// Messages that nobody receives, since the calls of their two processes do not fit.
#pragma once

#include <mpi.h>

#include <span>

namespace ortho::transport {

/// A partner whose call does not fit, and how many messages of it come from there.
struct UnmatchedMessage {
    int partner;
    int messages;
};

/// Takes in what has come of these messages, and throws it away; true once all have.
bool take_in(MPI_Comm comm, int tag, std::span<UnmatchedMessage> misfits);

} // namespace ortho::transport
