// SPDX-License-Identifier: BSD-3-Clause
// Datatypes as runs of bytes at regular distances.
#pragma once

#include <mpi.h>

#include <optional>

#include "grid/strided_box.hpp"

namespace ortho::mpi {

/// The bytes of `count` elements at an address, normalized; nothing if they are not known to be a strided box
/// in the order of addresses.  Knows contiguous types, vectors, subarrays, and duplicated and resized ones,
/// of predefined types without gaps.
std::optional<grid::StridedBox> strided_box(const void* address, MPI_Count count, MPI_Datatype type);

} // namespace ortho::mpi
