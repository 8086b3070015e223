/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows nothing of mpiortho.  Its only neighborhood collectives are non-blocking ones, on a ring that each of
 * MPI's constructors makes.  Prints how many communicators got wrong values.  `nonblocking COPIES`: so many
 * duplicates are alive at a time, from 1 to 700. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most = 8 };

static int rank, size;

/* Blocks of `count` ints, to these neighbors and from those. */
static int exchange(MPI_Comm comm, int count, const int sources[2], const int targets[2])
{
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    int from[2 * most], to[2 * most], wrong = 0;
    for (int i = 0; i < 2 * count; i++) {
        from[i] = 1000 * rank + 100 * (targets[i / count] == right) + i % count;
        to[i] = -1;
    }
    MPI_Request request;
    MPI_Ineighbor_alltoall(from, count, MPI_INT, to, count, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * count; i++) /* what comes from the left was sent to the right */
        if (to[i] != 1000 * sources[i / count] + 100 * (sources[i / count] == left) + i % count) wrong = 1;
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 3) MPI_Abort(MPI_COMM_WORLD, 2); /* or left and right are one, which MPIs confuse */
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm made[most], plane;
    const int dims[2] = {1, size}, periods[2] = {1, 1}, kept[2] = {0, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, periods, 0, &made[0]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane);
    MPI_Cart_sub(plane, kept, &made[1]);
    const int both[2] = {left, right};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &made[2]);
    const int degree = 2;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &made[3]);
    int *index = malloc(sizeof *index * (size_t)size), *edges = malloc(2 * sizeof *edges * (size_t)size);
    for (int r = 0; r < size; r++) {
        index[r] = 2 * r + 2;
        edges[2 * r] = (r + size - 1) % size;
        edges[2 * r + 1] = (r + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &made[4]);
    MPI_Comm_dup(made[0], &made[5]);
    MPI_Comm_dup(made[2], &made[6]);
    MPI_Comm_dup_with_info(made[4], MPI_INFO_NULL, &made[7]);

    int wrong = 0;
    for (int i = 0; i < most; i++) {
        /* MPI may give the lists of a distributed graph in any order. */
        int sources[2] = {left, right}, targets[2] = {left, right}, weights[2];
        if (i == 2 || i == 3 || i == 6)
            MPI_Dist_graph_neighbors(made[i], 2, sources, weights, 2, targets, weights);
        wrong += exchange(made[i], i + 1, sources, targets);
    }
    /* Many may be alive at a time. */
    MPI_Comm many[700];
    const int copies = argc > 1 ? atoi(argv[1]) : 700;
    for (int i = 0; i < copies; i++) MPI_Comm_dup(made[0], &many[i]);
    const int in_grid[2] = {left, right};
    wrong += exchange(many[copies - 1], 1, in_grid, in_grid);
    for (int i = 0; i < copies; i++) MPI_Comm_free(&many[i]);
    int all = 0;
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d wrong\n", all);
    for (int i = 0; i < most; i++) MPI_Comm_free(&made[i]);
    MPI_Comm_free(&plane);
    free(index);
    free(edges);
    MPI_Finalize();
    return 0;
}
