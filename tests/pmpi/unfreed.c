/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows nothing of mpiortho.  Exchanges with datatypes of its own, all of which it frees, and never frees the
 * communicators, nor persistent requests. */
#include <mpi.h>
#include <stdio.h>

static int failures;

static void check(const double *to, const int neighbors[4])
{
    for (int i = 0; i < 4; i++)
        for (int row = 0; row < 8; row++)
            if (to[8 * row + i] != neighbors[i] * 100 + row) failures++;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, rank, dims[2] = {0, 0}, periods[2] = {1, 1}, neighbors[4];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Comm grid, graph;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    for (int k = 0; k < 2; k++) MPI_Cart_shift(grid, k, 1, &neighbors[2 * k], &neighbors[2 * k + 1]);
    MPI_Dist_graph_create_adjacent(grid, 4, neighbors, MPI_UNWEIGHTED, 4, neighbors, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);

    MPI_Datatype types[4];
    int counts[4] = {1, 1, 1, 1};
    MPI_Aint displs[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        int whole[2] = {8, 8}, part[2] = {8, 1}, start[2] = {0, i};
        MPI_Type_create_subarray(2, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    double from[64], to[64];
    for (int row = 0; row < 8; row++)
        for (int i = 0; i < 8; i++) from[8 * row + i] = rank * 100 + row;
    MPI_Neighbor_alltoallw(from, counts, displs, types, to, counts, displs, types, grid);
    check(to, neighbors);
    MPI_Neighbor_alltoallw(from, counts, displs, types, to, counts, displs, types, graph);
    check(to, neighbors);
    for (int lap = 0; lap < 3; lap++) {
        MPI_Request requests[2];
        double other[64];
        MPI_Ineighbor_alltoallw(from, counts, displs, types, to, counts, displs, types, grid, &requests[0]);
        MPI_Ineighbor_alltoallw(from, counts, displs, types, other, counts, displs, types, graph,
                                &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(to, neighbors);
        check(other, neighbors);
    }
#ifdef ORTHO_MPI_PERSISTENT
    // Two that are inactive at the end, one of which has been started before.
    MPI_Request persistent[2];
    double first[2][4];
    for (int i = 0; i < 2; i++)
        MPI_Neighbor_alltoall_init(from, 1, MPI_DOUBLE, first[i], 1, MPI_DOUBLE, i == 0 ? grid : graph,
                                   MPI_INFO_NULL, &persistent[i]);
    MPI_Start(&persistent[0]);
    MPI_Wait(&persistent[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        if (first[0][i] != neighbors[i] * 100) failures++;
#endif
    for (int i = 0; i < 4; i++) MPI_Type_free(&types[i]);
    if (failures) printf("%d wrong\n", failures);
    MPI_Finalize();
    return failures ? 1 : 0;
}
