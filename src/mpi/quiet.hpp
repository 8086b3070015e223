// SPDX-License-Identifier: BSD-3-Clause
// MPI calls whose errors are ours to report.
#pragma once

#include <mpi.h>

#include "mpi/failure.hpp"

namespace ortho::mpi {

/// While it lives, errors that MPI raises on no communicator in particular come back as codes.
///
/// Such errors go through the handlers of MPI_COMM_SELF and MPI_COMM_WORLD, which abort by
/// default, whatever the user has set on the communicator in question: MPI_Reduce_local is an
/// example, and in MPICH so are errors of completing requests.
class Quiet {
public:
    Quiet()
    {
        for (int i = 0; i < 2; ++i) {
            check(PMPI_Comm_get_errhandler(comms_[i], &handlers_[i]));
            check(PMPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN));
        }
    }
    ~Quiet()
    {
        for (int i = 0; i < 2; ++i) {
            if (handlers_[i] == MPI_ERRHANDLER_NULL) continue;
            PMPI_Comm_set_errhandler(comms_[i], handlers_[i]);
            PMPI_Errhandler_free(&handlers_[i]);
        }
    }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

private:
    MPI_Comm comms_[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler handlers_[2] = {MPI_ERRHANDLER_NULL, MPI_ERRHANDLER_NULL};
};

} // namespace ortho::mpi
