// SPDX-License-Identifier: BSD-3-Clause
// Functions of the library that libmpiortho-pmpi and the faces need beyond the public interface.  They are
// exported under a version of their own, for nobody else.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace ortho::agree {

/// Further slots of a constructor's ballot (agree/ballot.hpp).
class Guest;

} // namespace ortho::agree

extern "C" {

/// Gives this thread's calls a name in reports, from now on; null gives them their own names again.  The text
/// must stay.  Returns the name before.
const char* ortho_call_as(const char* function);

/// Raises an error about `argument` through the error handler of `comm`, in the name of `function`.  The
/// texts of function and argument must stay.  Returns the code.
int ortho_raise(const char* function, MPI_Comm comm, ortho::base::ErrorKind kind, const char* argument,
                const char* message);

/// Raises the error `code` of this thread's last ORTHO call, which no handler got, on `comm` in the name of
/// `function`.  Returns the code.
int ortho_raise_again(const char* function, MPI_Comm comm, int code);

/// A face has found this wrong before a collective call.  The call of this thread that follows fails with it,
/// on all processes.  Null: calls are as they were.
void ortho_refuse(const ortho::base::Error* error);

/// ORTHO_Dist_graph_create_adjacent that also agrees on `also`.
int ortho_dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                     const int sourceweights[], int outdegree, const int destinations[],
                                     const int destweights[], MPI_Info info, int reorder,
                                     MPI_Comm* comm_dist_graph, ortho::agree::Guest* also);

/// Agrees on everything that neighborhood collectives on `comm` need, so that non-blocking calls find it.
/// `comm` has a topology; it was just made on `parent`, or this is the first blocking call on it.  Collective.
/// Errors are left to later calls.
void ortho_attach(MPI_Comm parent, MPI_Comm comm);

/// Waits until `done(what)` is not 0, as all waits of the library do: drives operations, gives the core away,
/// and reports a long wait in the name of `function`.  Errors are raised on MPI_COMM_SELF; returns their
/// code.
int ortho_wait_until(const char* function, int (*done)(void* what), void* what);
}
