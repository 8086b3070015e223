/* SPDX-License-Identifier: BSD-3-Clause
 * A 9-point stencil by one set of interfaces: Figure 1b of J. L. Traff et al., MPI collective communication
 * through a single set of interfaces, 2021, which names the grid as its Listing 3 does.
 * Figure 1a is nine_points_mpi.c. */
#include <mpiortho.h>

#include "nine_points.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int p, rank, points, ranks[T], order[2] = {0, 0}, period[2] = {0, 0}, here[2];
    MPI_Comm comm, cartcomm, basecomm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    MPI_Dims_create(p, 2, order);
    ORTHO_Cart_name(comm, 2, ORTHO_ROWMAJOR, order, period, &points);

    /* Beyond a border there is MPI_PROC_NULL: a gap, whose block stays as it is. */
    ORTHO_Cart_allranks_relative(comm, rank, T, target, ranks);
    ORTHO_Dist_graph_create_adjacent(comm, T, ranks, MPI_UNWEIGHTED, T, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                     1, &cartcomm); /* reorder here: grid and stencil are known */
    ORTHO_Comm_base(cartcomm, &basecomm);
    Borders borders;
    make_borders(&borders);

    double matrix[N + 2][N + 2];
    MPI_Comm_rank(cartcomm, &rank);
    ORTHO_Cart_coordinates(comm, rank, here);
    fill(matrix, here[0] == 0);
    int iterations = 0, iterate = 1;
    while (iterate) {
        ORTHO_Alltoallw(matrix, borders.count, borders.send, borders.type, matrix, borders.count,
                        borders.receive, borders.type, cartcomm);
        const int local = compute(matrix) > 1e-4;
        ORTHO_Allreduce(&local, &iterate, 1, MPI_INT, MPI_LOR, basecomm);
        iterations++;
    }
    print_result(matrix, iterations, basecomm);
    free_borders(&borders);
    MPI_Comm_free(&basecomm);
    MPI_Comm_free(&cartcomm);
    MPI_Comm_free(&comm);
    return MPI_Finalize();
}
