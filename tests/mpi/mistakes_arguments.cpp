// SPDX-License-Identifier: BSD-3-Clause
// All processes pass the same wrong arguments to a collective.

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

void add_counts(Mistakes& all)
{
    const char* const kind = "a negative count, or one that no memory has";
    all.push_back(always(
        kind, "Alltoall",
        [](Stage& s) { return ORTHO_Alltoall(s.from.data(), -1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring); },
        MPI_ERR_COUNT, "sendcount = -1 is negative"));
    all.push_back(always(
        kind, "Alltoallv",
        [](Stage& s) {
            return ORTHO_Alltoallv(s.from.data(), minus, starts, MPI_INT, s.to.data(), ones, starts, MPI_INT,
                                   s.ring);
        },
        MPI_ERR_COUNT, "sendcounts[1] = -4 is negative"));
    all.push_back(always(
        kind, "Alltoallw",
        [](Stage& s) {
            return ORTHO_Alltoallw(s.from.data(), ones, bytes, ints, s.to.data(), minus, bytes, ints, s.ring);
        },
        MPI_ERR_COUNT, "recvcounts[1] = -4 is negative"));
    all.push_back(always(
        kind, "Iallgather",
        [](Stage& s) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Iallgather(s.from.data(), 1, MPI_INT, s.to.data(), -7, MPI_INT, s.ring, &request);
        },
        MPI_ERR_COUNT, "recvcount = -7 is negative"));
    all.push_back(always(
        kind, "Allgatherv_init",
        [](Stage& s) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Allgatherv_init(s.from.data(), 1, MPI_INT, s.to.data(), minus, starts, MPI_INT,
                                         s.ring, MPI_INFO_NULL, &request);
        },
        MPI_ERR_COUNT, "recvcounts[1] = -4 is negative"));
    all.push_back(always(
        kind, "Allreduce",
        [](Stage& s) { return ORTHO_Allreduce(s.from.data(), s.to.data(), -2, MPI_INT, MPI_SUM, s.ring); },
        MPI_ERR_COUNT, "count = -2 is negative"));
    all.push_back(always(
        kind, "Reduce_scatterv",
        [](Stage& s) {
            return ORTHO_Reduce_scatterv(s.from.data(), minus, starts, s.to.data(), 1, MPI_INT, MPI_SUM,
                                         s.ring);
        },
        MPI_ERR_COUNT, "sendcounts[1] = -4 is negative"));
    all.push_back(always(
        kind, "Alltoall, too large",
        [](Stage& s) {
            return ORTHO_Alltoall_c(s.from.data(), many[0], MPI_INT, s.to.data(), many[0], MPI_INT, s.ring);
        },
        MPI_ERR_COUNT, "sendcount = 4611686018427387904 are more elements of 4 bytes than memory has"));
    all.push_back(always(
        kind, "Alltoallv, too large",
        [](Stage& s) {
            return ORTHO_Alltoallv_c(s.from.data(), many, bytes, MPI_INT, s.to.data(), many, bytes, MPI_INT,
                                     s.grid);
        },
        MPI_ERR_COUNT, "sendcounts[0] = 4611686018427387904 are more"));
    all.push_back(always(
        kind, "Sparse_alltoallv, too large",
        [](Stage& s) {
            ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
            return ORTHO_Sparse_alltoallv(s.from.data(), 1, &s.right, many, bytes, MPI_INT, s.full,
                                          MPI_INFO_NULL, &exchange);
        },
        MPI_ERR_COUNT, "sendcounts[0] = 4611686018427387904 are more"));
}

