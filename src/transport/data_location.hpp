// SPDX-License-Identifier: BSD-3-Clause
// Where data of a datatype lies, and local copies.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/datatype.hpp"

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

/// Is its data what lies in a row at its address, in the order of its signature?  So much is sure of
/// predefined types alone, since derived ones may permute.
bool is_plain(MPI_Datatype type, const mpi::Measures& measures);

/// Copy the data of one place to another, as a message to oneself would.  The places do not
/// overlap.  Throws base::Error (truncate) if there is not room enough; writes nothing then.
void copy(const DataLocation& from, const DataLocation& to);

} // namespace ortho::transport
