// SPDX-License-Identifier: BSD-3-Clause
// How messages travel: what every way of them has in common.

#include "transport/transport.hpp"

#include "base/error.hpp"
#include "mpi/failure.hpp"

namespace ortho::transport {

void fail_receive(int code, int partner, MPI_Count room, const std::string& contents)
{
    int error_class = MPI_SUCCESS;
    mpi::check(PMPI_Error_class(code, &error_class));
    if (error_class != MPI_ERR_TRUNCATE) throw mpi::Failure(code);
    base::fail(base::ErrorKind::truncate, "recvcount", "rank ", partner, " sends more than the ", room,
               " bytes that there is room for in ", contents);
}

} // namespace ortho::transport
