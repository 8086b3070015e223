// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: what programs do with the requests of neighborhood collectives.  It knows nothing of
// mpiortho; with the interposer it must find nothing wrong.  Its last line says what it found.
// `requests [errors|late [MANY]]`: with errors, too; or with a process that comes late.

#include <unistd.h>

#include "interposer_only.h"
#include "plain.h"

enum { ways = 8 };
/* More than MPI promises tags.  Where sanitizers watch, fewer will do. */
static int many = 40000;

/* A ring: `what` is sent to both neighbors, receive block 0 comes from the one before. */
struct exchange {
    int send[2], receive[2];
    MPI_Request request;
};

static void set(struct exchange *e, int what)
{
    e->send[0] = 1000 * what + 10 * me;
    e->send[1] = e->send[0] + 1;
    e->receive[0] = e->receive[1] = -1;
}
static void start(struct exchange *e, MPI_Comm ring)
{
    MPI_Ineighbor_alltoall(e->send, 1, MPI_INT, e->receive, 1, MPI_INT, ring, &e->request);
}
/* Block 0 goes to the process before, so that it comes from the next one. */
static void check(const char *what, const struct exchange *e, int number)
{
    expect(what, e->receive[0], 1000 * number + 10 * before + 1);
    expect(what, e->receive[1], 1000 * number + 10 * next);
}

/* Completes all of these in one of MPI's ways. */
static void complete(int n, MPI_Request requests[], int way)
{
    int flag = 0, index, count, indices[8];
    MPI_Status statuses[8];
    switch (way % ways) {
    case 0: MPI_Waitall(n, requests, statuses); break;
    case 1:
        while (!flag) MPI_Testall(n, requests, &flag, statuses);
        break;
    case 2:
        for (int i = 0; i < n; ++i) {
            MPI_Waitany(n, requests, &index, statuses);
            if (index < 0 || index >= n) expect("index of MPI_Waitany", index, 0);
        }
        break;
    case 3:
        for (int i = 0; i < n; i += flag) MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
        break;
    case 4:
        for (int left = n; left > 0; left -= count) MPI_Waitsome(n, requests, &count, indices, statuses);
        break;
    case 5:
        for (int left = n; left > 0; left -= count)
            MPI_Testsome(n, requests, &count, indices, MPI_STATUSES_IGNORE);
        break;
    case 6: // the last one first
        for (int i = n; i-- > 0;) MPI_Wait(&requests[i], &statuses[i]);
        break;
    default:
        for (int i = 0; i < n; ++i) {
            while (!flag) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
            flag = 0;
            while (!flag) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
            flag = 0;
        }
    }
    // Now there is nothing left to complete.
    MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
    expect("index when all are complete", index, MPI_UNDEFINED);
}

/* Several exchanges at once, among messages of the program's own. */
static void test_several(MPI_Comm ring, int way)
{
    struct exchange e[3];
    MPI_Request requests[6];
    int got = -1;
    MPI_Irecv(&got, 1, MPI_INT, before, 7, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; ++i) set(&e[i], i), start(&e[i], ring);
    MPI_Isend(&me, 1, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[3]);
    requests[0] = e[2].request;
    requests[2] = e[0].request;
    requests[4] = MPI_REQUEST_NULL;
    requests[5] = e[1].request;
    complete(6, requests, way == 2 || way == 3 || way == 4 || way == 5 ? 0 : way);
    expect("a message of its own", got, before);
    for (int i = 0; i < 3; ++i) check("several", &e[i], i);
    // Where the ways count what is complete, nothing may be null.
    for (int i = 0; i < 3; ++i) set(&e[i], i + 3), start(&e[i], ring), requests[i] = e[i].request;
    complete(3, requests, way);
    for (int i = 0; i < 3; ++i) check("three", &e[i], i + 3);
}

