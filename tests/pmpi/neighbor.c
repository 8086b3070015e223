// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: all neighborhood collectives on grids and graphs, against arithmetic.  It knows
// nothing of mpiortho; with the interposer it must find nothing wrong.  Its last line says what it found.

#include "plain.h"

enum { most = 16, room = 4 }; // neighbors; ints a block

static MPI_Comm everybody; // the `size` processes that have a point of the topology
static int checks;

// ---- What must arrive ------------------------------------------------------------------------------

struct topology {
    char name[80];
    MPI_Comm comm;
    int in, out;
    int source[most], block[most]; // receive slot i gets that block of that process; or MPI_PROC_NULL
    int target[most];
};

static int value(int rank, int block, int element, int round)
{
    return ((round * 64 + rank) * most + block) * room + element;
}
static int length(int rank, int block) { return 1 + (rank + 2 * block) % (room - 1); }

// ---- The calls ------------------------------------------------------------------------------------

enum call { allgather, allgatherv, alltoall, alltoallv, alltoallw, calls };
enum form { blocking, nonblocking, persistent, forms };
static const char *const call_names[] = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};
static const char *const form_names[] = {"blocking", "non-blocking", "persistent"};

static int send[most * 2 * room], receive[most * room];
static int sendcounts[most], senddispls[most], recvcounts[most], recvdispls[most];
static MPI_Aint sendbytes[most], recvbytes[most];
#ifdef ORTHO_MPI_LARGE_COUNTS
static MPI_Count sendcounts_c[most], recvcounts_c[most];
static MPI_Aint senddispls_c[most], recvdispls_c[most];
#endif
static MPI_Datatype sendtypes[most], recvtypes[most], every_second;
static MPI_Datatype spread; // every_second, or a type like it

static int is_gather(enum call call) { return call <= allgatherv; }
static int is_regular(enum call call) { return call == allgather || call == alltoall; }

/* Does the block lie in memory with gaps? */
static int is_spread(enum call call, int block) { return call == alltoallw && block % 2 == 1; }

static int length_of(enum call call, int rank, int block)
{
    return is_regular(call) ? 2 : length(rank, is_gather(call) ? 0 : block);
}

static void prepare(const struct topology *t, enum call call)
{
    /* An MPI may look at more entries than there are edges. */
    for (int i = 0; i < most; ++i) {
        sendcounts[i] = recvcounts[i] = 0, sendtypes[i] = recvtypes[i] = MPI_INT;
        senddispls[i] = recvdispls[i] = 0, sendbytes[i] = recvbytes[i] = 0;
    }
    for (int i = 0; i < t->out; ++i) {
        sendcounts[i] = length_of(call, me, i);
        senddispls[i] = 2 * room * i;
        sendbytes[i] = (MPI_Aint)sizeof(int) * senddispls[i];
        sendtypes[i] = is_spread(call, i) ? spread : MPI_INT;
    }
    for (int i = 0; i < t->in; ++i) {
        recvcounts[i] = t->source[i] == MPI_PROC_NULL ? 1 : length_of(call, t->source[i], t->block[i]);
        recvdispls[i] = room * (t->in - 1 - i); // backwards
        recvbytes[i] = (MPI_Aint)sizeof(int) * recvdispls[i];
        recvtypes[i] = MPI_INT;
    }
#ifdef ORTHO_MPI_LARGE_COUNTS
    for (int i = 0; i < most; ++i) {
        sendcounts_c[i] = sendcounts[i], senddispls_c[i] = senddispls[i];
        recvcounts_c[i] = recvcounts[i], recvdispls_c[i] = recvdispls[i];
    }
#endif
}

static void fill(const struct topology *t, enum call call, int round)
{
    memset(send, 0, sizeof send);
    for (int i = 0; i < (is_gather(call) ? 1 : t->out); ++i)
        for (int e = 0; e < length_of(call, me, i); ++e) {
            const int at = is_regular(call) ? 2 * i + e : 2 * room * i + e * (is_spread(call, i) ? 2 : 1);
            send[at] = value(me, i, e, round);
        }
    for (int i = 0; i < most * room; ++i) receive[i] = -7;
}

