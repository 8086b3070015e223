// SPDX-License-Identifier: BSD-3-Clause
// All processes pass the same wrong arguments: to collectives; names, graphs, requests, windows and infos.

#include "mistakes.hpp"

namespace test {

namespace {

constexpr int minus[] = {1, -4};
constexpr MPI_Count many[] = {MPI_Count{1} << 62, 1};
constexpr int ones[] = {1, 1};
constexpr int starts[] = {0, 1};
constexpr MPI_Aint bytes[] = {0, 4};
const MPI_Datatype ints[] = {MPI_INT, MPI_INT};
const MPI_Datatype nulls[] = {MPI_INT, MPI_DATATYPE_NULL};
const MPI_Datatype none = MPI_DATATYPE_NULL;

int sparse(Stage& s, void* sent, const MPI_Count* counts)
{
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    return ORTHO_Sparse_alltoallv(sent, 1, &s.right, counts, bytes, MPI_INT, s.full, MPI_INFO_NULL,
                                  &exchange);
}

/// A halo of d dimensions, of an array of this size with ghosts of this depth on either side.
int halo(Stage& s, int d, int size, int depth, MPI_Datatype element, MPI_Comm comm, void* field)
{
    const int sizes[] = {size, size}, depths[] = {depth, depth};
    return ORTHO_Halo_init(1, &field, &element, d, sizes, depths, depths, comm, MPI_INFO_NULL, &s.request);
}

template <class Call>
int with_uncommitted(Call call)
{
    test::Type type;
    MPI_Type_contiguous(1, MPI_INT, &type);
    return call(type);
}

void add_counts(Mistakes& all)
{
    const char* const kind = "a negative count, or one that no memory has";
    WRONG(ORTHO_Alltoall(s.sent, -1, MPI_INT, s.got, 1, MPI_INT, s.ring), MPI_ERR_COUNT,
          "sendcount = -1 is negative");
    WRONG(ORTHO_Alltoall(s.sent, 1, MPI_INT, s.got, -2, MPI_INT, s.ring), MPI_ERR_COUNT,
          "recvcount = -2 is negative");
    WRONG(ORTHO_Alltoallv(s.sent, minus, starts, MPI_INT, s.got, ones, starts, MPI_INT, s.ring),
          MPI_ERR_COUNT, "sendcounts[1] = -4 is negative");
    WRONG(ORTHO_Alltoallv(s.sent, ones, starts, MPI_INT, s.got, minus, starts, MPI_INT, s.ring),
          MPI_ERR_COUNT, "recvcounts[1] = -4 is negative");
    WRONG(ORTHO_Alltoallw(s.sent, ones, bytes, ints, s.got, minus, bytes, ints, s.ring), MPI_ERR_COUNT,
          "recvcounts[1] = -4 is negative");
    WRONG(ORTHO_Allgather(s.sent, -3, MPI_INT, s.got, 1, MPI_INT, s.ring), MPI_ERR_COUNT,
          "sendcount = -3 is negative");
    WRONG(ORTHO_Iallgather(s.sent, 1, MPI_INT, s.got, -7, MPI_INT, s.ring, &s.request), MPI_ERR_COUNT,
          "recvcount = -7 is negative");
    WRONG(ORTHO_Allgatherv(s.sent, 1, MPI_INT, s.got, minus, starts, MPI_INT, s.ring), MPI_ERR_COUNT,
          "recvcounts[1] = -4 is negative");
    WRONG(ORTHO_Allgatherv_init(s.sent, 1, MPI_INT, s.got, minus, starts, MPI_INT, s.ring, MPI_INFO_NULL,
                                &s.request),
          MPI_ERR_COUNT, "recvcounts[1] = -4 is negative");
    WRONG(ORTHO_Allreduce(s.sent, s.got, -2, MPI_INT, MPI_SUM, s.ring), MPI_ERR_COUNT,
          "count = -2 is negative");
    WRONG(ORTHO_Reduce_scatter_block(s.sent, s.got, -9, MPI_INT, MPI_SUM, s.ring), MPI_ERR_COUNT, "-9");
    WRONG(ORTHO_Reduce_scatterv(s.sent, minus, starts, s.got, 1, MPI_INT, MPI_SUM, s.ring), MPI_ERR_COUNT,
          "sendcounts[1] = -4 is negative");
    WRONG(ORTHO_Alltoall_c(s.sent, many[0], MPI_INT, s.got, many[0], MPI_INT, s.ring), MPI_ERR_COUNT,
          "sendcount = 4611686018427387904 are more elements of 4 bytes than memory has");
    WRONG(ORTHO_Alltoallv_c(s.sent, many, bytes, MPI_INT, s.got, many, bytes, MPI_INT, s.grid), MPI_ERR_COUNT,
          "sendcounts[0] = 4611686018427387904 are more");
    ALWAYS("Sparse_alltoallv, too large", sparse(s, s.sent, many), MPI_ERR_COUNT,
           "sendcounts[0] = 4611686018427387904 are more");
}

void add_types(Mistakes& all)
{
    const char* const kind = "a datatype that is none, or not committed";
    WRONG(ORTHO_Alltoall(s.sent, 1, none, s.got, 1, MPI_INT, s.ring), MPI_ERR_TYPE,
          "sendtype is MPI_DATATYPE_NULL");
    WRONG(ORTHO_Alltoall(s.sent, 1, MPI_INT, s.got, 1, none, s.ring), MPI_ERR_TYPE,
          "recvtype is MPI_DATATYPE_NULL");
    WRONG(ORTHO_Allgather(s.sent, 1, none, s.got, 1, MPI_INT, s.ring), MPI_ERR_TYPE,
          "sendtype is MPI_DATATYPE_NULL");
    WRONG(ORTHO_Alltoallw(s.sent, ones, bytes, nulls, s.got, ones, bytes, ints, s.ring), MPI_ERR_TYPE,
          "sendtypes[1] is MPI_DATATYPE_NULL");
    WRONG(ORTHO_Alltoallw(s.sent, ones, bytes, ints, s.got, ones, bytes, nulls, s.ring), MPI_ERR_TYPE,
          "recvtypes[1] is MPI_DATATYPE_NULL");
    WRONG(ORTHO_Allgatherw(s.sent, 1, MPI_INT, s.got, ones, bytes, nulls, s.ring), MPI_ERR_TYPE,
          "recvtypes[1] is MPI_DATATYPE_NULL");
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, none, MPI_SUM, s.ring), MPI_ERR_TYPE,
          "datatype is MPI_DATATYPE_NULL");
    const char* const uncommitted = "has not been committed by MPI_Type_commit, or was freed";
    for (const bool on_grid : {false, true})
        add(all, kind, on_grid ? "not committed, on a grid" : "not committed", MPI_ERR_TYPE,
            "the datatype of what is sent has not been committed by MPI_Type_commit, or was freed",
            [=](Stage& s) {
                return with_uncommitted([&](MPI_Datatype type) {
                    return ORTHO_Alltoall(s.sent, 1, type, s.got, 1, MPI_INT, on_grid ? s.grid : s.ring);
                });
            });
    add(all, kind, "not committed, received", MPI_ERR_TYPE, uncommitted, [](Stage& s) {
        return with_uncommitted(
            [&](MPI_Datatype type) { return ORTHO_Allgather(s.sent, 1, MPI_INT, s.got, 1, type, s.ring); });
    });
    add(all, kind, "not committed, of a halo", MPI_ERR_TYPE,
        "elements[0] has not been committed by MPI_Type_commit, or was freed", [](Stage& s) {
            return with_uncommitted([&](MPI_Datatype type) { return halo(s, 1, 6, 1, type, s.grid, s.got); });
        });
}

