// SPDX-License-Identifier: BSD-3-Clause
// What a request stands for: something started that ends some time.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/outstanding_operations.hpp"
#include "mpi/stall_report.hpp"

namespace ortho::engine {

/// A non-blocking or persistent operation.  One thread at a time starts and completes it; any thread
/// that waits for something may drive it.
class Task : public mpi::Driven {
public:
    /// Start it, for the first time or again once it is over.
    virtual void start() = 0;
    /// The same for processes that all stay in the library until it is over; the same as start() where that
    /// makes no difference.
    virtual void start_to_run() { start(); }

    /// Throws what went wrong, if anything did.  Once it is over.
    virtual void rethrow() const = 0;

    /// Has the receive block of this index arrived?  Throws base::Error (arg) for what is no index.
    virtual bool has_arrived(int slot) = 0;

    /// What was chosen, and why, in words.
    virtual std::string explanation() const = 0;

    /// For whom it waits.
    virtual mpi::Waiting waiting() = 0;

    /// Whose error handler is called.
    virtual MPI_Comm error_comm() const noexcept = 0;
};

} // namespace ortho::engine
