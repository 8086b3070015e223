// SPDX-License-Identifier: BSD-3-Clause
// Functions of MPI's, and the errors that they return.
#pragma once

#include <mpi.h>

#include "process.hpp"

// Some of MPI's prototypes say that they throw nothing.
#pragma GCC diagnostic ignored "-Wmissing-attributes"

/// The body of MPI_NAME, where that communicates, ...
#define COMMUNICATING(name, ...) static void body_of_##name(__VA_ARGS__)
/// ... and where it does not.  functions.awk makes the function, which handles the errors of its body.
#define LOCAL(name, ...) static void body_of_##name(__VA_ARGS__)
/// Defines MPI_NAME and PMPI_NAME.
#define PLAYED(type, name, ...)                                                                              \
    extern "C" {                                                                                             \
    __attribute__((visibility("default"))) type PMPI_##name(__VA_ARGS__);                                    \
    __attribute__((visibility("default"), alias("PMPI_" #name))) type MPI_##name(__VA_ARGS__);               \
    }                                                                                                        \
    type PMPI_##name(__VA_ARGS__)

namespace loopback {

/// An error of this class, for the error handler of the communicator; null: MPI_COMM_WORLD's.
struct Error {
    Communicator* comm;
    int code;
};

/// Calls the error handler.  Returns the code.
int raise(Communicator* comm, int code);

inline void require(bool condition, int code, Communicator* comm = nullptr)
{
    if (!condition) throw Error{comm, code};
}

/// While a function of MPI's is played.
class Entered {
public:
    Entered(const char* function, unsigned yields);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

private:
    const char* outer_;
    unsigned yields_; ///< of 1000 calls
};

template <class Body, class... Arguments>
int run(const char* function, unsigned yields, Body body, Arguments... arguments)
{
    const Entered entered(function, yields);
    try {
        body(arguments...);
        return MPI_SUCCESS;
    } catch (const Error& error) {
        return raise(error.comm, error.code);
    }
}

/// Plays a function that communicates, ...
template <class... BodyAndArguments>
int play(const char* function, BodyAndArguments... all)
{
    return run(function, 10 * manner.yield_percent, all...);
}

/// ... and one that does not.
template <class... BodyAndArguments>
int play_local(const char* function, BodyAndArguments... all)
{
    return run(function, manner.yield_percent + 3, all...); // who looks at shared memory makes no other calls
}

} // namespace loopback