static void check(const struct topology *t, enum form form, enum call call, int round)
{
    int bad = 0;
    for (int i = 0; i < t->in; ++i) {
        const int got_nothing = t->source[i] == MPI_PROC_NULL;
        const int n = got_nothing ? 1 : length_of(call, t->source[i], t->block[i]);
        for (int e = 0; e < n; ++e) {
            const int at = is_regular(call) ? 2 * i + e : recvdispls[i] + e;
            const int block = is_gather(call) ? 0 : t->block[i];
            const int expected = got_nothing ? -7 : value(t->source[i], block, e, round);
            if (receive[at] != expected) bad = 1;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, everybody);
    ++checks;
    wrong += bad;
    if (bad && me == 0)
        printf("wrong: %s: %s %s, round %d\n", t->name, form_names[form], call_names[call], round);
}

/* All calls in one form, by the words before and behind their names; _c: where counts are large, behind those of
   arrays, too.  What is left are the last arguments, each with its comma. */
#define EACH(before, behind, _c, ...)                                                                        \
    switch (call) {                                                                                          \
    case allgather:                                                                                          \
        before##allgather##behind(send, 2, MPI_INT, receive, 2, MPI_INT, t->comm __VA_ARGS__);               \
        break;                                                                                               \
    case allgatherv:                                                                                         \
        before##allgatherv##behind(send, length(me, 0), MPI_INT, receive, recvcounts##_c, recvdispls##_c,    \
                                   MPI_INT, t->comm __VA_ARGS__);                                            \
        break;                                                                                               \
    case alltoall:                                                                                           \
        before##alltoall##behind(send, 2, MPI_INT, receive, 2, MPI_INT, t->comm __VA_ARGS__);                \
        break;                                                                                               \
    case alltoallv:                                                                                          \
        before##alltoallv##behind(send, sendcounts##_c, senddispls##_c, MPI_INT, receive, recvcounts##_c,    \
                                  recvdispls##_c, MPI_INT, t->comm __VA_ARGS__);                             \
        break;                                                                                               \
    default:                                                                                                 \
        before##alltoallw##behind(send, sendcounts##_c, sendbytes, sendtypes, receive, recvcounts##_c,       \
                                  recvbytes, recvtypes, t->comm __VA_ARGS__);                                \
    }
typedef const struct topology *topology;
static void run(topology t, enum call call) { EACH(MPI_Neighbor_, , , ) }
static void start(topology t, enum call call, MPI_Request *request) { EACH(MPI_Ineighbor_, , , , request) }
#ifdef ORTHO_MPI_PERSISTENT
static void make(topology t, enum call call, MPI_Request *request)
{
    EACH(MPI_Neighbor_, _init, , , MPI_INFO_NULL, request)
}
#endif
#ifdef ORTHO_MPI_LARGE_COUNTS
static void run_c(topology t, enum call call) { EACH(MPI_Neighbor_, _c, _c, ) }
static void start_c(topology t, enum call call, MPI_Request *request)
{
    EACH(MPI_Ineighbor_, _c, _c, , request)
}
static void make_c(topology t, enum call call, MPI_Request *request)
{
    EACH(MPI_Neighbor_, _init_c, _c, , MPI_INFO_NULL, request)
}
#endif

/* Completes it together with a message of the program's own around the ring, in one of MPI's ways. */
static void finish(MPI_Request *request, int way)
{
    MPI_Request all[3] = {MPI_REQUEST_NULL, *request, MPI_REQUEST_NULL};
    int got = -1, index, flag = 0, done, indices[3];
    MPI_Irecv(&got, 1, MPI_INT, (me + size - 1) % size, 5, MPI_COMM_WORLD, &all[0]);
    MPI_Isend(&me, 1, MPI_INT, (me + 1) % size, 5, MPI_COMM_WORLD, &all[2]);
    switch (way % 4) {
    case 0: MPI_Waitall(3, all, MPI_STATUSES_IGNORE); break;
    case 1:
        for (int i = 0; i < 3; ++i) MPI_Waitany(3, all, &index, MPI_STATUS_IGNORE);
        break;
    case 2:
        while (!flag) MPI_Testall(3, all, &flag, MPI_STATUSES_IGNORE);
        break;
    default:
        for (int left = 3; left > 0; left -= done) MPI_Waitsome(3, all, &done, indices, MPI_STATUSES_IGNORE);
    }
    expect("its own message", got, (me + size - 1) % size);
    *request = all[1];
}

