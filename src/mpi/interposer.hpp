// SPDX-License-Identifier: BSD-3-Clause
// Functions of the library that libmpiortho-pmpi and the faces need beyond the public interface.  They are
// exported under a version of their own, for nobody else.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "base/error.hpp"
#include "grid/local_graph.hpp"

namespace ortho::mpi {

/// The neighbors that MPI's neighborhood collectives on a communicator mean.
struct Neighbors {
    std::shared_ptr<const grid::LocalGraph> lists; ///< its slots are the blocks
    bool gaps;                                     ///< some process may have gaps in its lists
    bool repeated;                                 ///< some process may have one neighbor twice
    bool is_attached;                              ///< the graph is attached, as far as it ever will be
};

} // namespace ortho::mpi

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

/// Finds the neighbors.  False if `comm` has no topology of its own.  Local.
bool ortho_find_neighbors(MPI_Comm comm, ortho::mpi::Neighbors* found);

/// Agrees on everything that neighborhood collectives on `comm` need, so that non-blocking calls find it.
/// `comm` has a topology; it was just made on `parent`, or this is the first blocking call on it.  Collective.
/// Errors are left to later calls.
void ortho_attach(MPI_Comm parent, MPI_Comm comm);

/// Says in a line how large messages on the node were copied, as trials of this process have found; empty if
/// there was none.  `text` has room for so many bytes: 200 will do.
void ortho_copies_text(char* text, std::size_t room);

/// Waits until `done(what)` is not 0, as all waits of the library do: drives operations, gives the core away,
/// and reports a long wait in the name of `function`.  Errors are raised on MPI_COMM_SELF; returns their
/// code.
int ortho_wait_until(const char* function, int (*done)(void* what), void* what);
}
