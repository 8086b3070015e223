// SPDX-License-Identifier: BSD-3-Clause
// The datatypes and the rows of bytes that bound messages refer to.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mpi/datatype.hpp"
#include "transport/data_location.hpp"
#include "transport/packing.hpp"

namespace ortho::transport {

/// Keeps what it needs of the user's datatypes, so that the user may free them.  The user's handles mean
/// nothing once the call has returned: forget_handles() ends the binding of messages.
class BoundDatatypes {
public:
    /// Our own handle of a type of the user's.
    MPI_Datatype keep(MPI_Datatype type, const char* what);
    struct Shape {
        mpi::Measures measures;
        bool plain; ///< see is_plain()
    };
    const Shape& shape_of(MPI_Datatype type);
    /// Bytes of the data of all places.
    std::size_t bytes_of(std::span<const DataLocation> places);
    /// Adds a place behind the others.  It becomes part of the last one, if it begins where that ends.
    void append(std::vector<DataLocation>& places, const DataLocation& place);

    /// The same data with a count that fits in an int.
    DataLocation fitting(const DataLocation& place);
    /// One place with the data of all these places, in order.  Its count fits in an int.
    DataLocation combine(const std::vector<DataLocation>& places);
    /// The same data as parts.  Nothing if we do not know how to copy it.
    std::optional<Parts> parts_of(const std::vector<DataLocation>& places);
    /// Room for so many bytes.
    std::byte* row(std::size_t bytes);
    /// A place of so many bytes at the address.  Its count fits in an int, however many there are.
    DataLocation bytes_at(std::byte* address, std::size_t bytes);

    /// Bytes of all rows.
    std::size_t row_bytes() const { return row_bytes_; }
    void forget_handles();

private:
    MPI_Datatype own(MPI_Datatype made);

    std::vector<mpi::Datatype> types_;
    std::vector<std::unique_ptr<std::byte[]>> rows_;
    std::size_t row_bytes_ = 0;
    std::map<MPI_Datatype, MPI_Datatype> kept_; // the user's handle -> ours
    std::map<MPI_Datatype, Shape> shapes_;
    // Most calls have one type, which is asked for again and again.
    const std::pair<const MPI_Datatype, MPI_Datatype>* last_kept_ = nullptr;
    const std::pair<const MPI_Datatype, Shape>* last_shape_ = nullptr;
};

} // namespace ortho::transport
