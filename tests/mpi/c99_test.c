/* SPDX-License-Identifier: BSD-3-Clause
 * Every function once, from strict C99. */
#include <stdio.h>

#include "mpiortho.h"

static int failures = 0;

#define OK(call)                                                                                             \
    do {                                                                                                     \
        int code = (call);                                                                                   \
        if (code != MPI_SUCCESS) {                                                                           \
            fprintf(stderr, "%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, code);                        \
            ++failures;                                                                                      \
        }                                                                                                    \
    } while (0)

#define EQUAL(a, b)                                                                                          \
    do {                                                                                                     \
        if ((a) != (b)) {                                                                                    \
            fprintf(stderr, "%s:%d: %s is %d, not %d\n", __FILE__, __LINE__, #a, (int)(a), (int)(b));        \
            ++failures;                                                                                      \
        }                                                                                                    \
    } while (0)

static void naming(MPI_Comm comm, int p)
{
    const int order[1] = {p}, period[1] = {1}, offset[1] = {1};
    int size, flag, d, rank, x, in, out, list[8], dimorder, o[1], per[1], n;
    MPI_Comm sub;

    OK(ORTHO_Cart_name(comm, 1, ORTHO_ROWMAJOR, order, period, &size));
    OK(ORTHO_Cart_test(comm, &flag, &d, &size));
    OK(ORTHO_Cart_testall(comm, &flag, &d, &size));
    OK(ORTHO_Cart_get(comm, &dimorder, 1, o, per));
    OK(ORTHO_Cart_rank(comm, offset, &rank));
    OK(ORTHO_Cart_coordinates(comm, 0, &x));
    OK(ORTHO_Cart_relative_rank(comm, p - 1, offset, &rank));
    EQUAL(rank, 0);
    OK(ORTHO_Cart_relative_coordinates(comm, 0, p - 1, &x));
    OK(ORTHO_Cart_relative_shift(comm, 0, offset, &in, &out));
    OK(ORTHO_Cart_allranks(comm, 1, offset, list));
    OK(ORTHO_Cart_allranks_relative(comm, 0, 1, offset, list));
    OK(ORTHO_Cart_stencil_count(comm, ORTHO_MANHATTAN_DISTANCE, 1, &n));
    EQUAL(n, 3);
    OK(ORTHO_Cart_stencil(comm, ORTHO_MANHATTAN_DISTANCE, 1, 3, list));
    OK(ORTHO_Cart_stencil_diff(comm, 3, list, 1, offset, &n, list));
    EQUAL(n, 2);
    OK(ORTHO_Cart_neighbors_count(comm, 0, ORTHO_CHEBYCHEV_DISTANCE, 1, 1, &n));
    EQUAL(n, 2);
    OK(ORTHO_Cart_neighbors(comm, 0, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, 2, list));
    OK(ORTHO_Cart_create_sub(comm, offset, &sub));
    OK(ORTHO_Cart_name_part(comm, sub, &size));
    EQUAL(size, 1);
    OK(MPI_Comm_free(&sub));
}

/* Two elements on each process of a row that has a name. */
static void blocks(MPI_Comm comm, int p, int rank)
{
    const MPI_Count two[1] = {2}, all[1] = {2 * p}, none[1] = {0};
    MPI_Count first, count, place;
    int mine[2], whole[2 * 64] = {0}, owner;
    ORTHO_Field field = ORTHO_FIELD_INIT, array = ORTHO_FIELD_INIT;

    OK(ORTHO_Blocks_count(2 * p, p, rank, &first, &count));
    EQUAL(count, 2);
    OK(ORTHO_Blocks_owner(2 * p, p, first, &owner, &place));
    EQUAL(owner, rank);
    mine[0] = mine[1] = rank;
    field.base = mine;
    array.base = whole;
    field.sizes = two;
    array.sizes = all;
    field.lower = field.upper = array.lower = array.upper = none;
    field.element = array.element = MPI_INT;
    OK(ORTHO_Field_gather(&field, &array, 1, 0, comm));
    if (rank == 0) EQUAL(whole[2 * p - 1], p - 1);
    OK(ORTHO_Field_scatter(&array, &field, 1, 0, comm));
    EQUAL(mine[1], rank);
}

static void collectives(MPI_Comm comm)
{
    const int counts[1] = {1}, displs[1] = {0};
    const MPI_Aint bytes[1] = {0};
    const MPI_Datatype types[1] = {MPI_INT};
    int a = 3, b = 0;

    OK(ORTHO_Barrier(comm));
    OK(ORTHO_Bcast(&a, 1, MPI_INT, 0, comm));
    OK(ORTHO_Gather(&a, 1, MPI_INT, &b, 1, MPI_INT, 0, comm));
    OK(ORTHO_Gatherv(&a, 1, MPI_INT, &b, counts, displs, MPI_INT, 0, comm));
    OK(ORTHO_Scatter(&a, 1, MPI_INT, &b, 1, MPI_INT, 0, comm));
    OK(ORTHO_Scatterv(&a, counts, displs, MPI_INT, &b, 1, MPI_INT, 0, comm));
    OK(ORTHO_Allgather(&a, 1, MPI_INT, &b, 1, MPI_INT, comm));
    EQUAL(b, 3);
    OK(ORTHO_Allgatherv(&a, 1, MPI_INT, &b, counts, displs, MPI_INT, comm));
    OK(ORTHO_Allgatherw(&a, 1, MPI_INT, &b, counts, bytes, types, comm));
    OK(ORTHO_Alltoall(&a, 1, MPI_INT, &b, 1, MPI_INT, comm));
    OK(ORTHO_Alltoallv(&a, counts, displs, MPI_INT, &b, counts, displs, MPI_INT, comm));
    OK(ORTHO_Alltoallw(&a, counts, bytes, types, &b, counts, bytes, types, comm));
    OK(ORTHO_Reduce(&a, &b, 1, MPI_INT, MPI_SUM, 0, comm));
    OK(ORTHO_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, comm));
    EQUAL(b, 3);
    OK(ORTHO_Reduce_scatter_block(&a, &b, 1, MPI_INT, MPI_SUM, comm));
    OK(ORTHO_Reduce_scatterv(&a, counts, displs, &b, 1, MPI_INT, MPI_SUM, comm));
}

/* Each process accesses itself, on a graph and on a full communicator. */
static void windows(MPI_Comm comm, int rank)
{
    const int one = 1;
    int memory = 0, *more, got = 0;
    MPI_Comm graph;
    MPI_Win win, other;
    MPI_Request request;

    OK(ORTHO_Dist_graph_create_adjacent(comm, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, 0, &graph));
    OK(ORTHO_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, graph, &win));
    OK(ORTHO_Win_allocate(sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &more, &other));
    *more = 5;
    OK(ORTHO_Win_fence(0, win));
    OK(ORTHO_Put(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    OK(ORTHO_Win_fence(0, win));
    OK(ORTHO_Accumulate(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win));
    OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, win));
    EQUAL(memory, 2);
    OK(ORTHO_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    OK(ORTHO_Get(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win));
    OK(ORTHO_Win_flush_local(rank, win));
    OK(ORTHO_Win_flush(rank, win));
    EQUAL(got, 2);
    OK(ORTHO_Win_sync(win));
    OK(ORTHO_Win_unlock(rank, win));
    OK(ORTHO_Win_lock_all(0, other));
    OK(ORTHO_Fetch_and_op(&one, &got, MPI_INT, rank, 0, MPI_SUM, other));
    OK(ORTHO_Win_flush_all(other));
    EQUAL(got, 5);
    OK(ORTHO_Compare_and_swap(&one, &(const int){6}, &got, MPI_INT, rank, 0, other));
    OK(ORTHO_Win_flush_local_all(other));
    EQUAL(got, 6);
    OK(ORTHO_Get_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, other));
    OK(ORTHO_Win_flush(rank, other));
    EQUAL(got, 1);
    OK(ORTHO_Rput(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, other, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(ORTHO_Win_flush(rank, other));
    OK(ORTHO_Raccumulate(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, other, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(ORTHO_Win_flush(rank, other));
    OK(ORTHO_Rget_accumulate(&one, 1, MPI_INT, &got, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, other,
                             &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EQUAL(got, 2);
    OK(ORTHO_Win_flush(rank, other));
    OK(ORTHO_Rget(&got, 1, MPI_INT, rank, 0, 1, MPI_INT, other, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EQUAL(got, 3);
    OK(ORTHO_Win_unlock_all(other));
    OK(ORTHO_Win_free(&other));
    OK(ORTHO_Win_free(&win));
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    int p, rank, major, minor, patch, topology, in, out, weighted, flag, t, list[1], class, length, b;
    const int one = 1;
    char text[256];
    MPI_Comm comm, graph, general, cart, base, dup;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(comm, &p);
    MPI_Comm_rank(comm, &rank);
    OK(ORTHO_Get_version(&major, &minor, &patch));
    OK(MPI_Error_string(ORTHO_ERR_NAME, text, &length)); /* there before the first error */
    if (sizeof(void *) == 8) {                           /* it never grows: doc/interface.md */
        EQUAL((int)sizeof(ORTHO_Field), 104);
        EQUAL((int)offsetof(ORTHO_Field, ndims), 72);
        EQUAL((int)offsetof(ORTHO_Field, boundary), 80);
        EQUAL((int)offsetof(ORTHO_Field, reserved), 88);
    }
    naming(comm, p);
    blocks(comm, p, rank);

    const int left = (rank + p - 1) % p, right = (rank + 1) % p;
    OK(ORTHO_Dist_graph_create_adjacent(comm, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                        MPI_INFO_NULL, 0, &graph));
    OK(ORTHO_Dist_graph_create(comm, 1, &rank, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &general));
    OK(ORTHO_Cart_neighborhood_create(comm, 1, &p, &one, 1, &one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &cart));
    OK(ORTHO_Topo_test(graph, &topology));
    EQUAL(topology, ORTHO_GRAPH);
    OK(ORTHO_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    OK(ORTHO_Dist_graph_neighbors(graph, 1, list, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
    EQUAL(list[0], left);
    OK(ORTHO_Comm_isomorphic(graph, &flag, &t));
    EQUAL(flag, 1);
    OK(ORTHO_Cart_neighborhood_count(cart, &t));
    EQUAL(t, 1);
    OK(ORTHO_Cart_neighborhood_get(cart, 1, list, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED));
    OK(ORTHO_Comm_base(graph, &base));
    OK(ORTHO_Comm_dup(cart, &dup));
    collectives(graph);
    collectives(general);
    collectives(cart);
    collectives(dup);
    windows(comm, rank);
    OK(ORTHO_Reduce_scatter(&rank, &b, (const int[16]){1}, MPI_INT, MPI_SUM, base));
    OK(ORTHO_Scan(&one, &b, 1, MPI_INT, MPI_SUM, base));
    EQUAL(b, rank + 1);
    OK(ORTHO_Exscan(&one, &b, 1, MPI_INT, MPI_SUM, base));

    OK(ORTHO_Error_class(ORTHO_Cart_name(comm, 0, ORTHO_ROWMAJOR, &one, &one, &b), &class));
    EQUAL(class, MPI_ERR_DIMS);
    OK(ORTHO_Error_message(text, sizeof text, &length));
    OK(ORTHO_Cart_unname(comm));
    OK(ORTHO_Error_class(ORTHO_Cart_rank(comm, &one, &b), &class));
    EQUAL(class, ORTHO_ERR_NAME);
    EQUAL(ORTHO_ERR_NAME == ORTHO_ERR_NEIGHBOR || ORTHO_ERR_UNDEFINED == ORTHO_ERR_ALGORITHM ||
              ORTHO_ERR_ALGORITHM == ORTHO_ERR_MISMATCH,
          0);

    MPI_Comm_free(&dup);
    MPI_Comm_free(&base);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&general);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return failures != 0;
}
