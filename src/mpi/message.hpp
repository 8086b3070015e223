// SPDX-License-Identifier: BSD-3-Clause
// A message of our own, waited for our way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "mpi/failure.hpp"
#include "mpi/wait.hpp"

namespace ortho::mpi {

/// Until the bytes may be written again.
inline void send(MPI_Comm comm, int partner, int tag, std::span<const std::byte> bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, partner, tag, comm, &request));
    wait(request);
}

/// Until they are here.
inline void receive(MPI_Comm comm, int partner, int tag, std::span<std::byte> bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    check(PMPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, partner, tag, comm, &request));
    wait(request);
}

} // namespace ortho::mpi
