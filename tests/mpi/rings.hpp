// SPDX-License-Identifier: BSD-3-Clause
// Communicators that carry a ring, and what an alltoall on them sends and delivers; mosaics that are one.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "check.hpp"
#include "graphs.hpp"
#include "mpiortho.h"
#include "owned.hpp"

namespace test {

using Ints = std::vector<int>;

inline int left() { return (rank() + size() - 1) % size(); }
inline int right() { return (rank() + 1) % size(); }

/// Offsets +1, 0, -1 on a ring: block i goes to slot i, from left, self and right.
inline MPI_Comm ring(bool periodic = true, const char* key = nullptr, const char* value = nullptr)
{
    return neighborhood({size()}, {periodic ? 1 : 0}, {1, 0, -1}, MPI_COMM_WORLD,
                        Info{{key, key != nullptr ? value : nullptr}});
}

/// The same edges by MPI alone.
inline MPI_Comm foreign_ring()
{
    return adjacent_by_mpi({{left(), rank(), right()}, {}, {right(), rank(), left()}, {}}, false);
}

/// One edge to the right, one from the left, by MPI alone.
inline MPI_Comm one_way_ring() { return adjacent_by_mpi({{left()}, {}, {right()}, {}}, false); }

/// A persistent alltoall of `n` ints a block.
inline ORTHO_Request alltoall_init(const int* from, int* to, MPI_Comm comm, int n = 1,
                                   MPI_Info info = MPI_INFO_NULL)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Alltoall_init(from, n, MPI_INT, to, n, MPI_INT, comm, info, &request));
    return request;
}

/// A halo of one element on each side of a row of `size` elements.
inline ORTHO_Request row_halo(void* row, int size, MPI_Comm comm, MPI_Datatype element = MPI_INT)
{
    const int depth = 1;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Halo_init(1, &row, &element, 1, &size, &depth, &depth, comm, MPI_INFO_NULL, &request));
    return request;
}

/// The sum of ranks in MPI_COMM_WORLD that reaches this process.
inline int sum_of_ranks(MPI_Comm comm)
{
    const int mine = rank();
    int sum = -1;
    CHECK_OK(ORTHO_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    return sum;
}

/// A ring of cells, with so many on each process in one patch.
inline ORTHO_Mosaic ring_of_cells(MPI_Count each)
{
    const MPI_Count sizes[] = {each * size()};
    ORTHO_Contact contact;
    CHECK_OK(ORTHO_Contact_periodic(1, sizes, 0, 0, &contact));
    const ORTHO_Patch patch{0, {each * rank()}, {each}};
    ORTHO_Mosaic mosaic = ORTHO_MOSAIC_NULL;
    CHECK_OK(
        ORTHO_Mosaic_create(MPI_COMM_WORLD, 1, 1, sizes, 1, &contact, 1, &patch, MPI_INFO_NULL, &mosaic));
    return mosaic;
}
/// The rest as in ORTHO_MOSAIC_FIELD_INIT.
inline ORTHO_Mosaic_field mosaic_field(void* const* bases, MPI_Datatype element, const MPI_Count* lower,
                                       const MPI_Count* upper)
{
    ORTHO_Mosaic_field result = ORTHO_MOSAIC_FIELD_INIT;
    result.bases = bases;
    result.element = element;
    result.lower = lower;
    result.upper = upper;
    return result;
}

inline Ints blocks(int seed)
{
    return {10 * (seed + rank()), 10 * (seed + rank()) + 1, 10 * (seed + rank()) + 2};
}
inline Ints expected(int seed)
{
    return {10 * (seed + left()), 10 * (seed + rank()) + 1, 10 * (seed + right()) + 2};
}

/// How many errors were raised on communicators with a handler of this kind.
inline int handler_calls = 0;
inline void count_call(MPI_Comm*, int*, ...) { ++handler_calls; }
inline void count_errors(MPI_Comm comm)
{
    Errhandler handler;
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    handler_calls = 0;
}

/// One process completes its part while the others are away in MPI, and only then they complete theirs.
inline void others_are_away(int first, const std::function<void()>& complete)
{
    if (rank() != first) MPI_Recv(nullptr, 0, MPI_INT, first, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    complete();
    for (int r = 0; rank() == first && r < size(); ++r)
        if (r != first) MPI_Send(nullptr, 0, MPI_INT, r, 5, MPI_COMM_WORLD);
}

/// Calls ORTHO_Progress until `done()`; false if a minute is not enough.
inline bool advance_until(const std::function<bool()>& done)
{
    const double begin = MPI_Wtime();
    while (!done()) {
        CHECK_OK(ORTHO_Progress());
        if (MPI_Wtime() - begin > 60) return false;
    }
    return true;
}

} // namespace test
