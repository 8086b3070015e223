// SPDX-License-Identifier: BSD-3-Clause
// Requests: what is under way, and its completion.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "process.hpp"

namespace loopback {

/// The contents of a status.
struct Outcome {
    int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    std::size_t bytes = 0;
    bool is_cancelled = false;
    int error = MPI_SUCCESS;
};

/// Made, used and destroyed by the process that it belongs to.
struct Request {
    explicit Request(MPI_Comm comm_) : comm(comm_) {}
    virtual ~Request() = default;
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;

    virtual const char* what() const = 0;
    /// Could it complete now?
    virtual bool is_ready() = 0;
    /// It completes.
    virtual Outcome finish() = 0;
    /// For persistent requests.
    virtual void start() {}
    virtual void cancel() {}

    MPI_Comm comm; ///< whose error handler is called
    bool is_persistent = false, is_active = true;
};

void set_status(MPI_Status* status, const Outcome& outcome);
/// The blocking form of what a request is.
void complete(Request& request, MPI_Status* status);

} // namespace loopback