#ifdef ORTHO_MPI_LARGE_COUNTS
static void test_large_counts(const struct topology *t)
{
    MPI_Type_create_resized_c(MPI_INT, 0, 2 * sizeof(int), &spread);
    MPI_Type_commit(&spread);
    for (int call = 0; call < calls; ++call) {
        MPI_Request request = MPI_REQUEST_NULL;
        prepare(t, call);
        fill(t, call, 7);
        start_c(t, call, &request);
        finish(&request, call);
        check(t, nonblocking, call, 7);
        fill(t, call, 8);
        run_c(t, call);
        check(t, blocking, call, 8);
        make_c(t, call, &request);
        for (int round = 9; round < 11; ++round) {
            fill(t, call, round);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check(t, persistent, call, round);
        }
        MPI_Request_free(&request);
    }
    MPI_Type_free(&spread);
    spread = every_second;
}
#endif

static void test(const struct topology *t)
{
    for (int call = 0; call < calls; ++call) {
        prepare(t, call);
        fill(t, call, 0);
        MPI_Request request = MPI_REQUEST_NULL;
        start(t, call, &request);
        finish(&request, call);
        expect("a request that is complete", request == MPI_REQUEST_NULL, 1);
        check(t, nonblocking, call, 0);
        for (int round = 1; round < 3; ++round) {
            fill(t, call, round);
            run(t, call);
            check(t, blocking, call, round);
        }
#ifdef ORTHO_MPI_PERSISTENT
        prepare(t, call);
        make(t, call, &request);
        for (int round = 3; round < 7; ++round) {
            fill(t, call, round);
            MPI_Start(&request);
            // MPICH 4.0 confuses persistent collectives in calls that complete several requests.
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check(t, persistent, call, round);
        }
        MPI_Request_free(&request);
#endif
    }
#ifdef ORTHO_MPI_LARGE_COUNTS
    test_large_counts(t);
#endif
}

// ---- Grids ----------------------------------------------------------------------------------------

/* MPI-4.1 8.6: what is sent to -1 lands in the +1 slot there. */
static void read_grid(struct topology *t)
{
    int d;
    MPI_Cartdim_get(t->comm, &d);
    t->in = t->out = 2 * d;
    for (int k = 0; k < d; ++k) {
        MPI_Cart_shift(t->comm, k, 1, &t->source[2 * k], &t->source[2 * k + 1]);
        t->block[2 * k] = 2 * k + 1;
        t->block[2 * k + 1] = 2 * k;
    }
}

static void test_grid(int d, const int dims[], const int periods[], int reorder)
{
    struct topology t = {.comm = MPI_COMM_NULL};
    const int world = me;
    int length_of_name = snprintf(t.name, sizeof t.name, "grid");
    for (int k = 0; k < d; ++k)
        length_of_name += snprintf(t.name + length_of_name, sizeof t.name - (size_t)length_of_name, " %d%s",
                                   dims[k], periods[k] ? "p" : "");
    MPI_Cart_create(MPI_COMM_WORLD, d, dims, periods, reorder, &t.comm);
    if (t.comm == MPI_COMM_NULL) return;
    MPI_Comm_rank(t.comm, &me);
    read_grid(&t);
    test(&t);

    MPI_Comm grid = t.comm;
    MPI_Comm_dup(grid, &t.comm);
    snprintf(t.name + length_of_name, sizeof t.name - (size_t)length_of_name, ", duplicate");
    test(&t);
    MPI_Comm_free(&t.comm);
    if (d > 1) { // the first dimension alone
        int remain[4] = {1};
        MPI_Cart_sub(grid, remain, &t.comm);
        snprintf(t.name + length_of_name, sizeof t.name - (size_t)length_of_name, ", first dimension");
        read_grid(&t);
        MPI_Comm_rank(t.comm, &me); // values are those of ranks in there
        for (int call = 0; call < calls; ++call) {
            prepare(&t, call);
            fill(&t, call, 9);
            run(&t, call);
            check(&t, blocking, call, 9);
        }
        MPI_Comm_free(&t.comm);
    }
    MPI_Comm_free(&grid);
    me = world;
}

