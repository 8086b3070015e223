// SPDX-License-Identifier: BSD-3-Clause
// Where data of a datatype lies.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace ortho::transport {

/// `count` elements of a datatype, at an address.
struct DataLocation {
    void* address = nullptr;
    MPI_Count count = 0;
    MPI_Datatype type = MPI_BYTE;

    /// The count for MPI: of places that BoundDatatypes::combine() has made, where it fits.
    int elements() const { return static_cast<int>(count); }
};

/// Elements of a predefined datatype in a row: bytes of temporary space among them.
struct PlainData {
    DataLocation place{};
    std::size_t bytes = 0;

    std::byte* begin() const { return static_cast<std::byte*>(place.address); }
};

} // namespace ortho::transport
