/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with datatypes of its own, all of which it frees, on communicators and with an operation that it
 * never frees.  With an argument it leaves requests, too. */
#include <mpi.h>
#include <mpiortho.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int size, one = 1, offsets[2] = {-1, 1}, failures = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm ring, again;
    ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &size, &one, 2, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &ring);
    ORTHO_Comm_dup(ring, &again);
    int rank, neighbors[2];
    MPI_Comm_rank(ring, &rank);
    neighbors[0] = (rank + 1) % size; /* block 0 is that which goes to the left */
    neighbors[1] = (rank + size - 1) % size;
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 2, MPI_INT, &column);
    MPI_Datatype type;
    MPI_Type_create_resized(column, 0, sizeof(int), &type);
    MPI_Type_commit(&type);
    int from[8], to[8];
    for (int i = 0; i < 8; i++) from[i] = rank * 10 + i;
    for (int lap = 0; lap < 4; lap++) {
        ORTHO_Request request;
        switch (lap) {
        case 0: ORTHO_Alltoall(from, 1, type, to, 1, type, ring); break;
        case 1: ORTHO_Alltoall(from, 1, type, to, 1, type, again); break;
        case 2:
            ORTHO_Ialltoall(from, 1, type, to, 1, type, ring, &request);
            ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 3:
            ORTHO_Alltoall_init(from, 1, type, to, 1, type, ring, MPI_INFO_NULL, &request);
            ORTHO_Start(&request);
            ORTHO_Wait(&request, MPI_STATUS_IGNORE);
            ORTHO_Request_free(&request);
            break;
        }
        for (int i = 0; i < 8; i++)
            if (to[i] != neighbors[i % 2] * 10 + i) failures++;
    }
    if (argc > 1) {
        ORTHO_Request left[4];
        MPI_Comm_set_name(ring, "ring");
        for (int i = 0; i < 2; i++)
            ORTHO_Alltoall_init(from, 1, type, to, 1, type, ring, MPI_INFO_NULL, &left[i]);
        ORTHO_Ialltoall(from, 1, type, to, 1, type, ring, &left[2]);
        for (int flag = 0; !flag;) ORTHO_Parrived(left[2], 0, &flag); /* MPI must be able to end */
        MPI_Comm corner;                                              /* a grid of the first process alone */
        MPI_Comm_dup(MPI_COMM_WORLD, &corner);
        MPI_Comm_set_name(corner, "corner");
        ORTHO_Cart_name(corner, 1, ORTHO_ROWMAJOR, &one, &one, &size);
        MPI_Datatype number = MPI_INT;
        void *field = to;
        int cells = 8;
        ORTHO_Halo_init(1, &field, &number, 1, &cells, &one, &one, corner, MPI_INFO_NULL, &left[3]);
        ORTHO_Barrier(ring);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&type);
    MPI_Finalize();
    return failures ? 1 : 0;
}
