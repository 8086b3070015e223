// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program with calls on requests of its own, as MPI's profiling interface allows.

#include "plain.h"

static int waits, starts, frees;

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    ++waits;
    return PMPI_Wait(request, status);
}
int MPI_Start(MPI_Request *request)
{
    ++starts;
    return PMPI_Start(request);
}
int MPI_Request_free(MPI_Request *request)
{
    ++frees;
    return PMPI_Request_free(request);
}

int main(int argc, char **argv)
{
    int got[2] = {-1, -1};
    MPI_Request request;
    begin(&argc, &argv);
    MPI_Comm ring = grid_ring();
    MPI_Neighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, ring);
    wrong += got[0] != before || got[1] != next;
    got[0] = got[1] = -1;
    MPI_Ineighbor_allgather(&me, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += got[0] != before || got[1] != next || waits != 1;
#ifdef ORTHO_MPI_PERSISTENT
    got[0] = got[1] = -1;
    MPI_Neighbor_allgather_init(&me, 1, MPI_INT, got, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    wrong += got[0] != before || got[1] != next || starts != 1 || frees != 1;
#endif
    MPI_Comm_free(&ring);
    return end();
}
