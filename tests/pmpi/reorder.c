/* SPDX-License-Identifier: BSD-3-Clause */
/* A plain MPI program: a 2 x 2 grid whose processes exchange with the next row alone, and may be reordered.
 * Prints how many processes have another rank then, and looks whether the exchange is right. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int dims[] = {2, 2}, periods[] = {0, 0};
    MPI_Comm grid, graph;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    int before, after, there, moved, all = 0, wrong = 0;
    MPI_Comm_rank(grid, &before);
    const int other = (before + 2) % 4;
    MPI_Dist_graph_create_adjacent(grid, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   1, &graph);
    MPI_Comm_rank(graph, &after);
    MPI_Neighbor_allgather(&after, 1, MPI_INT, &there, 1, MPI_INT, graph);
    int source, target, degree, weighted;
    MPI_Dist_graph_neighbors_count(graph, &degree, &degree, &weighted);
    MPI_Dist_graph_neighbors(graph, 1, &source, &weighted, 1, &target, &weighted);
    wrong = there != source || there != (after + 2) % 4;
    moved = before != after;
    MPI_Allreduce(&moved, &all, 1, MPI_INT, MPI_SUM, graph);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, graph);
    if (after == 0) printf("%d moved, %d wrong\n", all, wrong);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&grid);
    return MPI_Finalize();
}