void add_types(Mistakes& all)
{
    const char* const kind = "a datatype that is none, or not committed";
    all.push_back(always(
        kind, "Allgather of MPI_DATATYPE_NULL",
        [](Stage& s) {
            return ORTHO_Allgather(s.from.data(), 1, MPI_DATATYPE_NULL, s.to.data(), 1, MPI_INT, s.ring);
        },
        MPI_ERR_TYPE, "sendtype is MPI_DATATYPE_NULL"));
    all.push_back(always(
        kind, "Alltoallw, one of several",
        [](Stage& s) {
            return ORTHO_Alltoallw(s.from.data(), ones, bytes, ints, s.to.data(), ones, bytes, nulls, s.ring);
        },
        MPI_ERR_TYPE, "recvtypes[1] is MPI_DATATYPE_NULL"));
    const auto uncommitted = [](Stage& s, MPI_Comm comm) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(1, MPI_INT, &type);
        const int code = ORTHO_Alltoall(s.from.data(), 1, type, s.to.data(), 1, MPI_INT, comm);
        MPI_Type_free(&type);
        return code;
    };
    all.push_back(always(
        kind, "Alltoall of a type that is not committed",
        [uncommitted](Stage& s) { return uncommitted(s, s.ring); }, MPI_ERR_TYPE,
        "the datatype of what is sent has not been committed by MPI_Type_commit, or was freed"));
    all.push_back(always(
        kind, "the same on a grid", [uncommitted](Stage& s) { return uncommitted(s, s.grid); }, MPI_ERR_TYPE,
        "the datatype of what is sent has not been committed by MPI_Type_commit, or was freed"));
}

void add_operators(Mistakes& all)
{
    const char* const kind = "an operator that is none, or not for the datatype";
    all.push_back(always(
        kind, "MPI_OP_NULL",
        [](Stage& s) { return ORTHO_Allreduce(s.from.data(), s.to.data(), 1, MPI_INT, MPI_OP_NULL, s.ring); },
        MPI_ERR_OP, "op is MPI_OP_NULL"));
    all.push_back(always(
        kind, "MPI_BAND of doubles",
        [](Stage& s) { return ORTHO_Allreduce(s.from.data(), s.to.data(), 1, MPI_DOUBLE, MPI_BAND, s.ring); },
        MPI_ERR_OP, "MPI_BAND is not defined for MPI_DOUBLE"));
    all.push_back(always(
        kind, "MPI_REPLACE",
        [](Stage& s) { return ORTHO_Reduce(s.from.data(), s.to.data(), 1, MPI_INT, MPI_REPLACE, 0, s.ring); },
        MPI_ERR_OP, "op is for one-sided communication only"));
    all.push_back(always(
        kind, "MPI_SUM of a derived type",
        [](Stage& s) {
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Type_contiguous(2, MPI_INT, &type);
            MPI_Type_commit(&type);
            const int code = ORTHO_Reduce_scatter_block(s.from.data(), s.to.data(), 1, type, MPI_SUM, s.ring);
            MPI_Type_free(&type);
            return code;
        },
        MPI_ERR_OP, "MPI_SUM is not defined for a derived datatype"));
    all.push_back(always(
        kind, "an operator that does not commute, of a halo",
        [](Stage& s) {
            MPI_Op op = MPI_OP_NULL;
            MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &op);
            void* const field = s.to.data();
            const MPI_Datatype element = MPI_INT;
            const int size = 6;
            const int depth = 1;
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            const int code = ORTHO_Halo_reduce_init(1, &field, &element, 1, &size, &depth, &depth, op, s.grid,
                                                    MPI_INFO_NULL, &request);
            MPI_Op_free(&op);
            return code;
        },
        MPI_ERR_OP, "op does not commute"));
}

void add_roots(Mistakes& all)
{
    const char* const kind = "a root that is no rank";
    all.push_back(always(
        kind, "Bcast, -1", [](Stage& s) { return ORTHO_Bcast(s.to.data(), 1, MPI_INT, -1, s.ring); },
        MPI_ERR_ROOT, "root = -1 is no rank"));
    all.push_back(always(
        kind, "Gather, too large",
        [](Stage& s) {
            return ORTHO_Gather(s.from.data(), 1, MPI_INT, s.to.data(), 1, MPI_INT, s.p, s.ring);
        },
        MPI_ERR_ROOT, "is no rank of a communicator of size"));
    all.push_back(always(
        kind, "Iscatter",
        [](Stage& s) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Iscatter(s.from.data(), 1, MPI_INT, s.to.data(), 1, MPI_INT, -3, s.ring, &request);
        },
        MPI_ERR_ROOT, "root = -3 is no rank"));
    all.push_back(always(
        kind, "Reduce_init",
        [](Stage& s) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Reduce_init(s.from.data(), s.to.data(), 1, MPI_INT, MPI_SUM, s.p + 7, s.ring,
                                     MPI_INFO_NULL, &request);
        },
        MPI_ERR_ROOT, "is no rank"));
}

