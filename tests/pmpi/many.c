// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program that has very many communicators with a topology alive, all in use.  Arguments: their
// kind (graph, grid: on MPI_COMM_WORLD; copies: graphs on a duplicate of it each), and how many.

#include "plain.h"

static void exchange(MPI_Comm comm, int i, int slots)
{
    int sent = 1000 * me + i, got[2] = {-1, -1};
    MPI_Request request = MPI_REQUEST_NULL;
    if (i % 2 == 0) {
        MPI_Neighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, comm);
    } else {
        MPI_Ineighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    wrong += got[0] != 1000 * before + i;
    if (slots == 2) wrong += got[1] != 1000 * next + i;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc < 3) return 1;
    const int n = atoi(argv[2]), is_grid = strcmp(argv[1], "grid") == 0,
              copies = strcmp(argv[1], "copies") == 0;
    MPI_Comm *const parents = malloc((size_t)n * sizeof *parents), *const comms = malloc((size_t)n *
                                                                                         sizeof *comms);
    for (int i = 0; i < n; ++i) {
        parents[i] = MPI_COMM_WORLD;
        if (copies) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
        comms[i] = is_grid ? grid_ring() : graph_ring(parents[i]);
        exchange(comms[i], i, is_grid ? 2 : 1);
    }
    for (int i = 0; i < n; i += 7) exchange(comms[i], i, is_grid ? 2 : 1);
    for (int i = 0; i < n; ++i) {
        MPI_Comm_free(&comms[i]);
        if (copies) MPI_Comm_free(&parents[i]);
    }
    free(parents);
    free(comms);
    return end();
}
