// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: messages to who is a neighbor and who is not, with errors returned.  Its argument says
// whether those to who is none must be refused.

#include "plain.h"

static int asked, refused;

static int is_refused(int code)
{
    ++asked;
    if (code == MPI_SUCCESS) return 0;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(class_of(code), text, &length);
    wrong |= strncmp(text, "ORTHO_ERR_NEIGHBOR", 18) != 0;
    MPI_Error_string(code, text, &length);
    if (me == 0) printf("%s\n", text);
    ++refused;
    return 1;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv); // another neighbor each side if there are 3 processes or more
    const int is_strict = argc > 1 && atoi(argv[1]);
    MPI_Comm ring = graph_ring(MPI_COMM_WORLD), line;
    MPI_Request requests[2];
    int got = -1, flag;
    MPI_Comm_set_name(ring, "the ring");
    // else a refused call must end the program
    if (argc < 3) MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){0}, 0, &line);

    // Along the edges, from anybody, and to nobody.
    MPI_Sendrecv(&me, 1, MPI_INT, next, 0, &got, 1, MPI_INT, before, 0, ring, MPI_STATUS_IGNORE);
    wrong |= got != before;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, ring, &requests[0]);
    MPI_Isend(&me, 1, MPI_INT, next, 1, ring, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    wrong |= MPI_Send(&me, 1, MPI_INT, MPI_PROC_NULL, 1, ring) != MPI_SUCCESS;

    // Against them.  Where that is refused, it is so on both sides, before anything has been sent.
    if (!is_refused(MPI_Irecv(&got, 1, MPI_INT, next, 2, ring, &requests[0]))) {
        MPI_Send(&me, 1, MPI_INT, before, 2, ring);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        wrong |= got != next;
    } else {
        wrong |= requests[0] != MPI_REQUEST_NULL;
        is_refused(MPI_Send(&me, 1, MPI_INT, before, 2, ring));
        is_refused(MPI_Isend(&me, 1, MPI_INT, before, 2, ring, &requests[0]));
        is_refused(
            MPI_Sendrecv(&me, 1, MPI_INT, before, 0, &got, 1, MPI_INT, next, 0, ring, MPI_STATUS_IGNORE));
        is_refused(MPI_Iprobe(next, 2, ring, &flag, MPI_STATUS_IGNORE));
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
        is_refused(
            MPI_Isendrecv(&me, 1, MPI_INT, before, 0, &got, 1, MPI_INT, before, 0, ring, &requests[0]));
        is_refused(MPI_Isendrecv_replace(&got, 1, MPI_INT, next, 0, next, 0, ring, &requests[0]));
        is_refused(MPI_Psend_init(&me, 1, 1, MPI_INT, before, 0, ring, MPI_INFO_NULL, &requests[0]));
        is_refused(MPI_Precv_init(&got, 1, 1, MPI_INT, next, 0, ring, MPI_INFO_NULL, &requests[0]));
        wrong |= requests[0] != MPI_REQUEST_NULL;
        MPI_Isendrecv(&me, 1, MPI_INT, next, 4, &got, 1, MPI_INT, before, 4, ring, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        wrong |= got != before;
#endif
#if MPI_VERSION >= 4
        is_refused(MPI_Send_c(&me, 1, MPI_INT, before, 2, ring));
        is_refused(MPI_Irecv_c(&got, 1, MPI_INT, next, 2, ring, &requests[0]));
        is_refused(MPI_Sendrecv_replace_c(&got, 1, MPI_INT, before, 0, next, 0, ring, MPI_STATUS_IGNORE));
        is_refused(
            MPI_Isendrecv_c(&me, 1, MPI_INT, before, 0, &got, 1, MPI_INT, next, 0, ring, &requests[0]));
        is_refused(MPI_Isendrecv_replace_c(&got, 1, MPI_INT, before, 0, next, 0, ring, &requests[0]));
#endif
    }

    // On grids and on full communicators all may talk to all.
    for (int i = 0; i < 2; ++i)
        MPI_Sendrecv(&me, 1, MPI_INT, before, 3, &got, 1, MPI_INT, next, 3, i == 0 ? line : MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    wrong |= got != next || refused != (is_strict ? asked : 0);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&line);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) printf("%d of %d refused%s\n", refused, asked, wrong ? ", something is wrong" : "");
    MPI_Finalize();
    return wrong;
}