void add_operators(Mistakes& all)
{
    const char* const kind = "an operator that is none, or not for the datatype";
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, MPI_OP_NULL, s.ring), MPI_ERR_OP, "op is MPI_OP_NULL");
    WRONG(ORTHO_Reduce(s.sent, s.got, 1, MPI_INT, MPI_OP_NULL, 0, s.ring), MPI_ERR_OP, "op is MPI_OP_NULL");
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, MPI_DOUBLE, MPI_BAND, s.ring), MPI_ERR_OP,
          "MPI_BAND is not defined for MPI_DOUBLE");
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, MPI_MINLOC, s.ring), MPI_ERR_OP, "op");
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, MPI_REPLACE, s.ring), MPI_ERR_OP,
          "op is for one-sided communication only");
    WRONG(ORTHO_Reduce(s.sent, s.got, 1, MPI_INT, MPI_REPLACE, 0, s.ring), MPI_ERR_OP,
          "op is for one-sided communication only");
    add(all, kind, "MPI_SUM of a derived type", MPI_ERR_OP, "MPI_SUM is not defined for a derived datatype",
        [](Stage& s) {
            test::Type type = test::committed(MPI_Type_contiguous, 2, MPI_INT);
            return ORTHO_Reduce_scatter_block(s.sent, s.got, 1, type, MPI_SUM, s.ring);
        });
    add(all, kind, "an operator that does not commute, of a halo", MPI_ERR_OP, "op does not commute",
        [](Stage& s) {
            test::Op op;
            MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &op);
            void* const field = s.got;
            const MPI_Datatype element = MPI_INT;
            const int size = 6, depth = 1;
            return ORTHO_Halo_reduce_init(1, &field, &element, 1, &size, &depth, &depth, op, s.grid,
                                          MPI_INFO_NULL, &s.request);
        });
}

