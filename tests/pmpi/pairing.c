// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: prints what its MPI makes of processes that have a neighbor twice, in all exchanges.
// With the interposer it must print the same.  Argument `swap`: it makes up for MPIs that mix up the two
// sides of a small periodic dimension, as some programs do: it tries its MPI, and swaps the two blocks.

#include <stdarg.h>

#include "plain.h"

enum { most = 8, room = 3, rounds = 60 }; // edges; ints a block; calls

static int swaps;
static int sent[most * room], received[most * room], counts[most], places[most];
static MPI_Aint bytes[most];
static MPI_Datatype types[most];

/* Keeps this process's lines: mpiexec may mix up the lines of several processes. */
static char *text;
static size_t length, capacity;
static void say(const char *format, ...)
{
    if (capacity - length < 200) text = realloc(text, capacity = 2 * capacity + 1000);
    va_list values;
    va_start(values, format);
    length += (size_t)vsnprintf(text + length, capacity - length, format, values);
    va_end(values);
}
static void print_all(void)
{
    for (int i = 0; i < size; ++i) {
        if (me == 0 && i > 0) {
            MPI_Status status;
            int n;
            MPI_Probe(i, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_CHAR, &n);
            text = realloc(text, (size_t)n);
            length = (size_t)n;
            MPI_Recv(text, n, MPI_CHAR, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (me == 0) fwrite(text, 1, length, stdout);
    }
    if (me > 0) MPI_Send(text, (int)length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    free(text);
}

static MPI_Request start(int form, int exchange, MPI_Comm comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
#define EQUAL sent, room, MPI_INT, received, room, MPI_INT, comm
#define VARYING sent, counts, places, MPI_INT, received, counts, places, MPI_INT, comm
#define TYPED sent, counts, bytes, types, received, counts, bytes, types, comm
    if (form == 0) {
        if (exchange == 0) MPI_Neighbor_alltoall(EQUAL);
        if (exchange == 1) MPI_Neighbor_alltoallv(VARYING);
        if (exchange == 2) MPI_Neighbor_alltoallw(TYPED);
        if (exchange == 3) MPI_Neighbor_allgather(EQUAL);
    } else if (form == 1) {
        if (exchange == 0) MPI_Ineighbor_alltoall(EQUAL, &request);
        if (exchange == 1) MPI_Ineighbor_alltoallv(VARYING, &request);
        if (exchange == 2) MPI_Ineighbor_alltoallw(TYPED, &request);
        if (exchange == 3) MPI_Ineighbor_allgather(EQUAL, &request);
    }
#ifdef ORTHO_MPI_PERSISTENT
    else {
        if (exchange == 0) MPI_Neighbor_alltoall_init(EQUAL, MPI_INFO_NULL, &request);
        if (exchange == 1) MPI_Neighbor_alltoallv_init(VARYING, MPI_INFO_NULL, &request);
        if (exchange == 2) MPI_Neighbor_alltoallw_init(TYPED, MPI_INFO_NULL, &request);
        if (exchange == 3) MPI_Neighbor_allgather_init(EQUAL, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
#endif
    return request;
}

static void call(int form, int exchange, MPI_Comm comm)
{
    MPI_Request request = start(form, exchange, comm);
    if (form > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == 2) MPI_Request_free(&request);
}

static void fill(int round)
{
    for (int i = 0; i < most * room; ++i) sent[i] = 100000 * round + 1000 * me + i, received[i] = -1;
}

/* Does the MPI mix up the sides?  A program that swaps asks on a grid of itself. */
static int mixes_up(int form, int exchange)
{
    const int one = 1;
    MPI_Comm self;
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &self);
    fill(0);
    call(form, exchange, self);
    MPI_Comm_free(&self);
    return received[0] == sent[0];
}

static void swap_blocks(int a, int b)
{
    for (int k = 0; k < room; ++k) {
        const int kept = sent[a * room + k];
        sent[a * room + k] = sent[b * room + k];
        sent[b * room + k] = kept;
    }
}

static void show(const char *name, MPI_Comm comm, int d, const int dims[], int edges)
{
    static const char *const forms[] = {"blocking", "non-blocking", "persistent"};
    static const char *const exchanges[] = {"alltoall", "alltoallv", "alltoallw", "allgather"};
#ifdef ORTHO_MPI_PERSISTENT
    enum { last = 3 };
#else
    enum { last = 2 };
#endif
    for (int form = 0; form < last; ++form)
        for (int exchange = 0; exchange < 4; ++exchange) {
            const int mixed = swaps && d > 0 && exchange < 3 && mixes_up(form, exchange);
            for (int round = 1; round <= rounds; ++round) {
                fill(round);
                for (int k = 0; k < d && mixed; ++k)
                    if (dims[k] < 3) swap_blocks(2 * k, 2 * k + 1);
                call(form, exchange, comm);
                if (round != 1 && round != rounds) continue;
                say("%s, %s %s, call %d, process %d:", name, forms[form], exchanges[exchange], round, me);
                for (int i = 0; i < edges * room; ++i) say(" %d", received[i]);
                say("\n");
            }
        }
}

static void grid(int d, const int dims[])
{
    const int periods[] = {1, 1, 1};
    char name[40];
    MPI_Comm comm, copy;
    MPI_Request request;
    sprintf(name, "grid %d %d %d", dims[0], d > 1 ? dims[1] : 0, d > 2 ? dims[2] : 0);
    MPI_Cart_create(MPI_COMM_WORLD, d, dims, periods, 0, &comm);
    show(name, comm, d, dims, 2 * d);
    strcat(name, ", copied");
    MPI_Comm_idup(comm, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fill(0);
    call(1, 1, copy); // nobody has waited on it before
    say("%s, process %d:", name, me);
    for (int i = 0; i < 2 * d * room; ++i) say(" %d", received[i]);
    say("\n");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    swaps = argc > 1 && strcmp(argv[1], "swap") == 0;
    for (int i = 0; i < most; ++i) {
        counts[i] = 2, places[i] = room * i, types[i] = MPI_INT; // they fit whoever pairs with whom
        bytes[i] = (MPI_Aint)sizeof(int) * places[i];
    }
    grid(1, (const int[]){size});
    grid(2, (const int[]){size, 1});
    grid(3, (const int[]){1, size, 1});
    if (size % 2 == 0) grid(2, (const int[]){2, size / 2});
    const int to[] = {next, me, next, next, me}, from[] = {before, me, before, me, before};
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 5, from, MPI_UNWEIGHTED, 5, to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    // With more processes MPICH 4.0.2 loses blocks.
    if (size <= 2) show("graph", graph, 0, NULL, 5);
    MPI_Comm_free(&graph);
    if (size == 2) {
        // One process has the other one twice among its targets, and once among its sources.
        const int other[] = {1 - me, 1 - me}, in = 1 + me, out = 2 - me;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, other, MPI_UNWEIGHTED, out, other, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &graph);
        show("two edges one way", graph, 0, NULL, in);
        MPI_Comm_free(&graph);
    }
    print_all();
    return MPI_Finalize();
}
