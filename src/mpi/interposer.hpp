// SPDX-License-Identifier: BSD-3-Clause
// What libmpiortho-pmpi and the faces ask of the library beyond the public interface: exported, but under a
// version of its own, and for nobody else.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace ortho::agree {

/// What else a constructor agrees on, in its own reduction (agree/ballot.hpp).
class Guest;

} // namespace ortho::agree

extern "C" {

/// In what the library reports, this thread's calls have that name from now on, which is kept; their own, if
/// it is null.  Returns what was given before.
const char* ortho_call_as(const char* function);

/// Raise an error through the error handler of `comm`, in the name of `function`,
/// which blames `argument`.  The texts of function and argument are kept.  Returns the code.
int ortho_raise(const char* function, MPI_Comm comm, ortho::base::ErrorKind kind, const char* argument,
                const char* message);

/// The error `code` of the calling thread's last ORTHO call, which went to nobody's handler, raised on `comm`
/// in the name of `function`.  Returns the code.
int ortho_raise_again(const char* function, MPI_Comm comm, int code);

/// A face has found this wrong before a collective call.  The call of this thread that follows fails with it,
/// on all processes.  Null: calls are as they were.
void ortho_refuse(const ortho::base::Error* error);

/// ORTHO_Dist_graph_create_adjacent, which agrees on that, too.
int ortho_dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                     const int sourceweights[], int outdegree, const int destinations[],
                                     const int destweights[], MPI_Info info, int reorder,
                                     MPI_Comm* comm_dist_graph, ortho::agree::Guest* also);

/// A communicator with a topology, which was just made on `parent`, or in the first blocking call on it:
/// agree on all that neighborhood collectives need, so that non-blocking calls find it, and on that, too.
/// Collective.  What goes wrong is left to these calls.
void ortho_attach(MPI_Comm parent, MPI_Comm comm, ortho::agree::Guest& also);

/// Wait until `done(what)` is not 0, as all waits of the library do: it drives operations, gives the core
/// away where that is due, and reports a long wait in the name of `function`.  What goes wrong meanwhile is
/// raised on MPI_COMM_SELF, and its code is returned.
int ortho_wait_until(const char* function, int (*done)(void* what), void* what);

/// A number for this node: different ones for different nodes, most likely.
int ortho_processor_number();
}
