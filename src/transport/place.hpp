// SPDX-License-Identifier: BSD-3-Clause
// Where data of a datatype lies.
#pragma once

#include <mpi.h>

namespace ortho::transport {

/// `count` elements of a datatype, at an address.
struct Place {
    void* address = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
};

} // namespace ortho::transport
