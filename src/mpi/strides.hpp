// SPDX-License-Identifier: BSD-3-Clause
// Datatypes as runs of bytes at regular distances.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "grid/strided_box.hpp"

namespace ortho::mpi {

/// The bytes of `count` elements at an address, normalized; nothing if they are not known to be a strided box
/// in the order of addresses.  Knows contiguous types, vectors, subarrays, and duplicated and resized ones,
/// of predefined types without gaps.
std::optional<grid::StridedBox> strided_box(const void* address, MPI_Count count, MPI_Datatype type);

/// Bytes as boxes, none of which is empty.
struct DataBoxes {
    std::vector<grid::StridedBox> boxes{};
    bool in_order = true; ///< one after the other they are the data as messages have it
};

/// All bytes of data of `count` elements of any type.
DataBoxes boxes_of(const void* address, MPI_Count count, MPI_Datatype type);

/// The boxes of types whose order is known, if there are no more than `most`; else nothing.
std::optional<std::vector<grid::StridedBox>> boxes_in_order(const void* address, MPI_Count count,
                                                            MPI_Datatype type, std::size_t most);

} // namespace ortho::mpi
