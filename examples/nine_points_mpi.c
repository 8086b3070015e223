/* SPDX-License-Identifier: BSD-3-Clause
 * A 9-point stencil by MPI alone: Figure 1a of J. L. Traff et al., MPI collective communication through a
 * single set of interfaces, 2021.  Figure 1b is nine_points.c. */
#include "nine_points.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int p, rank, t = 0, neighbors[T], order[2] = {0, 0}, period[2] = {0, 0}, here[2];
    MPI_Comm cart, cartcomm;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 2, order);
    MPI_Cart_create(MPI_COMM_WORLD, 2, order, period, 0, &cart); /* reorder here? */
    MPI_Comm_rank(cart, &rank);
    MPI_Cart_coords(cart, rank, 2, here);

    /* MPI's lists have no gaps: at a border there are fewer neighbors, and fewer blocks. */
    Borders borders;
    make_borders(&borders);
    for (int i = 0; i < T; i++) {
        const int there[2] = {here[0] + target[2 * i], here[1] + target[2 * i + 1]};
        if (there[0] < 0 || there[0] >= order[0] || there[1] < 0 || there[1] >= order[1]) continue;
        MPI_Cart_rank(cart, there, &neighbors[t]);
        borders.send[t] = borders.send[i];
        borders.receive[t] = borders.receive[i];
        borders.type[t++] = borders.type[i];
    }
    /* Or reorder here?  Ranks that are reordered now have other places in the grid than those above. */
    MPI_Dist_graph_create_adjacent(cart, t, neighbors, MPI_UNWEIGHTED, t, neighbors, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &cartcomm);

    double matrix[N + 2][N + 2];
    fill(matrix, here[0] == 0);
    int iterations = 0, iterate = 1;
    while (iterate) {
        MPI_Neighbor_alltoallw(matrix, borders.count, borders.send, borders.type, matrix, borders.count,
                               borders.receive, borders.type, cartcomm);
        const int local = compute(matrix) > 1e-4;
        MPI_Allreduce(&local, &iterate, 1, MPI_INT, MPI_LOR, cartcomm);
        iterations++;
    }
    print_result(matrix, iterations, cartcomm);
    free_borders(&borders);
    MPI_Comm_free(&cartcomm);
    MPI_Comm_free(&cart);
    return MPI_Finalize();
}
