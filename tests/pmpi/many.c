// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program that has very many communicators with a topology alive, all in use.  Arguments: their
// kind (graph, grid: on MPI_COMM_WORLD; copies: graphs on a duplicate of it each), and how many.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, np, wrong;

static void exchange(MPI_Comm comm, int i, int slots)
{
    const int next = (me + 1) % np, previous = (me + np - 1) % np;
    int sent = 1000 * me + i, got[2] = {-1, -1};
    MPI_Request request = MPI_REQUEST_NULL;
    if (i % 2 == 0) {
        MPI_Neighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, comm);
    } else {
        MPI_Ineighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    wrong += got[0] != 1000 * previous + i;
    if (slots == 2) wrong += got[1] != 1000 * next + i;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    if (argc < 3) return 1;
    const int n = atoi(argv[2]), is_grid = strcmp(argv[1], "grid") == 0,
              copies = strcmp(argv[1], "copies") == 0;
    const int next = (me + 1) % np, previous = (me + np - 1) % np, periodic = 1;
    MPI_Comm *const parents = malloc((size_t)n * sizeof *parents), *const comms = malloc((size_t)n *
                                                                                         sizeof *comms);
    for (int i = 0; i < n; ++i) {
        parents[i] = MPI_COMM_WORLD;
        if (copies) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
        if (is_grid)
            MPI_Cart_create(parents[i], 1, &np, &periodic, 0, &comms[i]);
        else
            MPI_Dist_graph_create_adjacent(parents[i], 1, &previous, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &comms[i]);
        exchange(comms[i], i, is_grid ? 2 : 1);
    }
    for (int i = 0; i < n; i += 7) exchange(comms[i], i, is_grid ? 2 : 1);
    for (int i = 0; i < n; ++i) {
        MPI_Comm_free(&comms[i]);
        if (copies) MPI_Comm_free(&parents[i]);
    }
    free(parents);
    free(comms);
    int sum = 0;
    MPI_Reduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me == 0) printf("%d wrong\n", sum);
    return MPI_Finalize();
}