/* The first call on a communicator, while the partner is away waiting for a message that is sent later. */
static void test_away(int is_grid)
{
    struct exchange e;
    const int neighbors[2] = {before, next};
    MPI_Comm ring = is_grid ? grid_ring() : MPI_COMM_NULL;
    if (!is_grid)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbors, MPI_UNWEIGHTED, 2, neighbors,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    set(&e, 0);
    int word = 0;
    if (me != 0) MPI_Recv(&word, 1, MPI_INT, me - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start(&e, ring);
    if (me + 1 < size) MPI_Send(&word, 1, MPI_INT, me + 1, 3, MPI_COMM_WORLD);
    // The communicator may go while its operations go on.
    MPI_Comm_free(&ring);
    MPI_Wait(&e.request, MPI_STATUS_IGNORE);
    // Where the neighbors are one process, a graph pairs the first edge with the first, a grid what is
    // opposite.
    const int opposite = is_grid || size > 2;
    expect("away", e.receive[0], 10 * before + opposite);
    expect("away", e.receive[1], 10 * next + !opposite);
}

/* A request that is freed: what it stood for goes on, and ends. */
static void test_free(MPI_Comm ring)
{
    static struct exchange e, f;
    set(&e, 1);
    start(&e, ring);
    MPI_Request_free(&e.request);
    expect("a freed request", e.request == MPI_REQUEST_NULL, 1);
    for (int i = 0; i < 100000; ++i) {
        set(&f, 2);
        start(&f, ring);
        MPI_Wait(&f.request, MPI_STATUS_IGNORE);
        // All stop together.
        int missing = *(volatile int *)&e.receive[0] == -1 || *(volatile int *)&e.receive[1] == -1;
        MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (!missing) break;
    }
    check("a freed request", &e, 1);
}

/* One after the other: nothing of them is left. */
static void test_many(MPI_Comm ring)
{
    struct exchange e;
    for (int i = 0; i < many; ++i) {
        set(&e, i % 7);
        start(&e, ring);
        MPI_Wait(&e.request, MPI_STATUS_IGNORE);
        check("one of many", &e, i % 7);
    }
}

/* At a time, all started by the one before the other begins. */
static void test_many_at_once(MPI_Comm ring)
{
    struct exchange *e = malloc(many * sizeof *e);
    MPI_Request *requests = malloc(many * sizeof *requests);
    int token = 0;
    if (me > 0) MPI_Recv(&token, 1, MPI_INT, me - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) {
        set(&e[i], i % 5);
        start(&e[i], ring);
        requests[i] = e[i].request;
    }
    if (me + 1 < size) MPI_Send(&token, 1, MPI_INT, me + 1, 9, MPI_COMM_WORLD);
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; ++i) check("one of many at once", &e[i], i % 5);
    free(requests);
    free(e);
}

#ifdef ORTHO_MPI_PERSISTENT
static void test_persistent(MPI_Comm ring, int way)
{
    struct exchange e[2];
    int got = -1, index;
    MPI_Request requests[4];
    for (int i = 0; i < 2; ++i)
        MPI_Neighbor_alltoall_init(e[i].send, 1, MPI_INT, e[i].receive, 1, MPI_INT, ring, MPI_INFO_NULL,
                                   &requests[i]);
    MPI_Recv_init(&got, 1, MPI_INT, before, 8, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(&me, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[3]);
    // None has been started: there is nothing to wait for.
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    expect("index of inactive requests", index, MPI_UNDEFINED);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 2; ++i) set(&e[i], 2 * round + i);
        got = -1;
        for (int i = 4; round == 1 && i-- > 0;) MPI_Start(&requests[i]);
        if (round != 1) MPI_Startall(4, requests);
        complete(4, requests, way + round);
        expect("a persistent message", got, before);
        for (int i = 0; i < 2; ++i) check("persistent", &e[i], 2 * round + i);
    }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    // MPI has completed these, or the interposer: all are inactive.
    int flag = 0, count = 0, indices[4];
    MPI_Request_get_status_all(4, requests, &flag, MPI_STATUSES_IGNORE);
    expect("all of inactive requests are complete", flag, 1);
    MPI_Request_get_status_any(4, requests, &index, &flag, MPI_STATUS_IGNORE);
    expect("index of any inactive request", index, MPI_UNDEFINED);
    MPI_Request_get_status_some(4, requests, &count, indices, MPI_STATUSES_IGNORE);
    expect("number of some inactive requests", count, MPI_UNDEFINED);
#endif
    // The second one alone.
    set(&e[1], 9);
    MPI_Start(&requests[1]);
    MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    expect("index of the one that is active", index, 1);
    check("one of them", &e[1], 9);
    for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}
#endif

// ---- Errors ---------------------------------------------------------------------------------------