void add_roots(Mistakes& all)
{
    const char* const kind = "a root that is no rank";
    const char* const no_rank = "is no rank of a communicator of size";
    WRONG(ORTHO_Bcast(s.got, 1, MPI_INT, -1, s.ring), MPI_ERR_ROOT, "root = -1 is no rank");
    WRONG(ORTHO_Bcast(s.got, 1, MPI_INT, s.p, s.ring), MPI_ERR_ROOT, no_rank);
    WRONG(ORTHO_Gather(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.p + 5, s.ring), MPI_ERR_ROOT, no_rank);
    WRONG(ORTHO_Gatherv(s.sent, 1, MPI_INT, s.got, ones, starts, MPI_INT, -1, s.ring), MPI_ERR_ROOT, no_rank);
    WRONG(ORTHO_Scatter(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.p, s.ring), MPI_ERR_ROOT, no_rank);
    WRONG(ORTHO_Scatterv(s.sent, ones, starts, MPI_INT, s.got, 1, MPI_INT, INT_MAX, s.ring), MPI_ERR_ROOT,
          no_rank);
    WRONG(ORTHO_Iscatter(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, -3, s.ring, &s.request), MPI_ERR_ROOT,
          "root = -3 is no rank");
    WRONG(ORTHO_Reduce(s.sent, s.got, 1, MPI_INT, MPI_SUM, s.p, s.ring), MPI_ERR_ROOT, no_rank);
    WRONG(ORTHO_Reduce_init(s.sent, s.got, 1, MPI_INT, MPI_SUM, s.p + 7, s.ring, MPI_INFO_NULL, &s.request),
          MPI_ERR_ROOT, no_rank);
}

