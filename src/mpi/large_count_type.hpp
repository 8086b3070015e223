// SPDX-License-Identifier: BSD-3-Clause
// Datatypes for more elements than an int can count.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>

namespace ortho::mpi {

/// The largest count that is passed on to MPI.  Tests make it small.
inline MPI_Count most_elements = INT_MAX;

inline bool fits(MPI_Count count) { return count <= most_elements; }

/// A datatype of `count` elements one behind the other, of any count; not committed.  Returns MPI's code.
inline int make_row(MPI_Count count, MPI_Datatype type, MPI_Datatype* row)
{
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    int code = PMPI_Type_get_extent(type, &lower, &extent);
    if (code != MPI_SUCCESS) return code;
    const MPI_Count piece = std::min<MPI_Count>(most_elements, 1 << 30);
    const MPI_Count pieces = count / piece;
    MPI_Aint bytes = 0;
    if (pieces > INT_MAX || __builtin_mul_overflow(count, extent, &bytes)) return MPI_ERR_COUNT;
    MPI_Datatype one = MPI_DATATYPE_NULL;
    code = PMPI_Type_contiguous(static_cast<int>(piece), type, &one);
    if (code != MPI_SUCCESS) return code;
    const int counts[] = {static_cast<int>(pieces), static_cast<int>(count % piece)};
    const MPI_Aint places[] = {0, static_cast<MPI_Aint>(pieces * piece) * extent};
    const MPI_Datatype types[] = {one, type};
    MPI_Datatype all = MPI_DATATYPE_NULL;
    code = PMPI_Type_create_struct(2, counts, places, types, &all);
    PMPI_Type_free(&one);
    if (code != MPI_SUCCESS) return code;
    // MPI may round the extent of a structure up.
    code = PMPI_Type_create_resized(all, lower, bytes, row);
    PMPI_Type_free(&all);
    return code;
}

} // namespace ortho::mpi
