// SPDX-License-Identifier: BSD-3-Clause
// A plain MPI program: collectives on a communicator that carries a graph.  Its argument says what they must
// mean: `all` (MPI's meaning) or `neighbors` (ORTHO_PMPI=unify).

#include "plain.h"

enum { most = 8 };
static int unify; // do collectives on a graph mean the neighborhood?

/* The results of an alltoall on the ring: block i of each process has 100 times its rank, and i. */
static void expect_blocks(const char *what, const int got[])
{
    for (int i = 0; i < size; ++i) expect(what, got[i], !unify ? 100 * i + me : i == 0 ? 100 * before : -1);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; ++i) ((int *)inout)[i] += ((int *)in)[i];
}
static void spoil(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)type;
    for (int i = 0; i < *n; ++i) ((int *)inout)[i] = -99;
}

/* An operator may be freed before its operation is over, and another one may get its handle. */
static void free_operators(void)
{
    const int many[most] = {1, 1, 1, 1, 1, 1, 1, 1}, both[] = {before, next}, weights[] = {1, 1},
              wanted = unify ? 2 : size;
    int one = 1;
    MPI_Comm ring;
    MPI_Op op, other;
    MPI_Request request;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, weights, 2, both, weights, MPI_INFO_NULL, 0,
                                   &ring);
    for (int call = 0; call < 3; ++call) {
        int sum = -1;
        MPI_Op_create(add, 1, &op);
        if (me == 0) MPI_Barrier(MPI_COMM_WORLD);
        if (call == 0) MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, ring, &request);
        if (call == 1) MPI_Ireduce(&one, &sum, 1, MPI_INT, op, size - 1, ring, &request);
        if (call == 2) MPI_Ireduce_scatter_block(many, &sum, 1, MPI_INT, op, ring, &request);
        MPI_Op_free(&op);
        expect("a freed operator", op == MPI_OP_NULL, 1);
        MPI_Op_create(spoil, 1, &other);
        if (me != 0) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (call != 1 || me == size - 1) expect("a reduction whose operator was freed", sum, wanted);
        MPI_Op_free(&other);
    }
#ifdef ORTHO_MPI_PERSISTENT
    int sum = -1;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, op, ring, MPI_INFO_NULL, &request);
    MPI_Op_free(&op);
    MPI_Op_create(spoil, 1, &other);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef OPEN_MPI
    if (unify) // its own takes the new operator: 57 of doc/mpi-bugs.md
#endif
        expect("a persistent one", sum, wanted);
    MPI_Request_free(&request);
    MPI_Op_free(&other);