/* Blocks that are too long come to nothing, wherever it is found out; a request that cannot be cancelled. */
static void test_errors(MPI_Comm ring)
{
    count_errors(ring);
    const int twice[2] = {2, 2}, once[2] = {1, 1}, places[2] = {0, 2};
    int send[4] = {0}, receive[8], index = -1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    for (int several = 0; several < 2; ++several) {
        handled = 0;
        MPI_Ineighbor_alltoallv(send, twice, places, MPI_INT, receive, once, places, MPI_INT, ring,
                                &requests[1]);
        if (several) {
            MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
            expect("error of several", MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
            expect("error of one of them", class_of(statuses[1].MPI_ERROR), MPI_ERR_TRUNCATE);
            expect("no error of the other", statuses[0].MPI_ERROR, MPI_SUCCESS);
        } else {
            expect("error of one", class_of(MPI_Waitany(2, requests, &index, statuses)), MPI_ERR_TRUNCATE);
            expect("which one", index, 1);
        }
        expect("calls of the handler", handled, 1);
        expect("the request", requests[1] == MPI_REQUEST_NULL, 1);
    }
    MPI_Ineighbor_alltoallv(send, once, places, MPI_INT, receive, once, places, MPI_INT, ring, &requests[1]);
    handled = 0;
    expect("error of MPI_Cancel", class_of(MPI_Cancel(&requests[1])), MPI_ERR_REQUEST);
    expect("calls of the handler", handled, 1);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    expect("null",
           class_of(MPI_Ineighbor_alltoallv(send, once, places, MPI_INT, receive, once, places, MPI_INT, ring,
                                            NULL)),
           MPI_ERR_ARG);
#ifdef ORTHO_MPI_PERSISTENT
    MPI_Neighbor_alltoallv_init(send, once, places, MPI_INT, receive, once, places, MPI_INT, ring,
                                MPI_INFO_NULL, &requests[1]);
    MPI_Start(&requests[1]);
    handled = 0;
    expect("error of a second MPI_Start", class_of(MPI_Start(&requests[1])), MPI_ERR_REQUEST);
    expect("calls of the handler", handled, 1);
    // With another one before it that can be started, and is.
    MPI_Neighbor_alltoallv_init(send, once, places, MPI_INT, receive + 4, once, places, MPI_INT, ring,
                                MPI_INFO_NULL, &requests[0]);
    expect("error of MPI_Startall", class_of(MPI_Startall(2, requests)), MPI_ERR_REQUEST);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int round = 0; round < 2; ++round) {
        send[0] = send[2] = me + 100 * round;
        receive[4] = receive[6] = -1;
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        expect("after a failed MPI_Startall", receive[4], before + 100 * round);
        expect("after a failed MPI_Startall", receive[6], next + 100 * round);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_ARE_FATAL);
}

/* The last process comes late, while the others wait for one exchange, and for some. */
static void test_late(MPI_Comm ring)
{
    struct exchange e;
    int index, count;
    for (int way = 0; way < 2; ++way) {
        set(&e, way);
        if (me == size - 1) sleep(2);
        start(&e, ring);
        if (way == 0)
            MPI_Waitany(1, &e.request, &index, MPI_STATUS_IGNORE);
        else
            MPI_Waitsome(1, &e.request, &count, &index, MPI_STATUSES_IGNORE);
        expect("index of a late one", index, 0);
        check("a late one", &e, way);
    }
}

static MPI_Comm last_ring;
static struct exchange last;

/* MPI_Finalize calls it last: it completes what is under way, and makes another exchange. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    for (int way = 1; way < 4; way += 2) { // these ask MPI
        complete(1, &last.request, way);
        check("in MPI_Finalize", &last, way);
        set(&last, 3);
        start(&last, last_ring);
    }
    complete(1, &last.request, 0);
    MPI_Comm_free(&last_ring);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key;
    end_without_interposer();
    begin(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    const int errors = argc > 1 && strcmp(argv[1], "errors") == 0;
    if (argc > 2) many = atoi(argv[2]);

    MPI_Comm ring = grid_ring();
    for (int way = 0; way < ways; ++way) {
        test_several(ring, way);
#ifdef ORTHO_MPI_PERSISTENT
        test_persistent(ring, way);
#endif
    }
    test_away(0);
    test_away(1);
    if (argc > 1 && strcmp(argv[1], "late") == 0) test_late(ring);
    if (errors) test_free(ring);
    if (size == 1) test_many(ring);
    if (errors && size <= 2) test_many_at_once(ring);
    if (errors) test_errors(ring);
    MPI_Comm_free(&ring);

    say_wrong();
    last_ring = grid_ring();
    set(&last, 1);
    start(&last, last_ring);
    MPI_Finalize();
    return wrong != 0;
}
