/* SPDX-License-Identifier: BSD-3-Clause
 * The program that doc/trouble.md shows.  "hang": the last process leaves an exchange out; else it sends half
 * of what its neighbor expects. */
#include "mpiortho.h"

#include <string.h>

int main(int argc, char **argv)
{
    int rank, p, dims[2] = {0, 0}, periods[2] = {1, 1}, sizes[2] = {6, 6}, depth[2] = {1, 1};
    double a[6][6] = {{0}};
    MPI_Comm grid, graph;
    MPI_Info info;
    ORTHO_Request halo;
    MPI_Init(&argc, &argv);
    const int hangs = argc > 1 && strcmp(argv[1], "hang") == 0;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_set_name(grid, "grid");
    MPI_Comm_rank(grid, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_name", "pressure");
    ORTHO_Halo_init(1, (void *[]){a}, (MPI_Datatype[]){MPI_DOUBLE}, 2, sizes, depth, depth, grid, info,
                    &halo);
    MPI_Info_free(&info);
    if (hangs && rank == p - 1) MPI_Recv(a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ORTHO_Run(&halo, MPI_STATUS_IGNORE);
    const int n = rank == p - 1 ? 5 : 10, one = 1, to = (rank + 1) % p, from = (rank + p - 1) % p;
    int send[10] = {0}, receive[10];
    ORTHO_Dist_graph_create_adjacent(grid, 1, &from, &one, 1, &to, &one, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_set_name(graph, "ring");
    ORTHO_Alltoall(send, n, MPI_INT, receive, 10, MPI_INT, graph);
    ORTHO_Request_free(&halo);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&grid);
    return MPI_Finalize();
}
