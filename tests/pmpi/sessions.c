/* SPDX-License-Identifier: BSD-3-Clause */
/* Knows nothing of mpiortho, and never calls MPI_Init. */
#include <mpi.h>
#include <stdio.h>

#include "interposer_only.h"

int main(void)
{
    int wrong = 0;
    end_without_interposer();
#ifdef ORTHO_MPI_SESSIONS
    MPI_Session session;
    MPI_Group group;
    MPI_Comm all, ring;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
    MPI_Group_free(&group);
    int size, rank, one = 1;
    MPI_Comm_size(all, &size);
    MPI_Comm_rank(all, &rank);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Cart_create(all, 1, &size, &one, 0, &ring);
    for (int form = 0; form < 3; form++) {
        int from[2] = {10 * rank, 10 * rank + 1}, to[2] = {-1, -1};
        MPI_Request request = MPI_REQUEST_NULL;
        if (form == 0) MPI_Neighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, ring);
        if (form == 1) MPI_Ineighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, ring, &request);
#ifdef ORTHO_MPI_PERSISTENT
        if (form == 2) {
            MPI_Neighbor_alltoall_init(from, 1, MPI_INT, to, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
            MPI_Start(&request);
        }
#else
        if (form == 2) break;
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (form == 2) MPI_Request_free(&request);
        /* The block sent to the left comes into the slot of the right. */
        if (to[0] != 10 * left + 1 || to[1] != 10 * right) {
            wrong++;
            printf("rank %d, form %d: %d %d\n", rank, form, to[0], to[1]);
        }
    }
    MPI_Comm_free(&ring);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&session);
    if (rank == 0) printf("%d wrong\n", wrong);
#else
    puts("no sessions");
#endif
    return wrong != 0;
}
