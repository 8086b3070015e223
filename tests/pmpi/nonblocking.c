/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows nothing of mpiortho.  Its only neighborhood collectives are non-blocking ones, on a ring that each of
 * MPI's constructors makes.  Prints how many communicators got wrong values.  `nonblocking COPIES`: so many
 * duplicates are alive at a time, from 1 to 700. */
#include "plain.h"

enum { most = 8 };

/* Blocks of `count` ints, to these neighbors and from those. */
static int exchange(MPI_Comm comm, int count, const int sources[2], const int targets[2])
{
    int from[2 * most], to[2 * most], bad = 0;
    for (int i = 0; i < 2 * count; i++) {
        from[i] = 1000 * me + 100 * (targets[i / count] == next) + i % count;
        to[i] = -1;
    }
    MPI_Request request;
    MPI_Ineighbor_alltoall(from, count, MPI_INT, to, count, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * count; i++) /* what comes from the one before was sent to its next one */
        if (to[i] != 1000 * sources[i / count] + 100 * (sources[i / count] == before) + i % count) bad = 1;
    return bad;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (size < 3) MPI_Abort(MPI_COMM_WORLD, 2); /* or left and right are one, which MPIs confuse */
    MPI_Comm made[most], plane;
    const int dims[2] = {1, size}, periods[2] = {1, 1}, kept[2] = {0, 1};
    made[0] = grid_ring();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane);
    MPI_Cart_sub(plane, kept, &made[1]);
    const int both[2] = {before, next};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &made[2]);
    const int degree = 2;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made[3]);
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

    for (int i = 0; i < most; i++) {
        /* MPI may give the lists of a distributed graph in any order. */
        int sources[2] = {before, next}, targets[2] = {before, next}, weights[2];
        if (i == 2 || i == 3 || i == 6)
            MPI_Dist_graph_neighbors(made[i], 2, sources, weights, 2, targets, weights);
        wrong += exchange(made[i], i + 1, sources, targets);
    }
    /* Many may be alive at a time. */
    MPI_Comm many[700];
    const int copies = argc > 1 ? atoi(argv[1]) : 700;
    for (int i = 0; i < copies; i++) MPI_Comm_dup(made[0], &many[i]);
    wrong += exchange(many[copies - 1], 1, both, both);
    for (int i = 0; i < copies; i++) MPI_Comm_free(&many[i]);
    for (int i = 0; i < most; i++) MPI_Comm_free(&made[i]);
    MPI_Comm_free(&plane);
    free(index);
    free(edges);
    return end();
}
