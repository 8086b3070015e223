/* SPDX-License-Identifier: BSD-3-Clause */
/* A process dies, or revokes the communicator, while all exchange blocks on a ring.  The others are told, and
 * go on without it.  With WITH_ORTHO by calls of the library.
 * Arguments: the form of the calls; what happens; ints a block. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#ifdef ORTHO_MPI_ULFM
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_ORTHO
#include <mpiortho.h>
#define Request ORTHO_Request
#define CALL(name) ORTHO_##name
#define ALLTOALL ORTHO_Alltoall
#define IALLTOALL ORTHO_Ialltoall
#else
#define Request MPI_Request
#define CALL(name) MPI_##name
#define ALLTOALL MPI_Neighbor_alltoall
#define IALLTOALL MPI_Ineighbor_alltoall
#endif

#ifdef ORTHO_MPI_ULFM
#include "interposer_only.h"

enum { calls = 100, unlucky_call = 60 };

static const char *form, *event;
static int n, me, size, wrong, handled, error;
static int *out, *in;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            printf("%d: %s %s %d, line %d: not %s (%d errors, the last one %d)\n", me, form, event, n,       \
                   __LINE__, #condition, handled, error);                                                    \
            fflush(stdout);                                                                                  \
            wrong++;                                                                                         \
        }                                                                                                    \
    } while (0)

static int is(const char *what) { return strcmp(form, what) == 0; }
static int is_event(const char *what) { return strcmp(event, what) == 0; }

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    error = *code;
    handled++;
}

static MPI_Comm make_ring(MPI_Comm comm)
{
    MPI_Comm ring;
    int np, one = 1;
    MPI_Comm_size(comm, &np);
    int rank;
    MPI_Comm_rank(comm, &rank);
    int around[2] = {(rank + np - 1) % np, (rank + 1) % np};
#ifdef WITH_ORTHO
    int offsets[2] = {-1, 1};
    if (is("halo") || is("run"))
        ORTHO_Cart_neighborhood_create(comm, 1, &np, &one, 2, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &ring);
    else
        ORTHO_Dist_graph_create_adjacent(comm, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED,
                                         MPI_INFO_NULL, 0, &ring);
#else
    if (is("graph"))
        MPI_Dist_graph_create_adjacent(comm, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &ring);
    else
        MPI_Cart_create(comm, 1, &np, &one, 0, &ring);
#endif
    MPI_Errhandler errhandler;
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(ring, errhandler);
    MPI_Errhandler_free(&errhandler);
    MPI_Comm_rank(ring, &me);
    MPI_Comm_size(ring, &size);
    return ring;
}

/* Frees the communicator while the operation is under way: its code. */
static int free_and_wait(MPI_Comm *ring, Request *request)
{
    const int code = IALLTOALL(out, n, MPI_INT, in, n, MPI_INT, *ring, request);
    MPI_Comm_free(ring);
    return code != MPI_SUCCESS ? code : CALL(Wait)(request, MPI_STATUS_IGNORE);
}