// ---- Graphs ---------------------------------------------------------------------------------------

/* The targets of a process: each of these is a graph. */
static int targets_of(int graph, int rank, int list[])
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    switch (graph) {
    case 0: // a ring, three edges to the next, two to oneself
        memcpy(list, (int[]){next, rank, next, before, rank, next}, 6 * sizeof(int));
        return 6;
    case 1: // everybody to the first, twice; it to nobody
        list[0] = list[1] = 0;
        return rank == 0 ? 0 : 2;
    case 2: // nobody to anybody
        return 0;
    default: // a ring, once
        list[0] = next;
        return 1;
    }
}

static int sources_of(int graph, int rank, int list[])
{
    int n = 0;
    // Backwards, which is no order that anybody would guess.
    for (int from = size - 1; from >= 0; --from) {
        int list_of[most];
        const int degree = targets_of(graph, from, list_of);
        for (int i = 0; i < degree; ++i)
            if (list_of[i] == rank) list[n++] = from;
    }
    return n;
}

/* The k-th edge from a process is the k-th of its edges to this one. */
static void read_graph(struct topology *t, int graph)
{
    for (int i = 0; i < t->in; ++i) {
        int before = 0, list[most];
        for (int j = 0; j < i; ++j) before += t->source[j] == t->source[i];
        const int degree = targets_of(graph, t->source[i], list);
        for (int b = 0; b < degree; ++b)
            if (list[b] == me && before-- == 0) t->block[i] = b;
    }
}

static void test_graph(int graph, int how)
{
    struct topology t = {.comm = MPI_COMM_NULL};
    snprintf(t.name, sizeof t.name, "graph %d, %s", graph, how == 0 ? "adjacent" : "distributed");
    t.out = targets_of(graph, me, t.target);
    t.in = sources_of(graph, me, t.source);
    if (t.in > most) return;
    if (how == 0) {
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, t.in, t.source, MPI_UNWEIGHTED, t.out, t.target,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t.comm);
    } else {
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &t.out, t.target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                              &t.comm);
        MPI_Dist_graph_neighbors(t.comm, t.in, t.source, MPI_UNWEIGHTED, t.out, t.target, MPI_UNWEIGHTED);
        // Targets may come in any order: of several edges to one process all are alike, so the lists must be
        // the same.
    }
    int in, out, weighted, topology;
    MPI_Dist_graph_neighbors_count(t.comm, &in, &out, &weighted);
    MPI_Topo_test(t.comm, &topology);
    expect(t.name, in == t.in && out == t.out && !weighted && topology == MPI_DIST_GRAPH, 1);
    if (how == 0 || graph == 3) {
        read_graph(&t, graph);
        test(&t);
        MPI_Comm graph_comm = t.comm;
        MPI_Comm_dup(graph_comm, &t.comm);
        test(&t);
        MPI_Comm_free(&graph_comm);
    }
    MPI_Comm_free(&t.comm);
}

