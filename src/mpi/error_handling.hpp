// SPDX-License-Identifier: BSD-3-Clause
// From exceptions to MPI error codes and the error handler of a communicator or a window.
#pragma once

#include <mpi.h>

#include <concepts>
#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/public_call.hpp"

namespace ortho::mpi {

/// The exception of an error handler of the user's, on its way out of the library.
struct ThrownByHandler {
    std::exception_ptr exception;
};

/// Raises the current exception through the error handler of `comm` (of MPI_COMM_SELF if comm is
/// MPI_COMM_NULL) in the name of the public function `function`.
///
/// The code has the class of the error's kind, and a string with function and argument.  The message with the
/// values is kept for ORTHO_Error_message, and printed to stderr if the handler will abort.  Returns the
/// code, if the handler returns.  An exception of the handler's leaves the library as it is; inside the
/// library it is a ThrownByHandler.
int raise_current(const char* function, MPI_Comm comm, bool leaves = true);

/// Raises it through the error handler of a window (of MPI_COMM_SELF if win is MPI_WIN_NULL).
int raise_current_of_window(const char* function, MPI_Win win);

/// Runs the body of the public function `function`: the only way from C++ to C.  An error if MPI is not
/// running.  The body may take the function's name in reports as argument.
template <class Body>
int guard(const char* function, MPI_Comm comm, Body&& body)
{
    const PublicCall call(function, comm);
    try {
        require_mpi();
        if constexpr (std::invocable<Body, const char*>)
            std::forward<Body>(body)(call.function());
        else
            std::forward<Body>(body)();
        return MPI_SUCCESS;
    } catch (...) {
        return raise_current(call.function(), comm);
    }
}

/// guard() for functions without a communicator.
template <class Body>
int guard(const char* function, Body&& body)
{
    return guard(function, MPI_COMM_SELF, std::forward<Body>(body));
}

/// guard() for functions that need no MPI and may be called at any time.
template <class Body>
int guard_at_any_time(const char* function, Body&& body)
{
    try {
        std::forward<Body>(body)();
        return MPI_SUCCESS;
    } catch (...) {
        return raise_current(function, MPI_COMM_SELF);
    }
}

/// guard() for functions on windows.  (Windows and communicators may have one type of handles.)
template <class Body>
int guard_window(const char* function, MPI_Win win, Body&& body)
{
    const PublicCall call(function, MPI_COMM_NULL);
    try {
        require_mpi();
        std::forward<Body>(body)();
        return MPI_SUCCESS;
    } catch (...) {
        return raise_current_of_window(function, win);
    }
}

/// Throws base::Error (arg) if the pointer to a result is null.
inline void require_result(const void* pointer, const char* argument)
{
    base::require(pointer != nullptr, base::ErrorKind::arg, argument, argument, " is a null pointer");
}

/// Throws base::Error (comm) for MPI_COMM_NULL.
inline void require_comm(MPI_Comm comm, const char* argument)
{
    base::require(comm != MPI_COMM_NULL, base::ErrorKind::comm, argument, argument, " is MPI_COMM_NULL");
}

/// Throws base::Error (comm) for MPI_COMM_NULL and for inter-communicators.
inline void require_intra(MPI_Comm comm, const char* argument)
{
    require_comm(comm, argument);
    base::require(!is_inter(comm), base::ErrorKind::comm, argument, argument, " is an inter-communicator");
}

/// Throws what ortho_refuse has said.
void rethrow_refusal();

/// Writes a text into room for maxlen chars, cut to fit, with a null char.  *len, if len is not null, becomes
/// the length of the whole text.  Throws base::Error (arg).
void write_text(const std::string& text, char* room, int maxlen, int* len);

} // namespace ortho::mpi
