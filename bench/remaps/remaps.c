/* SPDX-License-Identifier: BSD-3-Clause
 * Does MPI_Cart_create remap processes?  W. Gropp: Using Node Information to Implement MPI Cartesian
 * Topologies, Table 2: the new communicator is compared with the old one.
 *     mpiexec -n P bench/remaps/remaps
 * MPI's reorders, and mpiortho's placement, in 2 and 3 dimensions. */
#include <mpi.h>
#include <mpiortho.h>
#include <stdio.h>

static const char *remaps(MPI_Comm comm)
{
    int result;
    MPI_Comm_compare(MPI_COMM_WORLD, comm, &result);
    return result == MPI_CONGRUENT ? "No" : "Yes";
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (int d = 2; d <= 3; d++) {
        int dims[3] = {0, 0, 0}, periods[3] = {0, 0, 0};
        int offsets[18] = {0};
        for (int i = 0; i < d; i++) {
            offsets[2 * i * d + i] = 1;
            offsets[(2 * i + 1) * d + i] = -1;
        }
        MPI_Comm mpi, graph, ours;
        MPI_Dims_create(processes, d, dims);
        MPI_Cart_create(MPI_COMM_WORLD, d, dims, periods, 1, &mpi);
        ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, d, dims, periods, 2 * d, offsets, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 1, &graph);
        ORTHO_Comm_base(graph, &ours);
        if (rank == 0)
            printf("%d dimensions: MPI %s, mpiortho %s\n", d, remaps(mpi), remaps(ours));
        else /* all processes of a communicator compare it */
            remaps(mpi), remaps(ours);
        MPI_Comm_free(&ours);
        MPI_Comm_free(&graph);
        MPI_Comm_free(&mpi);
    }
    return MPI_Finalize();
}