void add_buffers(Mistakes& all)
{
    const char* const kind = "a buffer that is none, or MPI_IN_PLACE, or both buffers";
    all.push_back(always(
        kind, "a null pointer",
        [](Stage& s) { return ORTHO_Alltoall(nullptr, 1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring); },
        MPI_ERR_BUFFER, "sendbuf is a null pointer"));
    all.push_back(always(
        kind, "MPI_IN_PLACE in Alltoall",
        [](Stage& s) { return ORTHO_Alltoall(MPI_IN_PLACE, 1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring); },
        MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE, which this call does not take on a graph"));
    all.push_back(always(
        kind, "MPI_IN_PLACE in Allgather's recvbuf",
        [](Stage& s) { return ORTHO_Allgather(s.from.data(), 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, s.ring); },
        MPI_ERR_BUFFER, "recvbuf is MPI_IN_PLACE"));
    all.push_back(always(
        kind, "MPI_IN_PLACE in Sparse_alltoallv",
        [](Stage& s) {
            const MPI_Count count = 1;
            ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
            return ORTHO_Sparse_alltoallv(MPI_IN_PLACE, 1, &s.right, &count, bytes, MPI_INT, s.full,
                                          MPI_INFO_NULL, &exchange);
        },
        MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE"));
    all.push_back(always(
        kind, "MPI_IN_PLACE in Halo_init",
        [](Stage& s) {
            void* const field = MPI_IN_PLACE;
            const MPI_Datatype element = MPI_INT;
            const int size = 6;
            const int depth = 1;
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Halo_init(1, &field, &element, 1, &size, &depth, &depth, s.grid, MPI_INFO_NULL,
                                   &request);
        },
        MPI_ERR_BUFFER, "fields[0] is MPI_IN_PLACE"));
    all.push_back(always(
        kind, "MPI_IN_PLACE in Ghosts_init",
        [](Stage& s) {
            const MPI_Count number = s.right;
            const MPI_Datatype element = MPI_INT;
            const void* owned = MPI_IN_PLACE;
            void* const ghosts = s.to.data();
            ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(ORTHO_Index_map_create_global(1, 1, &number, s.full, MPI_INFO_NULL, &map));
            const int code = ORTHO_Ghosts_init(1, &owned, &ghosts, &element, map, MPI_INFO_NULL, &request);
            CHECK_OK(ORTHO_Index_map_free(&map));
            return code;
        },
        MPI_ERR_BUFFER, "owned[0] is MPI_IN_PLACE"));
    all.push_back(always(
        kind, "one buffer for both",
        [](Stage& s) { return ORTHO_Alltoall(s.to.data(), 1, MPI_INT, s.to.data(), 1, MPI_INT, s.ring); },
        MPI_ERR_BUFFER, "recvbuf is sendbuf"));
    all.push_back(always(
        kind, "no list of counts",
        [](Stage& s) {
            return ORTHO_Alltoallv(s.from.data(), nullptr, starts, MPI_INT, s.to.data(), ones, starts,
                                   MPI_INT, s.ring);
        },
        MPI_ERR_ARG, "sendcounts is a null pointer"));
    all.push_back(always(
        kind, "no request", [](Stage& s) { return ORTHO_Ibarrier(s.ring, nullptr); }, MPI_ERR_ARG,
        "request is a null pointer"));
}

void add_communicators(Mistakes& all)
{
    const char* const kind = "a communicator that is none, or of another topology";
    all.push_back(always(
        kind, "MPI_COMM_NULL", [](Stage&) { return ORTHO_Barrier(MPI_COMM_NULL); }, MPI_ERR_COMM,
        "comm is MPI_COMM_NULL"));
    all.push_back(always(
        kind, "Scan on a graph",
        [](Stage& s) { return ORTHO_Scan(s.from.data(), s.to.data(), 1, MPI_INT, MPI_SUM, s.ring); },
        ORTHO_ERR_UNDEFINED, "prefix reductions have a meaning on full communicators only"));
    all.push_back(always(
        kind, "Exscan on a graph",
        [](Stage& s) { return ORTHO_Exscan(s.from.data(), s.to.data(), 1, MPI_INT, MPI_SUM, s.ring); },
        ORTHO_ERR_UNDEFINED, "prefix reductions have a meaning on full communicators only"));
    all.push_back(always(
        kind, "Reduce_scatter on a graph",
        [](Stage& s) {
            return ORTHO_Reduce_scatter(s.from.data(), s.to.data(), ones, MPI_INT, MPI_SUM, s.ring);
        },
        ORTHO_ERR_UNDEFINED, "Reduce_scatter has no meaning on a graph"));
    all.push_back(always(
        kind, "neighbors of a communicator without a graph",
        [](Stage& s) {
            int in = 0;
            int out = 0;
            int weighted = 0;
            return ORTHO_Dist_graph_neighbors_count(s.full, &in, &out, &weighted);
        },
        MPI_ERR_TOPOLOGY, "comm carries no graph"));
    all.push_back(always(
        kind, "an offset's slot on MPI's Cartesian communicator",
        [](Stage& s) {
            const int periodic = 1;
            MPI_Comm cart = MPI_COMM_NULL;
            MPI_Cart_create(s.full, 1, &s.p, &periodic, 0, &cart);
            MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN);
            int flag = 0;
            int t = 0;
            const int code = ORTHO_Comm_isomorphic(cart, &flag, &t);
            MPI_Comm_free(&cart);
            return code;
        },
        MPI_ERR_TOPOLOGY, "is an MPI Cartesian communicator"));
    all.push_back(always(
        kind, "a halo on a graph without a grid",
        [](Stage& s) {
            void* const field = s.to.data();
            const MPI_Datatype element = MPI_INT;
            const int size = 6;
            const int depth = 1;
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Halo_init(1, &field, &element, 1, &size, &depth, &depth, s.ring, MPI_INFO_NULL,
                                   &request);
        },
        MPI_ERR_TOPOLOGY, "graph is not isomorphic: "));
    all.push_back(always(
        kind, "a halo on no communicator",
        [](Stage&) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Halo_init(0, nullptr, nullptr, 1, nullptr, nullptr, nullptr, MPI_COMM_NULL,
                                   MPI_INFO_NULL, &request);
        },
        MPI_ERR_COMM, "graph is MPI_COMM_NULL"));
    all.push_back(always(
        kind, "a halo of elements of a type that is not committed",
        [](Stage& s) {
            MPI_Datatype type = MPI_DATATYPE_NULL;
            MPI_Type_contiguous(1, MPI_INT, &type);
            const int size = 6;
            const int depth = 1;
            void* const field = s.to.data();
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            const int code = ORTHO_Halo_init(1, &field, &type, 1, &size, &depth, &depth, s.grid,
                                             MPI_INFO_NULL, &request);
            MPI_Type_free(&type);
            return code;
        },
        MPI_ERR_TYPE, "elements[0] has not been committed by MPI_Type_commit, or was freed"));
}

void add_halos(Mistakes& all)
{
    const char* const kind = "a halo that does not fit its array or graph";
    const auto halo = [](Stage& s, int d, int size, int depth, MPI_Datatype element) {
        void* const field = s.to.data();
        const int sizes[] = {size, size};
        const int depths[] = {depth, depth};
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        return ORTHO_Halo_init(1, &field, &element, d, sizes, depths, depths, s.grid, MPI_INFO_NULL,
                               &request);
    };
    all.push_back(always(
        kind, "too deep", [halo](Stage& s) { return halo(s, 1, 4, 3, MPI_INT); }, MPI_ERR_ARG,
        "sizes[0] = 4 has no room for 3 and 3"));
    all.push_back(always(
        kind, "a negative depth", [halo](Stage& s) { return halo(s, 1, 4, -1, MPI_INT); }, MPI_ERR_ARG,
        "lower[0] = -1 is negative"));
    all.push_back(always(
        kind, "of other dimensions", [halo](Stage& s) { return halo(s, 2, 4, 1, MPI_INT); }, MPI_ERR_DIMS,
        "d = 2 on a grid of 1"));
    all.push_back(always(
        kind, "of no datatype", [halo](Stage& s) { return halo(s, 1, 4, 1, MPI_DATATYPE_NULL); },
        MPI_ERR_TYPE, "elements[0] is MPI_DATATYPE_NULL"));
}

/// Counts on a full communicator, which MPI's own calls get.  The lower half of the large one is positive.
void add_counts_of_full(Mistakes& all)
{
    constexpr MPI_Count much = -4294967295;
    const auto add = [&](const char* what, auto call, const char* says) {
        all.push_back(always("a negative count, or one that no memory has", what, call, MPI_ERR_COUNT, says));
    };
    add(
        "Bcast's", [](Stage& s) { return ORTHO_Bcast(s.to.data(), -1, MPI_INT, 0, s.full); }, "count = -1");
    add(
        "Bcast_c's", [](Stage& s) { return ORTHO_Bcast_c(s.to.data(), much, MPI_INT, 0, s.full); },
        "count = -4294967295");
    add(
        "Gather_c's",
        [](Stage& s) {
            return ORTHO_Gather_c(s.from.data(), much, MPI_INT, s.to.data(), much, MPI_INT, 0, s.full);
        },
        "sendcount = -4294967295");
    add(
        "Alltoallv's",
        [](Stage& s) {
            std::vector<int> counts(static_cast<std::size_t>(s.p), 0);
            std::vector<int> wrong = counts;
            wrong.back() = -2;
            return ORTHO_Alltoallv(s.from.data(), counts.data(), counts.data(), MPI_INT, s.to.data(),
                                   wrong.data(), counts.data(), MPI_INT, s.full);
        },
        "] = -2 is negative");
    add(
        "Iallgatherv's",
        [](Stage& s) {
            const std::vector<int> counts(static_cast<std::size_t>(s.p), -1);
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Iallgatherv(s.from.data(), 0, MPI_INT, s.to.data(), counts.data(), counts.data(),
                                     MPI_INT, s.full, &request);
        },
        "recvcounts[0] = -1");
    add(
        "Allreduce_init_c's",
        [](Stage& s) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            return ORTHO_Allreduce_init_c(s.from.data(), s.to.data(), much, MPI_INT, MPI_SUM, s.full,
                                          MPI_INFO_NULL, &request);
        },
        "count = -4294967295");
}

} // namespace

void add_arguments(Mistakes& all)
{
    add_counts_of_full(all);
    if (!test::aborts_anyway()) {
        all.push_back(always(
            "a wrong argument on a full communicator", "Bcast's root",
            [](Stage& s) { return ORTHO_Bcast(s.to.data(), 1, MPI_INT, -1, s.full); }, MPI_ERR_ROOT,
            "nvalid root"));
        all.push_back(always(
            "a wrong argument on a full communicator", "Allreduce's operator",
            [](Stage& s) {
                return ORTHO_Allreduce(s.from.data(), s.to.data(), 1, MPI_INT, MPI_OP_NULL, s.full);
            },
            MPI_ERR_OP, "nvalid "));
    }
    add_counts(all);
    add_types(all);
    add_operators(all);
    add_roots(all);
    add_buffers(all);
    add_communicators(all);
    add_halos(all);
}

} // namespace test
