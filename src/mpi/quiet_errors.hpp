// SPDX-License-Identifier: BSD-3-Clause
// MPI calls whose errors we report ourselves.
#pragma once

#include <mpi.h>

#include <optional>

#include "mpi/failure.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/which_mpi.hpp"

namespace ortho::mpi {

/// While it lives, errors that MPI raises on no particular communicator come back as codes.
///
/// Such errors go through the handlers of MPI_COMM_SELF and MPI_COMM_WORLD, which abort by default, whatever
/// the user has set on the communicator of the call.  Examples are MPI_Reduce_local and, in MPICH, the
/// completion of requests.
class QuietErrors {
public:
    QuietErrors()
    {
        if (!has_world()) return; // the two communicators do not exist
        for (int i = 0; i < 2; ++i) {
            check(PMPI_Comm_get_errhandler(comms_[i], &handlers_[i]));
            check(return_errors(comms_[i]));
        }
    }
    ~QuietErrors()
    {
        for (int i = 0; i < 2; ++i) {
            if (handlers_[i] == MPI_ERRHANDLER_NULL) continue;
            PMPI_Comm_set_errhandler(comms_[i], handlers_[i]);
            PMPI_Errhandler_free(&handlers_[i]);
        }
    }
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

private:
    MPI_Comm comms_[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler handlers_[2] = {MPI_ERRHANDLER_NULL, MPI_ERRHANDLER_NULL};
};

/// While it lives, errors of completing requests come back as codes; some MPIs raise them on other
/// communicators than the requests'.  Does nothing with MPI_THREAD_MULTIPLE, where handlers would change
/// while other threads use them.
class QuietRequests {
public:
    /// The kind of the requests.
    enum class Of { messages, collectives };

    explicit QuietRequests(Of of = Of::messages)
    {
        if (kept_quiet_ || !raised_elsewhere(of)) return;
        int provided = MPI_THREAD_SINGLE;
        check(PMPI_Query_thread(&provided));
        if (provided == MPI_THREAD_MULTIPLE) return;
        quiet_.emplace();
        kept_quiet_ = true;
    }
    ~QuietRequests()
    {
        if (quiet_) kept_quiet_ = false;
    }
    QuietRequests(const QuietRequests&) = delete;
    QuietRequests& operator=(const QuietRequests&) = delete;

    /// Says who raises errors of completing a request on the user's communicator.
    static Failure::Raised raised_by() { return kept_quiet_ ? Failure::Raised::no : Failure::Raised::by_mpi; }

private:
    static bool raised_elsewhere(Of of)
    {
        const WhichMpi& which = which_mpi();
        return which.is_mpich || (which.is_open_mpi && of == Of::collectives && which.major < 5);
    }

    static inline thread_local bool kept_quiet_ = false;
    std::optional<QuietErrors> quiet_;
};

} // namespace ortho::mpi
