// SPDX-License-Identifier: BSD-3-Clause
// Functions that modules may name, but not call: they would reach the real MPI with communicators of ours.
#include <string>

#include "mpi_errors.hpp"

using namespace loopback;

#define UNPLAYED(name, ...)                                                                                  \
    PLAYED(int, name, __VA_ARGS__) { fail(std::string("MPI_" #name) + " is not played"); }

UNPLAYED(Neighbor_alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm)
UNPLAYED(Comm_idup, MPI_Comm, MPI_Comm*, MPI_Request*)
UNPLAYED(Win_create, void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*)
UNPLAYED(Win_allocate, MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*)
#if MPI_VERSION >= 4
UNPLAYED(Session_init, MPI_Info, MPI_Errhandler, MPI_Session*)
UNPLAYED(Session_finalize, MPI_Session*)
UNPLAYED(Group_from_session_pset, MPI_Session, const char*, MPI_Group*)
UNPLAYED(Comm_create_from_group, MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*)
#endif
