// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of the library.  No MPI in this file.
#pragma once

#include <array>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace ortho::base {

/// The kind of an error.  Each kind becomes one MPI error class (mpi/error_handling.cpp).
enum class ErrorKind {
    arg,
    buffer,
    comm,
    count,
    dims,
    group,
    info,
    intern,
    memory,
    op,
    other,
    rank,
    request,
    rma_sync,
    root,
    tag,
    topology,
    truncate,
    type,
    win,
    // classes of our own, made with MPI_Add_error_class
    name,
    neighbor,
    undefined,
    algorithm,
    mismatch,
};

/// An error on its way to the communicator's error handler.
///
/// `argument` names the wrong argument of the public function; error codes are kept per argument.  `what()`
/// says what is wrong with it, with the values.
class Error : public std::exception {
public:
    Error(ErrorKind kind, std::string argument, std::string message)
        : kind_(kind),
          argument_(std::move(argument)),
          message_(std::move(message))
    {}

    ErrorKind kind() const noexcept { return kind_; }
    const char* argument() const noexcept { return argument_.c_str(); }
    const char* what() const noexcept override { return message_.c_str(); }

private:
    ErrorKind kind_;
    std::string argument_;
    std::string message_;
};

[[noreturn]] void fail_with(ErrorKind kind, const char* argument, std::span<const Part> message);

/// Throws an Error whose message is the text of `values`.
template <class... Values>
[[noreturn]] void fail(ErrorKind kind, const char* argument, const Values&... values)
{
    fail_with(kind, argument, std::array<Part, sizeof...(values)>{values...});
}

/// Throws unless `holds`.
template <class... Values>
void require(bool holds, ErrorKind kind, const char* argument, const Values&... values)
{
    if (!holds) [[unlikely]]
        fail(kind, argument, values...);
}

} // namespace ortho::base
