/* SPDX-License-Identifier: BSD-3-Clause
 * The example of README.md: fills the ghost layer of an array, and prints whose elements came. */
#include <mpiortho.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, p, dims[2] = {0, 0}, periods[2] = {1, 1}, sizes[2] = {6, 6}, depth[2] = {1, 1};
    double a[6][6]; /* each process owns 4 x 4 elements, and has a ghost layer around them */
    MPI_Comm grid;
    ORTHO_Request halo; /* the exchange, prepared once */
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    ORTHO_Halo_init(1, (void *[]){a}, (MPI_Datatype[]){MPI_DOUBLE}, 2, sizes, depth, depth, grid,
                    MPI_INFO_NULL, &halo);
    MPI_Comm_rank(grid, &rank);
    for (int i = 1; i <= 4; i++)
        for (int j = 1; j <= 4; j++) a[i][j] = rank; /* what this process owns */
    ORTHO_Run(&halo, MPI_STATUS_IGNORE);             /* fills the ghosts; call it in every time step */
    printf("rank %d: corner %.0f, above %.0f, left %.0f\n", rank, a[0][0], a[0][1], a[1][0]);
    ORTHO_Request_free(&halo);
    MPI_Comm_free(&grid);
    return MPI_Finalize();
}
