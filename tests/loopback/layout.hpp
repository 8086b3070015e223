// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a datatype stands for.  MPI_Pack does not serve: MPICH 4.0.2 packs too little of some types,
// by what their objects were before.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace loopback {

/// Some bytes, several times at a distance.
struct Run {
    MPI_Aint offset, bytes, times = 1, distance = 0;
};

/// One element of a datatype, in the order of its type map.
struct Layout {
    std::vector<Run> runs;
    MPI_Aint extent = 0;
};

/// Kept until the type is freed.
std::shared_ptr<const Layout> layout_of(MPI_Datatype type);
void forget_layout(MPI_Datatype type);

} // namespace loopback