static int exchange(MPI_Comm ring, Request *request)
{
    int code;
    if (is("wait") || is("test")) {
        code = IALLTOALL(out, n, MPI_INT, in, n, MPI_INT, ring, request);
    } else if (is("persistent") || is("halo")) {
        code = CALL(Start)(request);
#ifdef WITH_ORTHO
    } else if (is("run")) {
        return ORTHO_Run(request, MPI_STATUS_IGNORE);
#endif
    } else {
        return ALLTOALL(out, n, MPI_INT, in, n, MPI_INT, ring);
    }
    if (code != MPI_SUCCESS) return code;
    if (!is("test")) return CALL(Wait)(request, MPI_STATUS_IGNORE);
    for (int flag = 0; !flag && code == MPI_SUCCESS;) {
        code = CALL(Test)(request, &flag, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return code;
}

static void fill(int call)
{
    for (int k = 0; k < 2 * n; k++) out[k] = 1000 * call + 10 * me + k / n;
    if (is("halo") || is("run")) memcpy(in + n, out, 2 * n * sizeof *in);
}

/* Exchanges, until one fails: its code. */
static int go_on(MPI_Comm *ring, Request *request, int unlucky)
{
    const int halo = is("halo") || is("run");
    for (int i = 0; i < calls; i++) {
        if (me == unlucky && i == unlucky_call) {
            if (is_event("revoke"))
                MPIX_Comm_revoke(*ring);
            else
                raise(SIGKILL);
        }
        fill(i);
        const int code = unlucky >= 0 && i == unlucky_call && is_event("free") ? free_and_wait(ring, request)
                                                                               : exchange(*ring, request);
        if (code != MPI_SUCCESS || *ring == MPI_COMM_NULL) {
            fill(i + 1);
            return code;
        }
        const int left = (me + size - 1) % size, right = (me + 1) % size;
        for (int k = 0; k < n; k++) {
            const int from_left = in[k], from_right = in[halo ? 3 * n + k : n + k];
            if (from_left == 1000 * i + 10 * left + 1 && from_right == 1000 * i + 10 * right) continue;
            printf("%d: wrong block in call %d: %d, %d\n", me, i, from_left, from_right);
            wrong++;
            break;
        }
    }
    return MPI_SUCCESS;
}

static int class_of(int code)
{
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    return error_class;
}

static void prepare(MPI_Comm ring, Request *request)
{
#ifdef WITH_ORTHO
    void *field = in;
    MPI_Datatype element = MPI_INT;
    int cells = 4 * n;
    if (is("halo") || is("run"))
        ORTHO_Halo_init(1, &field, &element, 1, &cells, &n, &n, ring, MPI_INFO_NULL, request);
    if (is("persistent")) ORTHO_Alltoall_init(out, n, MPI_INT, in, n, MPI_INT, ring, MPI_INFO_NULL, request);
#elif MPI_VERSION >= 4 || defined(OPEN_MPI)
    if (is("persistent"))
        MPI_Neighbor_alltoall_init(out, n, MPI_INT, in, n, MPI_INT, ring, MPI_INFO_NULL, request);
#endif
}

static void forget(Request *request)
{
    if (is("persistent") || is("halo") || is("run")) CALL(Request_free)(request);
}

/* MPI_Finalize of Open MPI 5.0.11 may never end.  The library's work there is over when the attribute goes
 * that was there first. */
static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    if (!wrong) puts("right");
    fflush(stdout);
    _exit(wrong != 0);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 0;
    end_without_interposer();
    MPI_Init(&argc, &argv);
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    form = argv[1];
    event = argv[2];
    n = atoi(argv[3]);
    out = calloc(2 * n, sizeof *out);
    in = calloc(4 * n, sizeof *in);
    MPI_Comm all, rest;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm ring = make_ring(all);
    Request request;
    prepare(ring, &request);
    const double begin = MPI_Wtime();
    const int code = go_on(&ring, &request, size / 2);
    /* The victim's neighbors miss its blocks; for others the last call may have been right. */
    const int may_be_right = is_event("free") && me % 2 == (size / 2) % 2;
    CHECK(may_be_right || code != MPI_SUCCESS);
    CHECK(handled == 1 || (ring == MPI_COMM_NULL && handled == 0));
    if (is_event("revoke"))
        CHECK(class_of(code) == MPIX_ERR_REVOKED);
    else
        CHECK(class_of(code) == MPIX_ERR_PROC_FAILED || (may_be_right && code == MPI_SUCCESS) ||
              (is_event("die+revoke") && class_of(code) == MPIX_ERR_REVOKED));
    if (is_event("die+revoke")) MPIX_Comm_revoke(ring);
    if (ring != MPI_COMM_NULL) {
        /* No call goes through any more. */
        const double again = MPI_Wtime();
        const int second = exchange(ring, &request);
        CHECK(class_of(second) == class_of(code) || class_of(second) == MPIX_ERR_REVOKED);
        CHECK(handled == 2);
        CHECK(MPI_Wtime() - again < 2);
        forget(&request);
        MPI_Comm_free(&ring);
    }
    CHECK(MPI_Wtime() - begin < 60);

    CHECK(MPIX_Comm_shrink(all, &rest) == MPI_SUCCESS);
    MPI_Comm_free(&all);
    handled = 0;
    ring = make_ring(rest);
    prepare(ring, &request);
    CHECK(go_on(&ring, &request, -1) == MPI_SUCCESS);
    CHECK(handled == 0);
    forget(&request);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&rest);
    MPI_Finalize();
    return 1;
}
#else
int main(void)
{
    puts("no ULFM");
    return 0;
}
#endif
