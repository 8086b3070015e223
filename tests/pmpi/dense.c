// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: everybody exchanges with everybody, on communicators of all kinds.  Expected values
// come from arithmetic.  Its last line is "N wrong".

#include "plain.h"

enum { most = 16 };

static void expect_on(const char *where, const char *what, int got, int expected)
{
    char text[80];
    snprintf(text, sizeof text, "%s: %s", where, what);
    expect(text, got, expected);
}

/// Element k of the block from process i to process j, in sample s.
static int element(int i, int j, int k, int s) { return 1000000 * s + 10000 * i + 100 * j + k % 100; }
/// How many elements it has where blocks differ: some have none.
static int length(int i, int j, int n) { return (i * 3 + j * 5) % 4 * n; }

static void alltoall(MPI_Comm comm, const char *where, int n, int s)
{
    int p, me;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    int *out = malloc(sizeof *out * (size_t)(p * n)), *in = calloc((size_t)(p * n), sizeof *in);
    for (int j = 0; j < p; j++)
        for (int k = 0; k < n; k++) out[j * n + k] = element(me, j, k, s);
    MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        for (int k = 0; k < n; k++) expect_on(where, "MPI_Alltoall", in[i * n + k], element(i, me, k, s));
    // The alltoall in place, by MPI.
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        for (int k = 0; k < n; k++) expect_on(where, "MPI_IN_PLACE", out[i * n + k], element(i, me, k, s));
    free(in), free(out);
}

static void alltoallv(MPI_Comm comm, const char *where, int n, int s)
{
    int p, me, out_n = 0, in_n = 0, counts[2][most], places[2][most];
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    for (int j = 0; j < p; j++) { // the receive blocks lie in descending order, with a gap before each
        counts[0][j] = length(me, j, n), places[0][j] = out_n, out_n += counts[0][j];
        counts[1][p - 1 - j] = length(p - 1 - j, me, n), places[1][p - 1 - j] = in_n + 1;
        in_n += counts[1][p - 1 - j] + 1;
    }
    int *out = malloc(sizeof *out * (size_t)(out_n + 1)), *in = malloc(sizeof *in * (size_t)(in_n + 1));
    memset(in, -1, sizeof *in * (size_t)(in_n + 1));
    for (int j = 0; j < p; j++)
        for (int k = 0; k < counts[0][j]; k++) out[places[0][j] + k] = element(me, j, k, s);
    MPI_Alltoallv(out, counts[0], places[0], MPI_INT, in, counts[1], places[1], MPI_INT, comm);
    for (int i = 0; i < p; i++) {
        expect_on(where, "MPI_Alltoallv: the gap", in[places[1][i] - 1], -1);
        for (int k = 0; k < counts[1][i]; k++)
            expect_on(where, "MPI_Alltoallv", in[places[1][i] + k], element(i, me, k, s));
    }
    free(in), free(out);
}

static void allgather(MPI_Comm comm, const char *where, int n, int s)
{
    int p, me, total = 0, counts[most], places[most];
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    for (int i = 0; i < p; i++) counts[i] = length(i, 1, n), places[i] = total + i, total += counts[i];
    int *out = malloc(sizeof *out * (size_t)(4 * n)), *in = calloc((size_t)(4 * n * p + p), sizeof *in);
    for (int k = 0; k < 4 * n; k++) out[k] = element(me, 0, k, s);
    MPI_Allgather(out, n, MPI_INT, in, n, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        for (int k = 0; k < n; k++) expect_on(where, "MPI_Allgather", in[i * n + k], element(i, 0, k, s));
    MPI_Allgatherv(out, counts[me], MPI_INT, in, counts, places, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        for (int k = 0; k < counts[i]; k++)
            expect_on(where, "MPI_Allgatherv", in[places[i] + k], element(i, 0, k, s));
    for (int k = 0; k < n; k++) in[me * n + k] = element(me, 0, k, s + 1);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_INT, comm);
    for (int i = 0; i < p; i++)
        for (int k = 0; k < n; k++) expect_on(where, "MPI_IN_PLACE", in[i * n + k], element(i, 0, k, s + 1));
    free(in), free(out);
}

/// An array of q by q p by n ints whose second dimension is divided becomes one whose first dimension is: as a
/// Fourier transform does it.  The last process has one row more, and blocks of types of their own.
static void transpose(MPI_Comm comm, const char *where, int n, int s)
{
    int p, me, ones[most], none[most] = {0};
    MPI_Datatype out_types[most], in_types[most];
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    const int q = 2, rows = q * p + 1, mine = me == p - 1 ? q + 1 : q;
    for (int i = 0; i < p; i++) {
        const int its = i == p - 1 ? q + 1 : q;
        const int whole_out[3] = {mine, rows, n}, part_out[3] = {mine, its, n}, from_out[3] = {0, i * q, 0};
        const int whole_in[3] = {rows, mine, n}, part_in[3] = {its, mine, n}, from_in[3] = {i * q, 0, 0};
        MPI_Type_create_subarray(3, whole_out, part_out, from_out, MPI_ORDER_C, MPI_INT, &out_types[i]);
        MPI_Type_create_subarray(3, whole_in, part_in, from_in, MPI_ORDER_C, MPI_INT, &in_types[i]);
        MPI_Type_commit(&out_types[i]);
        MPI_Type_commit(&in_types[i]);
        ones[i] = 1;
    }
    int *out = malloc(sizeof *out * (size_t)(mine * rows * n));
    int *in = calloc((size_t)(mine * rows * n), sizeof *in);
    for (int a = 0; a < mine; a++)
        for (int b = 0; b < rows; b++)
            for (int k = 0; k < n; k++) out[(a * rows + b) * n + k] = element(me * q + a, b, k, s);
    MPI_Alltoallw(out, ones, none, out_types, in, ones, none, in_types, comm);
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < mine; b++)
            for (int k = 0; k < n; k++)
                expect_on(where, "MPI_Alltoallw", in[(a * mine + b) * n + k], element(a, me * q + b, k, s));
    for (int i = 0; i < p; i++) MPI_Type_free(&out_types[i]), MPI_Type_free(&in_types[i]);
    free(in), free(out);
}

