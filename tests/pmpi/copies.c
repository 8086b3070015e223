// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: copies of a grid by MPI_Comm_idup whose first call is a non-blocking one, which must
// not wait until all processes have come.  Blocks go as the standard says.  Its last line says how much was
// wrong.

#include "interposer_only.h"
#include "plain.h"

static MPI_Comm copy_of(MPI_Comm comm)
{
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_idup(comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return copy;
}

/* Bad buffers and datatypes are errors. */
static void mistakes(MPI_Comm ring)
{
    MPI_Datatype uncommitted;
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    static const char *const names[] = {"MPI_IN_PLACE is sent", "MPI_IN_PLACE is received", "null is sent",
                                        "a datatype is not committed"};
    for (int mistake = 0; mistake < 4; ++mistake) {
        MPI_Comm copy = copy_of(ring);
        MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
        int a[4] = {0}, b[4];
        const void *const sent = mistake == 0 ? MPI_IN_PLACE : mistake == 2 ? NULL : a;
        MPI_Datatype const type = mistake == 3 ? uncommitted : MPI_INT;
        MPI_Request request = MPI_REQUEST_NULL;
        int code = MPI_Ineighbor_alltoall(sent, 1, type, mistake == 1 ? MPI_IN_PLACE : b, 1, type, copy,
                                          &request);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(names[mistake], class_of(code), mistake == 3 ? MPI_ERR_TYPE : MPI_ERR_BUFFER);
        MPI_Comm_free(&copy);
    }
    MPI_Type_free(&uncommitted);
}

/* A communicator may go before its operations are over. */
static void freed(MPI_Comm ring)
{
    const int ones[] = {1, 1}, places[] = {0, 1};
    for (int i = 0; i < 20; ++i) {
        MPI_Comm copy = copy_of(ring);
        MPI_Request request;
        const int a[] = {1000 * me + i, 1000 * me + 100 + i};
        int b[] = {-1, -1};
        MPI_Ineighbor_alltoallv(a, ones, places, MPI_INT, b, ones, places, MPI_INT, copy, &request);
        MPI_Comm_free(&copy);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("a copy that was freed", b[0], 1000 * before + 100 + i);
        expect("a copy that was freed", b[1], 1000 * next + i);
    }
}

/* Datatypes of blocks that nobody has are not looked at. */
static void no_neighbors(void)
{
    const int dims[] = {1, size}, periods[] = {1, 0};
    const MPI_Aint places[] = {0, sizeof(int), 2 * sizeof(int), 3 * sizeof(int)};
    int neighbors[4], counts[4], a[4], b[] = {-1, -1, -1, -1};
    MPI_Comm plane;
    MPI_Datatype types[4];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &plane);
    MPI_Cart_shift(plane, 0, 1, &neighbors[0], &neighbors[1]);
    MPI_Cart_shift(plane, 1, 1, &neighbors[2], &neighbors[3]);
    for (int i = 0; i < 4; ++i) {
        counts[i] = neighbors[i] != MPI_PROC_NULL;
        types[i] = counts[i] ? MPI_INT : MPI_DATATYPE_NULL;
        a[i] = 1000 * me + i;
    }
    MPI_Comm copy = copy_of(plane);
    MPI_Request request;
    MPI_Ineighbor_alltoallw(a, counts, places, types, b, counts, places, types, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) expect("no neighbor", b[i], counts[i] ? 1000 * neighbors[i] + (i ^ 1) : -1);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&plane);
}

/* A grid of no dimensions has one process, which has no neighbors. */
static void no_dimensions(void)
{
    const int none = 0;
    int a = 1, b = -1;
    MPI_Comm point;
    MPI_Cart_create(MPI_COMM_WORLD, 0, &none, &none, 0, &point);
    if (point == MPI_COMM_NULL) return;
    MPI_Comm copy = copy_of(point);
    MPI_Request request;
    MPI_Ineighbor_alltoall(&a, 1, MPI_INT, &b, 1, MPI_INT, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Neighbor_alltoall(&a, 1, MPI_INT, &b, 1, MPI_INT, copy);
    MPI_Neighbor_alltoall(&a, 1, MPI_INT, &b, 1, MPI_INT, point);
    expect("a grid of no dimensions", b, -1);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&point);
}

/* A call that may wait makes the graph: non-blocking calls before it and behind it meet their partners. */
static void then_waits(MPI_Comm ring)
{
    MPI_Comm copy = copy_of(ring);
    enum { calls = 6 };
    int a[calls], b[calls][2];
    MPI_Request requests[calls];
    for (int i = 0; i < calls; ++i) {
        a[i] = 1000 * me + i;
        requests[i] = MPI_REQUEST_NULL;
        if (i == 3)
            MPI_Neighbor_allgather(&a[i], 1, MPI_INT, b[i], 1, MPI_INT, copy);
        else
            MPI_Ineighbor_allgather(&a[i], 1, MPI_INT, b[i], 1, MPI_INT, copy, &requests[i]);
    }
    MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < calls; ++i) {
        expect("calls before one that waits", b[i][0], 1000 * before + i);
        expect("calls before one that waits", b[i][1], 1000 * next + i);
    }
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    end_without_interposer();
    begin(&argc, &argv);
    MPI_Comm ring = grid_ring();
    mistakes(ring);
    freed(ring);
    no_neighbors();
    no_dimensions();
    then_waits(ring);
    MPI_Comm_free(&ring);
    return end();
}
