// SPDX-License-Identifier: BSD-3-Clause
// A request stands for a task, which is started and ends some time.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "grid/stencil.hpp"
#include "memory/kind.hpp"
#include "mpiortho.h"
#include "runtime/outstanding_operations.hpp"
#include "runtime/stall_report.hpp"

namespace ortho::request {

/// The owned elements of a field of a halo exchange are copied to a whole array at a root, or from there.
struct FieldMove {
    bool gathers;
    int field;
    const ORTHO_Field* whole; ///< counts at the root alone
    int root;
    bool is_active; ///< the exchange is under way
};

/// A non-blocking or persistent operation.  One thread at a time starts and completes it; any thread
/// that waits for something may drive it.
class Task : public runtime::Driven {
public:
    /// Starts it, for the first time or again once it is over.  `to_run`: all processes stay in the library
    /// until it is over.
    virtual void start(bool to_run) = 0;

    /// The next start comes after the work that is in the stream.  Throws base::Error if it is none.
    virtual void follow(void* stream) { memory::wait_for(stream); }
    /// advance(), for one whose end the host need not see: true, too, if what is put into the stream from now
    /// on finds the result.  Then it is over.
    virtual bool precede(void* /*stream*/, runtime::Backoff& backoff) { return advance(true, backoff); }

    /// Throws what went wrong, if anything did.  Once it is over.
    virtual void rethrow() const = 0;

    /// Has the receive block of this index arrived?  Throws base::Error (arg) for what is no index.
    virtual bool has_arrived(int slot) = 0;

    /// The algorithm that was chosen, and why, in words.
    virtual std::string explanation() const = 0;

    /// For whom it waits.
    virtual runtime::Waiting waiting() = 0;

    /// The ghost regions of a field that nothing fills here.  Throws base::Error (request) unless it is a
    /// halo exchange, (arg) for what is no field of it.
    virtual grid::Stencil unfilled(int) const { fail_as_no_halo(); }
    /// Throws base::Error (request) unless it is a halo exchange.  Collective over the processes of its grid.
    virtual void move_field(const FieldMove&) { fail_as_no_halo(); }
    /// The arrays of a halo exchange are others from the next start on.  Once it is over.
    virtual void rebind_fields(std::span<void* const>) { fail_as_no_halo(); }
    /// Where these fields begin.  Throws base::Error (arg) unless they are like those of the halo exchange.
    virtual std::vector<void*> bases_of_fields(std::span<const ORTHO_Field>) const { fail_as_no_halo(); }
    /// Likewise the arrays of an exchange of ghosts.
    virtual void rebind_ghosts(std::span<void* const>, std::span<void* const>)
    {
        base::fail(base::ErrorKind::request, "r",
                   "r is no exchange of ghosts: ORTHO_Ghosts_init makes those");
    }
    /// Likewise the buffers of a collective.
    virtual void rebind_buffers(const void*, void*)
    {
        base::fail(
            base::ErrorKind::request, "request",
            "request is an operation of MPI's own, which cannot get other buffers: set info ortho_rebind "
            "to true in the _init call");
    }

    /// The communicator whose error handler is called.
    virtual MPI_Comm error_comm() const noexcept = 0;

    /// For a halo exchange that is to get the buffers of a collective.
    [[noreturn]] static void fail_as_halo()
    {
        base::fail(base::ErrorKind::request, "request",
                   "request is a halo exchange, which gets other arrays by ORTHO_Halo_rebind");
    }
    [[noreturn]] static void fail_as_no_halo()
    {
        base::fail(base::ErrorKind::request, "request", "request is no halo exchange");
    }
};

} // namespace ortho::request
