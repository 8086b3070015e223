// SPDX-License-Identifier: BSD-3-Clause
// MPI calls that fail.
#pragma once

#include <mpi.h>

#include <exception>

namespace ortho::mpi {

/// A call to MPI returned an error code.
class Failure : public std::exception {
public:
    /// Says who has raised the error with the user's error handler already.
    enum class Raised {
        no,
        by_mpi, ///< the call was on the user's own communicator
        by_us,  ///< with a message of ours
    };

    explicit Failure(int code, Raised raised = Raised::no) : code_(code), raised_(raised) {}

    int code() const noexcept { return code_; }
    Raised raised() const noexcept { return raised_; }
    const char* what() const noexcept override { return "an MPI call failed"; }

private:
    int code_;
    Raised raised_;
};

/// Checks the result of an MPI call on our own communicator, type or request.
inline void check(int code)
{
    if (code != MPI_SUCCESS) [[unlikely]]
        throw Failure(code);
}

/// Checks the result of an MPI call on the user's communicator.
inline void check_users(int code)
{
    if (code != MPI_SUCCESS) [[unlikely]]
        throw Failure(code, Failure::Raised::by_mpi);
}

} // namespace ortho::mpi