#endif
    MPI_Comm_free(&ring);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    unify = argc > 1 && strcmp(argv[1], "neighbors") == 0;
    if (size > most || size < 2) return 1;
    int one = 1, mine = 10 * me + 1, got[2 * most], zeros[most] = {0}, ones[most], numbers[most];
    MPI_Datatype types[most];
    for (int i = 0; i < most; ++i) ones[i] = 1, numbers[i] = i * (int)sizeof(int), types[i] = MPI_INT;
    MPI_Comm ring = graph_ring(MPI_COMM_WORLD), line;

    memset(got, -1, sizeof got);
    MPI_Allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, ring);
    for (int i = 0; i < size; ++i)
        expect("MPI_Allgather", got[i], !unify ? 10 * i + 1 : i == 0 ? 10 * before + 1 : -1);

    int sum = -1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, ring);
    expect("MPI_Allreduce", sum, unify ? 10 * before + 1 : 5 * size * (size - 1) + size);

    int block[most];
    for (int i = 0; i < most; ++i) block[i] = 100 * me + i;
    memset(got, -1, sizeof got);
    MPI_Alltoall(block, 1, MPI_INT, got, 1, MPI_INT, ring);
    expect_blocks("MPI_Alltoall", got);

    memset(got, -1, sizeof got);
    MPI_Alltoallw(block, ones, numbers, types, got, ones, numbers, types, ring);
    expect_blocks("MPI_Alltoallw", got);

    memset(got, -1, sizeof got);
    MPI_Request request;
    MPI_Ialltoall(block, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_blocks("MPI_Ialltoall", got);

    // From process 0: to the next one alone, if that is what it means.
    int word = me == 0 ? 77 : -1;
    MPI_Bcast(&word, 1, MPI_INT, 0, ring);
    expect("MPI_Bcast", word, !unify || me <= 1 ? 77 : -1);

    memset(got, -1, sizeof got);
    MPI_Gather(&mine, 1, MPI_INT, got, 1, MPI_INT, 0, ring);
    if (me == 0) expect("MPI_Gather", got[0], unify ? 10 * before + 1 : 1);
    MPI_Barrier(ring);

    // Non-blocking forms, several at once; with their messages, one that means all.
    MPI_Request all[5];
    int sums[2] = {-1, -1}, others[2 * most];
    memset(others, -1, sizeof others);
    word = me == 0 ? 78 : -1;
    MPI_Iallreduce(&mine, &sums[0], 1, MPI_INT, MPI_SUM, ring, &all[0]);
    MPI_Ibcast(&word, 1, MPI_INT, 0, ring, &all[1]);
    MPI_Iallreduce(&mine, &sums[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &all[2]);
    MPI_Ibarrier(ring, &all[3]);
    MPI_Ialltoallw(block, ones, numbers, types, others, ones, numbers, types, ring, &all[4]);
    MPI_Waitall(5, all, MPI_STATUSES_IGNORE);
    expect("MPI_Iallreduce", sums[0], unify ? 10 * before + 1 : 5 * size * (size - 1) + size);
    expect("MPI_Iallreduce on all", sums[1], 10 * (size - 1) + 1);
    expect("MPI_Ibcast", word, !unify || me <= 1 ? 78 : -1);
    expect_blocks("MPI_Ialltoallw", others);
#ifdef ORTHO_MPI_PERSISTENT
    MPI_Allreduce_init(&mine, &sums[0], 1, MPI_INT, MPI_SUM, ring, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; ++round) {
        mine = 10 * me + round;
        sums[0] = -1;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect("MPI_Allreduce_init", sums[0],
               unify ? 10 * before + round : 5 * size * (size - 1) + size * round);
    }
    MPI_Request_free(&request);
#endif

#ifdef ORTHO_MPI_LARGE_COUNTS
    MPI_Count ones_c[most];
    MPI_Aint places[most], bytes[most];
    for (int i = 0; i < most; ++i) ones_c[i] = 1, places[i] = i, bytes[i] = numbers[i];
    for (int call = 0; call < 3; ++call) {
        memset(got, -1, sizeof got);
        if (call == 0) MPI_Alltoallv_c(block, ones_c, places, MPI_INT, got, ones_c, places, MPI_INT, ring);
        if (call == 1) MPI_Alltoallw_c(block, ones_c, bytes, types, got, ones_c, bytes, types, ring);
        if (call == 2) {
            MPI_Ialltoall_c(block, 1, MPI_INT, got, 1, MPI_INT, ring, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        expect_blocks("alltoalls with large counts", got);
    }
    mine = 10 * me + 1;
    MPI_Allreduce_init_c(&mine, &sums[0], 1, MPI_INT, MPI_SUM, ring, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    expect("MPI_Allreduce_init_c", sums[0], unify ? 10 * before + 1 : 5 * size * (size - 1) + size);
#endif

    // A call that has no meaning is an error, and not something else.
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    expect("MPI_Scan fails", MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, ring) != MPI_SUCCESS, unify);
    const int code = MPI_Iscan(&mine, &sum, 1, MPI_INT, MPI_SUM, ring, &request);
    expect("MPI_Iscan fails", code != MPI_SUCCESS, unify);
    if (code == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
    // Neighbors cannot be served in place; what counts for nothing there is not looked at.
    if (unify)
        expect(
            "in place",
            MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, got, ones, numbers, types, ring) != MPI_SUCCESS &&
                MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, got, ones, numbers, types, ring, &request) !=
                    MPI_SUCCESS,
            1);

    // Parts of a graph are subgraphs: all but the last process, without the edges to it and from it.
    MPI_Comm part;
    MPI_Group group, first;
    const int last = size - 1, range[1][3] = {{0, last - 1, 1}};
    MPI_Comm_group(ring, &group);
    MPI_Group_range_incl(group, 1, (int(*)[3])range, &first);
    for (int call = 0; call < 3; ++call) {
        part = MPI_COMM_NULL;
        if (call == 0) MPI_Comm_split(ring, me == last ? MPI_UNDEFINED : 0, 0, &part);
        if (call == 1) MPI_Comm_create(ring, first, &part);
        if (call == 2 && me != last) MPI_Comm_create_group(ring, first, 0, &part);
        expect("a part", part == MPI_COMM_NULL, me == last);
        if (me == last) continue;
        int topology;
        MPI_Topo_test(part, &topology);
        // Open MPI keeps the topology in MPI_Comm_create_group.
        if (unify || call < 2) expect("MPI_Topo_test", topology == MPI_DIST_GRAPH, unify);
        mine = 10 * me + 1;
        memset(got, -1, sizeof got);
        MPI_Allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, part);
        for (int i = 0; i < last; ++i)
            expect("a part's MPI_Allgather", got[i],
                   !unify             ? 10 * i + 1
                   : i == 0 && me > 0 ? 10 * before + 1
                                      : -1);
        MPI_Comm_free(&part);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&first);
    MPI_Comm_split_type(ring, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    int kind;
    MPI_Topo_test(part, &kind);
    expect("MPI_Topo_test on a node", kind == MPI_DIST_GRAPH, unify);
    MPI_Comm_free(&part);

    // Windows on a graph: fences are for neighbors, and others cannot be accessed.
    int *memory, cell = -1;
    MPI_Win win;
    for (int call = 0; call < 2; ++call) {
        if (call == 0) MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, ring, &win);
        if (call == 1) MPI_Win_allocate(sizeof cell, sizeof cell, MPI_INFO_NULL, ring, &memory, &win);
        int *const here = call == 0 ? &cell : memory;
        *here = -1;
        for (int round = 0; round < 3; ++round) {
            MPI_Win_fence(0, win);
            mine = 100 * me + round;
            MPI_Put(&mine, 1, MPI_INT, next, 0, 1, MPI_INT, win);
            MPI_Win_fence(round == 2 ? MPI_MODE_NOSUCCEED : 0, win);
            expect("a fence", *here, 100 * before + round);
        }
        MPI_Win_free(&win);
    }

    free_operators();

    // Grids are full communicators, as are those without a topology.
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, zeros, 0, &line);
    for (int i = 0; i < 2; ++i) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, i == 0 ? line : MPI_COMM_WORLD);
        expect("MPI_Allreduce on all", sum, size);
    }
    MPI_Comm_free(&line);
    MPI_Comm_free(&ring);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) printf("%s\n", wrong ? "something is wrong" : unify ? "neighbors" : "all");
    MPI_Finalize();
    return wrong != 0;
}