void add_buffers(Mistakes& all)
{
    const char* const kind = "a buffer that is none, or MPI_IN_PLACE, or both buffers";
    const char* const in_place = "sendbuf is MPI_IN_PLACE, which this call does not take on a graph";
    WRONG(ORTHO_Alltoall(nullptr, 1, MPI_INT, s.got, 1, MPI_INT, s.ring), MPI_ERR_BUFFER,
          "sendbuf is a null pointer");
    WRONG(ORTHO_Alltoall(s.sent, 1, MPI_INT, nullptr, 1, MPI_INT, s.ring), MPI_ERR_BUFFER,
          "recvbuf is a null pointer");
    WRONG(ORTHO_Alltoallw(nullptr, ones, bytes, ints, s.got, ones, bytes, ints, s.ring), MPI_ERR_BUFFER,
          "sendbuf is a null pointer");
    WRONG(ORTHO_Allreduce(nullptr, s.got, 1, MPI_INT, MPI_SUM, s.ring), MPI_ERR_BUFFER,
          "sendbuf is a null pointer");
    WRONG(ORTHO_Alltoall(MPI_IN_PLACE, 1, MPI_INT, s.got, 1, MPI_INT, s.ring), MPI_ERR_BUFFER, in_place);
    WRONG(ORTHO_Alltoallv(MPI_IN_PLACE, ones, starts, MPI_INT, s.got, ones, starts, MPI_INT, s.ring),
          MPI_ERR_BUFFER, in_place);
    WRONG(ORTHO_Allgather(MPI_IN_PLACE, 1, MPI_INT, s.got, 1, MPI_INT, s.ring), MPI_ERR_BUFFER, in_place);
    WRONG(ORTHO_Allgather(s.sent, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, s.ring), MPI_ERR_BUFFER,
          "recvbuf is MPI_IN_PLACE");
    WRONG(ORTHO_Allreduce(s.sent, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, s.ring), MPI_ERR_BUFFER,
          "recvbuf is MPI_IN_PLACE");
    WRONG(ORTHO_Reduce_scatter_block(MPI_IN_PLACE, s.got, 1, MPI_INT, MPI_SUM, s.ring), MPI_ERR_BUFFER,
          in_place);
    WRONG(ORTHO_Alltoall(s.got, 1, MPI_INT, s.got, 1, MPI_INT, s.ring), MPI_ERR_BUFFER, "recvbuf is sendbuf");
    WRONG(ORTHO_Allreduce(s.got, s.got, 1, MPI_INT, MPI_SUM, s.ring), MPI_ERR_BUFFER, "recvbuf is sendbuf");
    add(all, kind, "MPI_IN_PLACE in Sparse_alltoallv", MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE",
        [](Stage& s) {
            const MPI_Count count = 1;
            return sparse(s, MPI_IN_PLACE, &count);
        });
    ALWAYS("MPI_IN_PLACE in Halo_init", halo(s, 1, 6, 1, MPI_INT, s.grid, MPI_IN_PLACE), MPI_ERR_BUFFER,
           "fields[0] is MPI_IN_PLACE");
    add(all, kind, "MPI_IN_PLACE in Ghosts_init", MPI_ERR_BUFFER, "owned[0] is MPI_IN_PLACE", [](Stage& s) {
        const MPI_Count number = s.right;
        const MPI_Datatype element = MPI_INT;
        const void* owned = MPI_IN_PLACE;
        void* const ghosts = s.got;
        ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
        CHECK_OK(ORTHO_Index_map_create_global(1, 1, &number, s.full, MPI_INFO_NULL, &map));
        const int code = ORTHO_Ghosts_init(1, &owned, &ghosts, &element, map, MPI_INFO_NULL, &s.request);
        CHECK_OK(ORTHO_Index_map_free(&map));
        return code;
    });
    WRONG(ORTHO_Alltoallv(s.sent, nullptr, starts, MPI_INT, s.got, ones, starts, MPI_INT, s.ring),
          MPI_ERR_ARG, "sendcounts is a null pointer");
    WRONG(ORTHO_Alltoallv(s.sent, ones, nullptr, MPI_INT, s.got, ones, starts, MPI_INT, s.ring), MPI_ERR_ARG,
          "sdispls is a null pointer");
    WRONG(ORTHO_Alltoallv(s.sent, ones, starts, MPI_INT, s.got, ones, nullptr, MPI_INT, s.ring), MPI_ERR_ARG,
          "rdispls is a null pointer");
    WRONG(ORTHO_Alltoallw(s.sent, ones, bytes, ints, s.got, ones, bytes, nullptr, s.ring), MPI_ERR_ARG,
          "recvtypes is a null pointer");
    WRONG(ORTHO_Allgatherv(s.sent, 1, MPI_INT, s.got, ones, nullptr, MPI_INT, s.ring), MPI_ERR_ARG,
          "displs is a null pointer");
    WRONG(ORTHO_Allgatherw(s.sent, 1, MPI_INT, s.got, ones, nullptr, ints, s.ring), MPI_ERR_ARG,
          "rdispls is a null pointer");
    WRONG(ORTHO_Reduce_scatterv(s.sent, ones, nullptr, s.got, 1, MPI_INT, MPI_SUM, s.ring), MPI_ERR_ARG,
          "senddispls is a null pointer");
    WRONG(ORTHO_Ibarrier(s.ring, nullptr), MPI_ERR_ARG, "request is a null pointer");
}