static void all(MPI_Comm comm, const char *where)
{
    static const int sizes[] = {1, 100, 20000};
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < 4; s++) {
            alltoall(comm, where, sizes[i], s);
            alltoallv(comm, where, sizes[i], s);
            allgather(comm, where, sizes[i], s);
            transpose(comm, where, sizes[i] < 4000 ? sizes[i] : 4000, s);
        }
}

/// The same call many times: with other values in the same buffers.
static void again(MPI_Comm comm)
{
    int p, me, out[most], in[most], ones[most], places[most];
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    for (int i = 0; i < p; i++) ones[i] = 1, places[i] = p - 1 - i;
    for (int s = 0; s < 200; s++) {
        for (int j = 0; j < p; j++) out[j] = element(me, j, 0, s);
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
        for (int i = 0; i < p; i++) expect("again: MPI_Alltoall", in[i], element(i, me, 0, s));
        for (int j = 0; j < p; j++) out[p - 1 - j] = element(me, j, 1, s);
        MPI_Alltoallv(out, ones, places, MPI_INT, in, ones, places, MPI_INT, comm);
        for (int i = 0; i < p; i++) expect("again: MPI_Alltoallv", in[p - 1 - i], element(i, me, 1, s));
    }
}

/// Other communication is under way meanwhile, on the same communicator.
static void among_others(MPI_Comm comm)
{
    enum { large = 1 << 18 };
    int p, me, word, sum = -1;
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &me);
    static int message[large], received[large];
    int out[most], in[most], others[most];
    MPI_Request requests[3];
    for (int i = 0; i < p; i++) out[i] = element(me, i, 0, 7);
    message[large - 1] = me;
    // The message is received after the exchange, and a collective of MPI's is open.
    MPI_Isend(message, large, MPI_INT, (me + 1) % p, 1, comm, &requests[0]);
    MPI_Ialltoall(out, 1, MPI_INT, others, 1, MPI_INT, comm, &requests[1]);
    MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Recv(received, large, MPI_INT, (me + p - 1) % p, 1, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    expect("among others: MPI_Recv", received[large - 1], (me + p - 1) % p);
    expect("among others: MPI_Iallreduce", sum, p * (p - 1) / 2);
    for (int i = 0; i < p; i++) {
        expect("among others: MPI_Alltoall", in[i], element(i, me, 0, 7));
        expect("among others: MPI_Ialltoall", others[i], element(i, me, 0, 7));
    }
    // A process that has left the exchange waits for one that the exchange does not keep.
    if (p == 1) return;
    MPI_Allgather(&me, 1, MPI_INT, in, 1, MPI_INT, comm);
    if (me == 0) MPI_Recv(&word, 1, MPI_INT, p - 1, 2, comm, MPI_STATUS_IGNORE);
    if (me == p - 1) MPI_Ssend(&me, 1, MPI_INT, 0, 2, comm);
}

static void errors(void)
{
    int out[most] = {0}, in[most];
    MPI_Comm comm;
#ifdef MPI_ABI_VERSION // Intel's MPI aborts in spite of MPI_ERRORS_RETURN (doc/mpi-bugs.md, 39)
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Get_library_version(version, in);
    if (strstr(version, "Intel") != NULL) return;
#endif
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int code = MPI_Alltoall(out, -1, MPI_INT, in, 1, MPI_INT, comm);
    expect("errors: the class of a negative count", class_of(code), MPI_ERR_COUNT);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Comm_free(&comm);
}

/// Between the even processes and the odd ones.
static void inter(void)
{
    int in[most], mine;
    MPI_Comm half, both;
    if (size < 2) return;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 3, &both);
    mine = 100 + me;
    memset(in, -1, sizeof in);
    MPI_Allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, both);
    int there;
    MPI_Comm_remote_size(both, &there);
    for (int i = 0; i < there; i++) expect("inter: MPI_Allgather", in[i], 100 + 2 * i + 1 - me % 2);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    int dims[2] = {0}, periods[2] = {1, 0};
    const int rounds = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm comm;
    begin(&argc, &argv);
    if (size > most) return 1;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    among_others(comm); // from its first call on
    MPI_Comm_free(&comm);
    all(MPI_COMM_WORLD, "world");
    all(MPI_COMM_SELF, "self");
    again(MPI_COMM_WORLD);
    among_others(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm); // ranks in descending order
    all(comm, "half");
    MPI_Comm_free(&comm);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    all(comm, "grid");
    again(comm);
    MPI_Comm_free(&comm);
    // On a graph they still mean everybody.
    comm = graph_ring(MPI_COMM_WORLD);
    all(comm, "graph");
    int mine = 10 + me, got = -1;
    MPI_Neighbor_allgather(&mine, 1, MPI_INT, &got, 1, MPI_INT, comm);
    expect("graph: MPI_Neighbor_allgather", got, 10 + before);
    among_others(comm);
    MPI_Comm twin;
    MPI_Comm_dup(comm, &twin);
    MPI_Comm_free(&comm);
    all(twin, "graph's duplicate");
    MPI_Comm_free(&twin);
    inter();
    errors();
    for (int i = 0; i < rounds; i++) { // nothing is used up
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        alltoall(comm, "duplicate", 2, i);
        MPI_Comm_free(&comm);
    }
    return end();
}
