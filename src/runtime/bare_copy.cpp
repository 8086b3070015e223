// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/bare_copy.hpp"

#include "runtime/internal_collectives.hpp"

namespace ortho::runtime {

mpi::Comm bare_copy(MPI_Comm comm, HaveMet have_met)
{
    // A single process has nobody to wait for, and no operation of it may need the new communicator.
    if (have_met == HaveMet::no && mpi::size_of(comm) > 1) nonblocking_barrier(comm);
    return mpi::copy_of(comm);
}

} // namespace ortho::runtime
