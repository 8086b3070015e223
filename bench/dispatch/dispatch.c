/* SPDX-License-Identifier: BSD-3-Clause */
/* The cost of asking what a communicator carries: calls of one int, by MPI's name and by ours, in one
   process, which waits for nobody.  `dispatch NAME` prints nanoseconds a call, medians; NAME stands before
   each line. */
#include <mpi.h>
#include <mpiortho.h>
#include <stdio.h>
#include <stdlib.h>

enum { calls = 1000, samples = 201 };

static int sent[1], received[1];

#define PAIR(name, of_mpi, of_ours)                                                                          \
    static void mpi_##name(MPI_Comm comm) { MPI_##of_mpi; }                                                  \
    static void ours_##name(MPI_Comm comm) { ORTHO_##of_ours; }
PAIR(gather, Gather(sent, 1, MPI_INT, received, 1, MPI_INT, 0, comm),
     Gather(sent, 1, MPI_INT, received, 1, MPI_INT, 0, comm))
PAIR(allreduce, Allreduce(sent, received, 1, MPI_INT, MPI_SUM, comm),
     Allreduce(sent, received, 1, MPI_INT, MPI_SUM, comm))
PAIR(bcast, Bcast(sent, 1, MPI_INT, 0, comm), Bcast(sent, 1, MPI_INT, 0, comm))
PAIR(alltoall, Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm),
     Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm))

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double nanoseconds(void (*call)(MPI_Comm), MPI_Comm comm)
{
    static double times[samples];
    for (int i = 0; i < calls; i++) call(comm);
    for (int s = 0; s < samples; s++) {
        const double start = MPI_Wtime();
        for (int i = 0; i < calls; i++) call(comm);
        times[s] = (MPI_Wtime() - start) / calls * 1e9;
    }
    qsort(times, samples, sizeof *times, ascending);
    return times[samples / 2];
}

static void compare(const char *way, const char *topology, const char *name, void (*mpi)(MPI_Comm),
                    void (*ours)(MPI_Comm), MPI_Comm comm)
{
    const double of_mpi = nanoseconds(mpi, comm), of_ours = nanoseconds(ours, comm);
    printf("%-8s %-8s %-18s %8.0f %8.0f\n", way, topology, name, of_mpi, of_ours);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int self = 0, one = 1;
    MPI_Comm full, grid, graph;
    MPI_Comm_dup(MPI_COMM_SELF, &full);
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &grid);
    MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &self, &one, 1, &self, &one, MPI_INFO_NULL, 0, &graph);
    const char *way = argc > 1 ? argv[1] : "plain", *names[] = {"full", "grid", "graph"};
    MPI_Comm comms[] = {full, grid, graph};
    for (int i = 0; i < 3; i++) {
        compare(way, names[i], "Gather", mpi_gather, ours_gather, comms[i]);
        compare(way, names[i], "Allreduce", mpi_allreduce, ours_allreduce, comms[i]);
        compare(way, names[i], "Bcast", mpi_bcast, ours_bcast, comms[i]);
    }
    compare(way, "graph", "Neighbor_alltoall", mpi_alltoall, ours_alltoall, graph);
    for (int i = 0; i < 3; i++) MPI_Comm_free(&comms[i]);
    return MPI_Finalize();
}