void add_null_communicators(Mistakes& all)
{
    const char* const kind = "a communicator that is none, or of another topology";
    const MPI_Comm comm = MPI_COMM_NULL;
    const char* const is_null = "comm is MPI_COMM_NULL";
    WRONG(ORTHO_Barrier(comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Bcast(s.got, 1, MPI_INT, 0, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Gather(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, 0, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Gatherv(s.sent, 1, MPI_INT, s.got, ones, ones, MPI_INT, 0, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Scatter(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, 0, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Scatterv(s.sent, ones, ones, MPI_INT, s.got, 1, MPI_INT, 0, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Allgather(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Allgatherv(s.sent, 1, MPI_INT, s.got, ones, ones, MPI_INT, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Allgatherw(s.sent, 1, MPI_INT, s.got, ones, bytes, ints, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Alltoall(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Alltoallv(s.sent, ones, ones, MPI_INT, s.got, ones, ones, MPI_INT, comm), MPI_ERR_COMM,
          is_null);
    WRONG(ORTHO_Alltoallw(s.sent, ones, bytes, ints, s.got, ones, bytes, ints, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Reduce(s.sent, s.got, 1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Reduce_scatter_block(s.sent, s.got, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Reduce_scatter(s.sent, s.got, ones, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Reduce_scatterv(s.sent, ones, ones, s.got, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Scan(s.sent, s.got, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, is_null);
    WRONG(ORTHO_Exscan(s.sent, s.got, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM, is_null);
    ALWAYS("a halo on no communicator", halo(s, 1, 6, 1, MPI_INT, MPI_COMM_NULL, s.got), MPI_ERR_COMM,
           "graph is MPI_COMM_NULL");
}

void add_topologies(Mistakes& all)
{
    const char* const kind = "a communicator that is none, or of another topology";
    const char* const prefix = "prefix reductions have a meaning on full communicators only";
    WRONG(ORTHO_Scan(s.sent, s.got, 1, MPI_INT, MPI_SUM, s.ring), ORTHO_ERR_UNDEFINED, prefix);
    WRONG(ORTHO_Exscan(s.sent, s.got, 1, MPI_INT, MPI_SUM, s.ring), ORTHO_ERR_UNDEFINED, prefix);
    WRONG(ORTHO_Reduce_scatter(s.sent, s.got, ones, MPI_INT, MPI_SUM, s.ring), ORTHO_ERR_UNDEFINED,
          "Reduce_scatter has no meaning on a graph");
    ALWAYS("neighbors of a communicator without a graph",
           ORTHO_Dist_graph_neighbors_count(s.full, s.answers, s.answers, s.answers), MPI_ERR_TOPOLOGY,
           "comm carries no graph");
    add(all, kind, "an offset's slot on MPI's Cartesian communicator", MPI_ERR_TOPOLOGY,
        "is an MPI Cartesian communicator", [](Stage& s) {
            test::Comm cart = test::cart({s.p}, {1}, s.full);
            MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
            return ORTHO_Comm_isomorphic(cart, s.answers, s.answers);
        });
    ALWAYS("a halo on a graph without a grid", halo(s, 1, 6, 1, MPI_INT, s.ring, s.got), MPI_ERR_TOPOLOGY,
           "graph is not isomorphic: ");
}

void add_halos(Mistakes& all)
{
    const char* const kind = "a halo that does not fit its array or graph";
    const auto wrong_halo = [&](const char* name, int d, int depth, MPI_Datatype element, int error_class,
                                const char* words) {
        ALWAYS(name, halo(s, d, 4, depth, element, s.grid, s.got), error_class, words);
    };
    wrong_halo("too deep", 1, 3, MPI_INT, MPI_ERR_ARG, "sizes[0] = 4 has no room for 3 and 3");
    wrong_halo("a negative depth", 1, -1, MPI_INT, MPI_ERR_ARG, "lower[0] = -1 is negative");
    wrong_halo("of other dimensions", 2, 1, MPI_INT, MPI_ERR_DIMS, "d = 2 on a grid of 1");
    wrong_halo("of no datatype", 1, 1, none, MPI_ERR_TYPE, "elements[0] is MPI_DATATYPE_NULL");
}

/// On a full communicator, which MPI's own calls get.  The lower half of the large count is positive.
void add_arguments_of_full(Mistakes& all)
{
    constexpr MPI_Count much = -4294967295;
    const char* kind = "a negative count, or one that no memory has";
    WRONG(ORTHO_Bcast(s.got, -1, MPI_INT, 0, s.full), MPI_ERR_COUNT, "count = -1");
    WRONG(ORTHO_Bcast_c(s.got, much, MPI_INT, 0, s.full), MPI_ERR_COUNT, "count = -4294967295");
    WRONG(ORTHO_Gather_c(s.sent, much, MPI_INT, s.got, much, MPI_INT, 0, s.full), MPI_ERR_COUNT,
          "sendcount = -4294967295");
    WRONG(ORTHO_Allreduce_init_c(s.sent, s.got, much, MPI_INT, MPI_SUM, s.full, MPI_INFO_NULL, &s.request),
          MPI_ERR_COUNT, "count = -4294967295");
    const std::vector<int> zeros(static_cast<std::size_t>(test::size()), 0);
    const std::vector<int> negative(zeros.size(), -1);
    std::vector<int> last = zeros;
    last.back() = -2;
    WRONG(ORTHO_Alltoallv(s.sent, zeros.data(), zeros.data(), MPI_INT, s.got, last.data(), zeros.data(),
                          MPI_INT, s.full),
          MPI_ERR_COUNT, "] = -2 is negative");
    WRONG(ORTHO_Iallgatherv(s.sent, 0, MPI_INT, s.got, negative.data(), negative.data(), MPI_INT, s.full,
                            &s.request),
          MPI_ERR_COUNT, "recvcounts[0] = -1");
    const std::vector<int> each(zeros.size(), 1);
    kind = "a buffer that is none, or MPI_IN_PLACE, or both buffers";
    WRONG(ORTHO_Reduce_scatterv(s.sent, each.data(), zeros.data(), MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, s.full),
          MPI_ERR_BUFFER, "recvbuf is MPI_IN_PLACE");
    WRONG(ORTHO_Reduce_scatterv(s.sent, each.data(), zeros.data(), nullptr, 1, MPI_INT, MPI_SUM, s.full),
          MPI_ERR_BUFFER, "recvbuf is a null pointer");
    WRONG(ORTHO_Reduce_scatterv(MPI_IN_PLACE, each.data(), zeros.data(), s.got, 1, MPI_INT, MPI_SUM, s.full),
          MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE");
    WRONG(ORTHO_Reduce_scatterv(s.sent, nullptr, zeros.data(), s.got, 1, MPI_INT, MPI_SUM, s.full),
          MPI_ERR_ARG, "sendcounts is a null pointer");
    const std::vector<MPI_Aint> places(zeros.size(), 0);
    WRONG(ORTHO_Allgatherw(s.sent, 1, MPI_INT, s.got, nullptr, places.data(), nullptr, s.full), MPI_ERR_ARG,
          "is a null pointer");
    WRONG(ORTHO_Alltoallw(s.sent, each.data(), places.data(), nullptr, s.got, each.data(), places.data(),
                          nullptr, s.full),
          MPI_ERR_ARG, "is a null pointer");
    kind = "a negative count, or one that no memory has";
    WRONG(ORTHO_Reduce_scatterv(s.sent, each.data(), zeros.data(), s.got, -1, MPI_INT, MPI_SUM, s.full),
          MPI_ERR_COUNT, "count = -1");
    kind = "an operator that is none, or not for the datatype";
    WRONG(ORTHO_Reduce_scatterv(s.sent, each.data(), zeros.data(), s.got, 1, MPI_INT, MPI_OP_NULL, s.full),
          MPI_ERR_OP, "op is MPI_OP_NULL");
    if (test::aborts_anyway()) return;
    kind = "a wrong argument on a full communicator";
    WRONG(ORTHO_Bcast(s.got, 1, MPI_INT, -1, s.full), MPI_ERR_ROOT, "nvalid root");
    WRONG(ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, MPI_OP_NULL, s.full), MPI_ERR_OP, "nvalid ");
}

ORTHO_Request make_request(Stage& s)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Alltoall_init(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.ring, MPI_INFO_NULL, &request));
    return request;
}

/// A mistake with a persistent request, which is freed afterwards, if it is still there.
void add_with_request(Mistakes& all, const char* kind, const char* name, int error_class, const char* words,
                      std::function<int(ORTHO_Request&)> make)
{
    add(all, kind, name, error_class, words, [make = std::move(make)](Stage& s) {
        ORTHO_Request request = make_request(s);
        const int code = make(request);
        if (request != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Request_free(&request));
        return code;
    });
}

void add_requests(Mistakes& all)
{
    const char* kind = "a request that was never set, or was freed";
    const auto not_set = [] {
        static std::array<char, 512> memory;
        return reinterpret_cast<ORTHO_Request>(memory.data()); // whatever lies in a variable
    };
    add(all, kind, "Wait, never set", MPI_ERR_REQUEST,
        "request is no request: it was never set, or its request was freed", [=](Stage&) {
            ORTHO_Request request = not_set();
            return ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        });
    add(all, kind, "Start, an address of nothing", MPI_ERR_REQUEST, "request is no request", [](Stage&) {
        auto request = reinterpret_cast<ORTHO_Request>(std::uintptr_t{24});
        return ORTHO_Start(&request);
    });
    add(all, kind, "Waitall, one of several", MPI_ERR_REQUEST, "requests[1] is no request", [=](Stage&) {
        ORTHO_Request requests[] = {ORTHO_REQUEST_NULL, not_set()};
        return ORTHO_Waitall(2, requests, MPI_STATUSES_IGNORE);
    });
    struct Row {
        const char* name;
        int (*call)(ORTHO_Request*);
    };
    static int flag = 0; // nobody reads it
    for (const Row& row : {
             Row{"Start, freed", [](ORTHO_Request* r) { return ORTHO_Start(r); }},
             Row{"Wait, freed", [](ORTHO_Request* r) { return ORTHO_Wait(r, MPI_STATUS_IGNORE); }},
             Row{"Run, freed", [](ORTHO_Request* r) { return ORTHO_Run(r, MPI_STATUS_IGNORE); }},
             Row{"Request_free, freed", [](ORTHO_Request* r) { return ORTHO_Request_free(r); }},
             Row{"Explain, freed", [](ORTHO_Request* r) { return ORTHO_Explain(*r, nullptr, 0, nullptr); }},
             Row{"Parrived, freed", [](ORTHO_Request* r) { return ORTHO_Parrived(*r, 0, &flag); }},
             Row{"Test, freed", [](ORTHO_Request* r) { return ORTHO_Test(r, &flag, MPI_STATUS_IGNORE); }},
         })
        add(all, kind, row.name, MPI_ERR_REQUEST, "request is no request", [call = row.call](Stage& s) {
            ORTHO_Request request = make_request(s), copy = request;
            CHECK_OK(ORTHO_Request_free(&request));
            return call(&copy);
        });
    add(all, kind, "Wait, over", MPI_ERR_REQUEST, "request is no request", [](Stage& s) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ibarrier(s.ring, &request));
        ORTHO_Request copy = request;
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        return ORTHO_Wait(&copy, MPI_STATUS_IGNORE);
    });

    kind = "a request in the wrong state";
    add_with_request(all, kind, "started twice", MPI_ERR_REQUEST, "request is active already",
                     [](ORTHO_Request& request) {
                         CHECK_OK(ORTHO_Start(&request));
                         const int code = ORTHO_Start(&request);
                         CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
                         return code;
                     });
    add_with_request(all, kind, "run twice in a list", MPI_ERR_REQUEST, "requests[1] is active already",
                     [](ORTHO_Request& request) {
                         ORTHO_Request twice[] = {request, request};
                         return ORTHO_Runall(2, twice, MPI_STATUSES_IGNORE);
                     });
    add(all, kind, "started, and not persistent", MPI_ERR_REQUEST, "request is not persistent", [](Stage& s) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ibarrier(s.ring, &request));
        const int code = ORTHO_Start(&request);
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        return code;
    });
    ALWAYS("started, and null", ORTHO_Start(&s.request), MPI_ERR_REQUEST, "request is ORTHO_REQUEST_NULL");

    kind = "a request waited for before it starts, or freed while active";
    add_with_request(all, kind, "not started", MPI_SUCCESS, "",
                     [](ORTHO_Request& request) { return ORTHO_Wait(&request, MPI_STATUS_IGNORE); });
    add_with_request(all, kind, "freed while active", MPI_SUCCESS, "", [](ORTHO_Request& request) {
        CHECK_OK(ORTHO_Start(&request));
        return ORTHO_Request_free(&request);
    });
}

void add_names(Mistakes& all)
{
    const char* kind = "a grid that is none";
    const auto name = [](MPI_Comm comm, int d, int order, int size) {
        const int sizes[] = {size, 1}, periods[] = {1, 1};
        int all_of_it = 0;
        return ORTHO_Cart_name(comm, d, order, sizes, periods, &all_of_it);
    };
    ALWAYS("larger than the communicator", name(s.full, 2, ORTHO_ROWMAJOR, s.p + 1), MPI_ERR_DIMS,
           "order gives a grid of ");
    ALWAYS("a negative size", name(s.full, 2, ORTHO_ROWMAJOR, -2), MPI_ERR_DIMS, "order[0] = -2");
    ALWAYS("more dimensions than there are", name(s.full, 50000000, ORTHO_ROWMAJOR, s.p), MPI_ERR_DIMS,
           "d = 50000000 is not a number of dimensions from 1 to 4096");
    ALWAYS("more dimensions of Dims_create", ORTHO_Dims_create(s.full, 50000000, s.answers), MPI_ERR_DIMS,
           "d = 50000000 is not a number of dimensions from 1 to 4096");
    ALWAYS("an order that is none", name(s.full, 1, 12345, s.p), MPI_ERR_ARG, "dimorder = 12345 is neither ");
    add(all, kind, "a neighborhood's", MPI_ERR_DIMS, "dims gives a grid of ", [](Stage& s) {
        const int sizes = s.p + 1, offset = 1, period = 1;
        return ORTHO_Cart_neighborhood_create(s.full, 1, &sizes, &period, 1, &offset, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &s.made);
    });
    ALWAYS("a stencil's metric", ORTHO_Stencil_count(2, 99, 1, s.answers), MPI_ERR_ARG, "metric = 99");
    kind = "a name that is not there";
    ALWAYS("Cart_rank", ORTHO_Cart_rank(s.full, s.answers, s.answers), ORTHO_ERR_NAME,
           "cart has no Cartesian name");
    ALWAYS("Cart_unname", ORTHO_Cart_unname(s.full), ORTHO_ERR_NAME, "comm has no Cartesian name");
    kind = "a rank that is none";
    add(all, kind, "an edge's", MPI_ERR_RANK, "sources[0] = ", [](Stage& s) {
        return ORTHO_Dist_graph_create_adjacent(s.full, 1, &s.p, MPI_UNWEIGHTED, 1, &s.p, MPI_UNWEIGHTED,
                                                MPI_INFO_NULL, 0, &s.made);
    });
    ALWAYS("of a neighbor", ORTHO_Dist_graph_find(s.ring, -5, 0, nullptr, s.answers, nullptr, s.answers),
           MPI_ERR_RANK, "rank = -5");
    kind = "arguments of a subgraph";
    ALWAYS("a negative color", ORTHO_Comm_split(s.ring, -5, 0, &s.made), MPI_ERR_ARG, "color = -5");
    ALWAYS("no group", ORTHO_Comm_create(s.ring, MPI_GROUP_NULL, &s.made), MPI_ERR_GROUP,
           "group is MPI_GROUP_NULL");
    ALWAYS("of a communicator without a graph", ORTHO_Comm_subgraph(s.full, s.ring, &s.made),
           MPI_ERR_TOPOLOGY, "graph carries no graph");
}

void add_infos(Mistakes& all)
{
    const char* const kind = "a value of an info key that means nothing";
    ALWAYS("an algorithm that is none", test::try_graph(test::Info{{"ortho_algorithm", "alltoall_dirct"}}),
           ORTHO_ERR_ALGORITHM, "did you mean alltoall_direct?");
    ALWAYS("a truth value that is none", test::try_graph(test::Info{{"ortho_forward", "perhaps"}}),
           MPI_ERR_INFO_VALUE, "ortho_forward = 'perhaps' is neither true nor false");
}

void add_windows(Mistakes& all)
{
    const char* const kind = "a call on a window";
    using Use = std::function<int(Stage&, MPI_Win)>;
    const auto with_window = [&](const char* name, int error_class, const char* words, Use use) {
        add(all, kind, name, error_class, words, [use = std::move(use)](Stage& s) {
            MPI_Win win = MPI_WIN_NULL;
            CHECK_OK(ORTHO_Win_create(s.got, 64, sizeof(int), MPI_INFO_NULL, s.ring, &win));
            MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
            const int code = use(s, win);
            CHECK_OK(ORTHO_Win_free(&win));
            return code;
        });
    };
    with_window(
        "no epoch", MPI_ERR_RMA_SYNC, " cannot be accessed: there was no fence that opens an epoch",
        [](Stage& s, MPI_Win win) { return ORTHO_Put(s.sent, 1, MPI_INT, s.right, 0, 1, MPI_INT, win); });
    with_window("a rank that is none", MPI_ERR_RANK, " is no rank of a window of ",
                [](Stage& s, MPI_Win win) { return ORTHO_Get(s.sent, 1, MPI_INT, s.p, 0, 1, MPI_INT, win); });
    with_window("whose message has the rank and the name of the window", MPI_ERR_RANK, " of 'there']",
                [](Stage& s, MPI_Win win) {
                    MPI_Win_set_name(win, "there");
                    return ORTHO_Put(s.sent, 1, MPI_INT, s.p, 0, 1, MPI_INT, win);
                });
    with_window("an unlock without a lock", MPI_ERR_RMA_SYNC, " is not locked",
                [](Stage& s, MPI_Win win) { return ORTHO_Win_unlock(s.right, win); });
    with_window("MPI_WIN_NULL", MPI_ERR_WIN, "win is MPI_WIN_NULL",
                [](Stage&, MPI_Win) { return ORTHO_Win_fence(0, MPI_WIN_NULL); });
}

} // namespace

void add_arguments(Mistakes& all)
{
    add_arguments_of_full(all);
    add_counts(all);
    add_types(all);
    add_operators(all);
    add_roots(all);
    add_buffers(all);
    add_null_communicators(all);
    add_topologies(all);
    add_halos(all);
    add_requests(all);
    add_names(all);
    add_infos(all);
    if (!is_played()) add_windows(all);
}

} // namespace test