/* MPI's old graphs: a ring, each way; the neighbors of a process in one list. */
static void test_old_graph(void)
{
    struct topology t = {.name = "old graph", .comm = MPI_COMM_NULL};
    int *const ends = malloc((size_t)size * sizeof *ends), *const edges = malloc((size_t)size * 2 *
                                                                                 sizeof *edges);
    for (int r = 0; r < size; ++r) {
        edges[2 * r] = (r + 1) % size;
        edges[2 * r + 1] = (r + size - 1) % size;
        ends[r] = 2 * r + 2;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &t.comm);
    if (t.comm != MPI_COMM_NULL) {
        t.in = t.out = 2;
        t.source[0] = (me + 1) % size;
        t.source[1] = (me + size - 1) % size;
        // Where the two are one process, the k-th edge pairs with the k-th.
        t.block[0] = size > 2 ? 1 : 0;
        t.block[1] = size > 2 ? 0 : 1;
        test(&t);
        MPI_Comm_free(&t.comm);
    }
    free(ends);
    free(edges);
}

/* Grids and an old graph that leave the last process out. */
static void test_fewer_points(void)
{
    if (size == 1) return;
    MPI_Comm all = everybody;
    MPI_Comm_split(all, me == size - 1, me, &everybody);
    --size;
    test_grid(1, &size, (int[]){1}, 0);
    test_grid(2, (int[]){1, size}, (int[]){0, 1}, 0);
    test_old_graph();
    ++size;
    MPI_Comm_free(&everybody);
    everybody = all;
}

// ---- Errors ---------------------------------------------------------------------------------------

/* A graph without edges, made with weights, is weighted. */
static void test_no_edges(void)
{
    const int none[] = {0};
    for (int weighted = 0; weighted < 2; ++weighted)
        for (int how = 0; how < 2; ++how) {
            const int *weights = weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED;
            MPI_Comm graph;
            if (how == 0)
                MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, none, weights, 0, none, weights,
                                               MPI_INFO_NULL, 0, &graph);
            else
                MPI_Dist_graph_create(MPI_COMM_WORLD, 0, none, none, none, weights, MPI_INFO_NULL, 0, &graph);
            int in = -1, out = -1, answer = -1;
            MPI_Dist_graph_neighbors_count(graph, &in, &out, &answer);
            ++checks;
            expect("edges of a graph that has none", in + out, 0);
            expect("weights of a graph without edges", answer, weighted);
            MPI_Comm_free(&graph);
        }
}

/* An error comes through the handler of the communicator that the program passes, once, and is returned. */
static void test_errors(void)
{
    for (int i = 0; i < 2; ++i) {
        MPI_Comm comm;
        MPI_Request request;
        if (i == 0)
            comm = grid_ring();
        else
            MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &comm);
        count_errors(comm);
        int code = MPI_Neighbor_alltoall(send, -1, MPI_INT, receive, 1, MPI_INT, comm);
        expect("error of a call", class_of(code), MPI_ERR_COUNT);
        code = MPI_Ineighbor_alltoall(send, -1, MPI_INT, receive, 1, MPI_INT, comm, &request);
        expect("error of a non-blocking call", class_of(code), MPI_ERR_COUNT);
        expect("calls of the handler", handled, 2);
        // The communicator is as good as before.
        send[0] = send[1] = me;
        receive[0] = -1;
        MPI_Neighbor_alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, comm);
        expect("after errors", receive[0], i == 0 ? before : me);
        MPI_Comm_free(&comm);
    }
    ++checks;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    everybody = MPI_COMM_WORLD;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second);
    MPI_Type_commit(&every_second);
    spread = every_second;

    for (int period = 0; period < 2; ++period) {
        test_grid(1, (int[]){size}, (int[]){period}, period);
        test_grid(2, (int[]){size, 1}, (int[]){1, period}, 0);
        if (size % 2 == 0) test_grid(2, (int[]){2, size / 2}, (int[]){period, 1}, period);
        if (size % 4 == 0) test_grid(3, (int[]){2, size / 4, 2}, (int[]){period, 1, 1}, 0);
    }
    for (int graph = 0; graph < 4; ++graph)
        for (int how = 0; how < 2; ++how) test_graph(graph, how);
    test_old_graph();
    test_fewer_points();
    test_no_edges();
    test_errors();

    MPI_Type_free(&every_second);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) printf("%d checks, %d wrong\n", checks, wrong);
    MPI_Finalize();
    return wrong != 0;
}
