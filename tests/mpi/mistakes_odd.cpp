// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 does something else than the others: in a call, in a graph, or in the order of starts.

#include "mistakes.hpp"

namespace test {

namespace {

const Said for_ever{Who::waits};

/// A non-blocking call's code is that of its end, if it has begun.
int finish(int code, ORTHO_Request& request)
{
    return code != MPI_SUCCESS ? code : ORTHO_Wait(&request, MPI_STATUS_IGNORE);
}

int run(int code, ORTHO_Request& request)
{
    CHECK_EQ(request == ORTHO_REQUEST_NULL, code != MPI_SUCCESS);
    if (code != MPI_SUCCESS) return code;
    const int result = ORTHO_Run(&request, MPI_STATUS_IGNORE);
    CHECK_OK(ORTHO_Request_free(&request));
    return result;
}

int alltoall(Stage& s, int sent, int received, MPI_Comm comm)
{
    return ORTHO_Alltoall(s.sent, sent, MPI_INT, s.got, received, MPI_INT, comm);
}

int ialltoall(Stage& s, int sent, int received)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const int code = ORTHO_Ialltoall(s.sent, sent, MPI_INT, s.got, received, MPI_INT, s.ring, &request);
    return finish(code, request);
}

/// To the right; to itself each sends one.
int persistent(Stage& s, int sent, int received, bool to_run)
{
    const std::vector<int> from(static_cast<std::size_t>(sent) + 1, s.me);
    std::vector<int> to(static_cast<std::size_t>(received) + 1, -1);
    const int sends[] = {1, sent}, receives[] = {1, received}, places[] = {0, 1};
    test::Request request;
    int code = ORTHO_Alltoallv_init(from.data(), sends, places, MPI_INT, to.data(), receives, places, MPI_INT,
                                    s.ring, MPI_INFO_NULL, &request);
    if (code != MPI_SUCCESS || to_run) return run(code, request.handle());
    CHECK_OK(ORTHO_Start(&request));
    code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
    return code;
}

/// Blocks of these sizes at these places.
int alltoallv(Stage& s, const Ints& sent, const Ints& from, const Ints& received, const Ints& to)
{
    return ORTHO_Alltoallv(s.sent, sent.data(), from.data(), MPI_INT, s.got, received.data(), to.data(),
                           MPI_INT, s.ring);
}
int ialltoallv(Stage& s, const Ints& sent, const Ints& from, const Ints& received, const Ints& to)
{
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    return finish(ORTHO_Ialltoallv(s.sent, sent.data(), from.data(), MPI_INT, s.got, received.data(),
                                   to.data(), MPI_INT, s.ring, &request),
                  request);
}

int alltoallw(Stage& s, int sent, int received, bool persists)
{
    const int sends[] = {1, sent}, receives[] = {1, received};
    const MPI_Aint places[] = {0, 32};
    const MPI_Datatype types[] = {MPI_INT, MPI_INT};
    if (!persists)
        return ORTHO_Alltoallw(s.sent, sends, places, types, s.got, receives, places, types, s.ring);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    return run(ORTHO_Alltoallw_init(s.sent, sends, places, types, s.got, receives, places, types, s.ring,
                                    MPI_INFO_NULL, &request),
               request);
}

/// An alltoall of a datatype that rank 0 has not committed.
int uncommitted(Stage& s, bool odd, bool waits)
{
    test::Type type;
    MPI_Type_contiguous(1, MPI_INT, &type);
    if (!odd) MPI_Type_commit(&type);
    if (waits) return ORTHO_Alltoall(s.sent, 1, type, s.got, 1, MPI_INT, s.ring);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    const int code = ORTHO_Ialltoall(s.sent, 1, type, s.got, 1, MPI_INT, s.ring, &request);
    return finish(code, request);
}

/// Blocks of so many ints on a torus, where those to the diagonal go by a neighbor.
int combined(Stage& s, const Ints& dims, const Ints& offsets, int n)
{
    const test::Comm comm = test::neighborhood(dims, {1, 1}, offsets, s.full,
                                               test::Info{{"ortho_algorithm", "alltoall_combining"}});
    return alltoall(s, n, n, comm);
}

int allgatherv(Stage& s, int sent)
{
    const int one[] = {1, 1}, places[] = {0, 8};
    return ORTHO_Allgatherv(s.sent, sent, MPI_INT, s.got, one, places, MPI_INT, s.ring);
}

int reduce_scatterv(Stage& s, int sent)
{
    const int counts[] = {1, sent}, places[] = {0, 1};
    return ORTHO_Reduce_scatterv(s.sent, counts, places, s.got, 1, MPI_INT, MPI_SUM, s.ring);
}

void add_sizes(Mistakes& all)
{
    const char* kind = "a block that is too long for its slot";
    const Said too_long{Who::next, MPI_ERR_TRUNCATE, "slot 1"};
    const Ints apart{0, 8};
    ODD("Alltoallv", alltoallv(s, {1, odd ? 4 : 2}, apart, {1, 2}, apart),
        told(Who::next, MPI_ERR_TRUNCATE, "rank 0 sends 16 bytes, and there is room for 8 in slot 1"),
        mismatch("rank 0 sends 4 MPI_INT (16 bytes) in slot 1 to rank"));
    const Said two_for_one = mismatch("rank 0 sends 2 MPI_INT (8 bytes) in slot ");
    ODD("Alltoallw", alltoallw(s, odd ? 2 : 1, 1, false), too_long, two_for_one);
    ODD("Allgatherv", allgatherv(s, odd ? 2 : 1), told(Who::ends, MPI_ERR_TRUNCATE, "room for 4"),
        two_for_one);
    ODD("Reduce_scatterv", reduce_scatterv(s, odd ? 2 : 1), too_long, two_for_one);
    ODD("Gather", ORTHO_Gather(s.sent, odd ? 2 : 1, MPI_INT, s.got, 1, MPI_INT, 1, s.ring), too_long,
        two_for_one);
    ODD("Ialltoallv of 3 for 2", ialltoallv(s, {1, odd ? 3 : 2}, apart, {1, 2}, apart),
        told(Who::next, MPI_ERR_TRUNCATE, "rank 0 sends 12 bytes, and there is room for 8 in slot 1"),
        told(Who::ends, ORTHO_ERR_MISMATCH, "rank 0 sends 3 MPI_INT (12 bytes) in slot 1 to rank"));
    ODD("Alltoallw_init, run", alltoallw(s, odd ? 3 : 2, 2, true),
        told(Who::all, MPI_ERR_TRUNCATE,
             "on 'ring' rank 0 sends 12 bytes in slot 1 to rank 1, which has room for 8 bytes in slot 1"),
        mismatch("ORTHO_Alltoallw_init: on 'ring' rank 0 sends 3 MPI_INT (12 bytes) in slot 1 to rank"));
    for (const int n : {2, 6000, 8000, 100'000}) // of which each size may take another way
        for (const bool to_run : {false, true})
            ODD((to_run ? "persistent, run, of " : "persistent, started, of ") + std::to_string(n),
                persistent(s, odd ? n : 1, 1, to_run),
                told(Who::all, MPI_ERR_TRUNCATE, ", which has room for 4 bytes in slot 1"),
                mismatch("rank 0 sends "));
    ODD("Allgather, all for all", ORTHO_Allgather(s.sent, 2, MPI_INT, s.got, 1, MPI_INT, s.ring),
        told(Who::all, MPI_ERR_TRUNCATE, "room for 4"), mismatch("sends 2 MPI_INT"));
    ODD("to oneself", alltoallv(s, {2, 1}, apart, {1, 1}, apart),
        told(Who::all, MPI_ERR_TRUNCATE,
             "this process sends itself 8 bytes, and there is room for 4 in slot 0"),
        mismatch("sends 2 MPI_INT (8 bytes) in slot 0"));
    ODD("Scatter", ORTHO_Scatter(s.sent, odd ? 3 : 1, MPI_INT, s.got, odd ? 3 : 1, MPI_INT, 0, s.ring),
        too_long, mismatch("rank 0 sends 3 MPI_INT (12 bytes) in slot 1 to rank"));
    ODD("on a grid, where blocks have one size", alltoall(s, 2, 1, s.grid),
        told(Who::all, MPI_ERR_TRUNCATE, " room for "), mismatch("sends 2 MPI_INT (8 bytes) in slot"));
    // Large at both ends (doc/transports.md).
    ODD("large, of a started operation", persistent(s, odd ? 400'000 : 200'000, 200'000, false),
        told(Who::all, MPI_ERR_TRUNCATE,
             "rank 0 sends 1600000 bytes in slot 1 to rank 1, which has room for 800000 bytes in slot 1"),
        mismatch("rank 0 sends 400000 MPI_INT (1600000 bytes) in slot 1 to rank"));
    ODD("of a message of several blocks", combined(s, {s.p, 1}, {1, 0, 1, 1, 0, 1}, odd ? 2 : 1),
        told(Who::next, MPI_ERR_TRUNCATE, "rank 0 sends 16 bytes, and there is room for 8 in slots 0, 1"),
        mismatch(" 2 MPI_INT (8 bytes)"));
    if (test::size() == 4) // two by two
        ODD("of a message with a block for another process",
            combined(s, {2, 2}, {1, 1, 1, 0, 0, 1}, s.me < 2 ? 1 : 2),
            told(Who::ends, MPI_ERR_TRUNCATE,
                 " sends 16 bytes, and there is room for 8 in slot 1, and 1 block for other processes"),
            mismatch(" 2 MPI_INT (8 bytes)"));
    kind = "receive blocks that overlap";
    const char* const overlap = "slots 0 and 1 of recvbuf overlap";
    ODD("Alltoallv", alltoallv(s, {2, 2}, {0, 2}, {2, 2}, {0, odd ? 1 : 2}), nothing,
        told(Who::all, MPI_ERR_BUFFER, overlap));
    ODD("Ialltoallv", ialltoallv(s, {2, 2}, {0, 2}, {2, 2}, {0, odd ? 1 : 2}), nothing,
        told(Who::near, MPI_ERR_BUFFER, overlap));
    add(all, kind, "blocks that lie in each other's holes, and do not", nothing, nothing, [](Stage& s, bool) {
        test::Type type = test::strided_ints(2, 1, 2, 2);
        const MPI_Datatype types[] = {type, type};
        const int counts[] = {1, 1};
        const MPI_Aint places[] = {0, sizeof(int)};
        const int code = ORTHO_Alltoallw(s.sent, counts, places, types, s.got, counts, places, types, s.ring);
        CHECK(Ints(s.to.begin(), s.to.begin() + 5) == (Ints{s.me, s.left, s.me, s.left, -1}));
        return code;
    });
    kind = "a block that is too short for its slot";
    ODD("Alltoallv", alltoallv(s, {1, odd ? 1 : 2}, apart, {1, 2}, apart), nothing,
        mismatch("rank 0 sends 1 MPI_INT (4 bytes) in slot 1 to rank"));
    ODD("Ialltoall", ialltoall(s, 1, 2), nothing, mismatch("sends 1 MPI_INT (4 bytes) in slot"));
    for (const int n : {2, 8000, 100'000})
        ODD("persistent, for " + std::to_string(n), persistent(s, odd ? 1 : n, n, false),
            mismatch("rank 0 sends 4 bytes in slot 1 to rank 1, which expects "),
            mismatch("rank 0 sends 1 MPI_INT (4 bytes) in slot 1 to rank"));
    kind = "a datatype of the same size";
    ODD("Allgather", ORTHO_Allgather(s.sent, 1, odd ? MPI_FLOAT : MPI_INT, s.got, 1, MPI_INT, s.ring),
        nothing, mismatch("rank 0 sends 1 MPI_FLOAT (4 bytes) in slot"));
    add(all, kind, "Sparse_alltoallv", nothing,
        Said{Who::next, ORTHO_ERR_MISMATCH,
             "an element of recvtype is 1 MPI_INT (4 bytes), and rank 0 has sent elements of other"},
        [](Stage& s, bool odd) {
            ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
            const MPI_Count one = 1;
            const MPI_Aint at_0 = 0;
            CHECK_OK(ORTHO_Sparse_alltoallv(s.sent, 1, &s.right, &one, &at_0, odd ? MPI_FLOAT : MPI_INT,
                                            s.full, MPI_INFO_NULL, &exchange));
            const int code = ORTHO_Sparse_receive(&exchange, s.got, MPI_INT, nullptr, nullptr, nullptr);
            if (code != MPI_SUCCESS) CHECK_OK(ORTHO_Sparse_free(&exchange));
            return code;
        });
    ODD("Bcast", ORTHO_Bcast(s.got, odd ? 4 : 1, odd ? MPI_BYTE : MPI_INT, 0, s.ring), nothing,
        mismatch("rank 0 sends 4 MPI_BYTE (4 bytes) in slot 1 to rank"));
}

void add_calls(Mistakes& all)
{
    const char* kind = "another call";
    ODD("Allgather and Alltoall",
        (odd ? ORTHO_Allgather : ORTHO_Alltoall)(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.ring), nothing,
        mismatch(" in ORTHO_Allgather"));
    ODD("Barrier and Alltoall", odd ? ORTHO_Barrier(s.ring) : alltoall(s, 1, 1, s.ring),
        told(Who::first, MPI_ERR_TRUNCATE, "sends 4 bytes, and there is room for 0 in slot 1"),
        mismatch(" in ORTHO_Barrier"));
    add(all, kind, "Alltoall_init and Alltoall", for_ever, mismatch(" in ORTHO_Alltoall_init"),
        [](Stage& s, bool odd) {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            if (!odd) return alltoall(s, 1, 1, s.ring);
            return run(
                ORTHO_Alltoall_init(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.ring, MPI_INFO_NULL, &request),
                request);
        });
    ODD("Allgather_init and Alltoall_init",
        (odd ? ORTHO_Allgather_init : ORTHO_Alltoall_init)(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, s.ring,
                                                           MPI_INFO_NULL, &s.request),
        mismatch("rank 0 is in ORTHO_Allgather_init, and rank 1 in ORTHO_Alltoall_init"),
        mismatch(" in ORTHO_Allgather_init"));
    add(all, kind, "Comm_split and Index_map_create", ORTHO_ERR_MISMATCH,
        "rank 0 is in ORTHO_Comm_split, and rank 1 in ORTHO_Index_map_create", [](Stage& s) {
            MPI_Comm part = MPI_COMM_NULL;
            ORTHO_Index_map map = ORTHO_INDEX_MAP_NULL;
            if (s.me == 0) return ORTHO_Comm_split(s.full, 0, 0, &part);
            return ORTHO_Index_map_create(0, 0, nullptr, nullptr, s.full, MPI_INFO_NULL, &map);
        });
    add(all, kind, "Dist_graph_create_adjacent and Dist_graph_create", ORTHO_ERR_MISMATCH,
        "rank 0 is in ORTHO_Dist_graph_create_adjacent, and rank 1 in ORTHO_Dist_graph_create:",
        [](Stage& s) {
            MPI_Comm graph = MPI_COMM_NULL;
            if (s.me == 0)
                return ORTHO_Dist_graph_create_adjacent(s.full, 1, &s.left, MPI_UNWEIGHTED, 1, &s.right,
                                                        MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
            const int one = 1;
            return ORTHO_Dist_graph_create(s.full, 1, &s.me, &one, &s.right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                           &graph);
        });
    kind = "another root";
    ODD("Bcast", ORTHO_Bcast(s.got, 1, MPI_INT, odd ? 1 : 0, s.ring), for_ever, mismatch("root = 1"));
    ODD("Gather", ORTHO_Gather(s.sent, 1, MPI_INT, s.got, 1, MPI_INT, odd ? 1 : 0, s.ring), for_ever,
        mismatch("root = 1"));
    ODD("Bcast_init",
        run(ORTHO_Bcast_init(s.got, 1, MPI_INT, odd ? 1 : 0, s.ring, MPI_INFO_NULL, &s.request), s.request),
        mismatch(test::size() == 2 ? "no block" : "which expects 4 bytes in slot 1"), mismatch("root = 1"));
    kind = "another operator";
    ODD("Allreduce", ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, odd ? MPI_MAX : MPI_SUM, s.ring), nothing,
        mismatch("MPI_MAX"));
    ODD("Reduce_init",
        run(ORTHO_Reduce_init(s.sent, s.got, 1, MPI_INT, odd ? MPI_MIN : MPI_SUM, 0, s.ring, MPI_INFO_NULL,
                              &s.request),
            s.request),
        nothing, mismatch("MPI_MIN"));
    kind = "MPI_IN_PLACE on some processes";
    ODD("Allreduce",
        ORTHO_Allreduce(odd ? MPI_IN_PLACE : static_cast<void*>(s.sent), s.got, 1, MPI_INT, MPI_SUM, s.ring),
        nothing, mismatch("MPI_IN_PLACE"));
    kind = "another count of a reduction";
    ODD("Allreduce", ORTHO_Allreduce(s.sent, s.got, odd ? 2 : 1, MPI_INT, MPI_SUM, s.ring),
        told(Who::next, MPI_ERR_TRUNCATE, "rank 0 sends 8 bytes, and there is room for 4 in slot 1"),
        mismatch(" MPI_INT ("));
    ODD("Reduce_scatter_block",
        ORTHO_Reduce_scatter_block(s.sent, s.got, odd ? 2 : 1, MPI_INT, MPI_SUM, s.ring),
        told(Who::next, MPI_ERR_TRUNCATE, "rank 0 sends 8 bytes, and there is room for 4 in slot 1"),
        mismatch(" MPI_INT ("));
    kind = "an argument that is wrong on one process";
    ODD("a negative count", alltoall(s, odd ? -1 : 1, 1, s.ring), for_ever,
        told(Who::all, MPI_ERR_COUNT, "sendcount = -1 is negative"));
    ODD("a null pointer", ORTHO_Allreduce(odd ? nullptr : s.sent, s.got, 1, MPI_INT, MPI_SUM, s.ring),
        for_ever, told(Who::all, MPI_ERR_BUFFER, "sendbuf is a null pointer"));
    ODD("a root that is no rank", ORTHO_Bcast(s.got, 1, MPI_INT, odd ? -1 : 0, s.ring), for_ever,
        told(Who::all, MPI_ERR_ROOT, "root = -1 is no rank"));
    ODD("an operator that is none",
        ORTHO_Allreduce(s.sent, s.got, 1, MPI_INT, odd ? MPI_OP_NULL : MPI_SUM, s.ring), for_ever,
        told(Who::all, MPI_ERR_OP, "op is MPI_OP_NULL"));
    const char* const not_committed = "the datatype of what is sent has not been committed";
    ODD("a type that is not committed", uncommitted(s, odd, true), for_ever,
        told(Who::all, MPI_ERR_TYPE, not_committed));
    ODD("a negative count of a non-blocking call", ialltoall(s, odd ? -1 : 1, 1), for_ever,
        told(Who::near, MPI_ERR_COUNT, "sendcount = -1 is negative"));
    ODD("a type of a non-blocking call that is not committed", uncommitted(s, odd, false), for_ever,
        told(Who::near, MPI_ERR_TYPE, not_committed));
    ODD("no request for a non-blocking call",
        finish(ORTHO_Ibarrier(s.ring, odd ? nullptr : &s.request), s.request), for_ever,
        told(Who::near, MPI_ERR_ARG, "request is a null pointer"));
    ODD("of an _init call",
        run(ORTHO_Alltoall_init(s.sent, odd ? -1 : 1, MPI_INT, s.got, 1, MPI_INT, s.ring, MPI_INFO_NULL,
                                &s.request),
            s.request),
        told(Who::all, MPI_ERR_COUNT, "sendcount = -1 is negative"),
        told(Who::all, MPI_ERR_COUNT, "sendcount = -1 is negative"));
}

void add_orders(Mistakes& all)
{
    add(all, "persistent requests started in another order", "two Alltoall_init", nothing, nothing,
        [](Stage& s, bool odd) {
            ORTHO_Request requests[] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
            for (const int i : {0, 1})
                CHECK_OK(ORTHO_Alltoall_init(s.sent, 1, MPI_INT, s.got + 2 * i, 1, MPI_INT, s.ring,
                                             MPI_INFO_NULL, &requests[i]));
            for (const int i : {0, 1}) CHECK_OK(ORTHO_Start(&requests[odd ? 1 - i : i]));
            const int code = ORTHO_Waitall(2, requests, MPI_STATUSES_IGNORE);
            for (const int i : {1, 3}) CHECK_EQ(s.got[i], s.left);
            for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
            return code;
        });
    add(all, "a communicator that is none, or of another topology", "a grid between two groups", MPI_ERR_COMM,
        "inter-communicator", [](Stage& s) {
            test::Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
            MPI_Comm_split(s.full, s.me == 0 ? 0 : 1, s.me, &half);
            MPI_Intercomm_create(half, 0, s.full, s.me == 0 ? 1 : 0, 0, &inter);
            MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
            const int one = 1;
            int size = 0;
            return ORTHO_Cart_name(inter, 1, ORTHO_ROWMAJOR, &one, &one, &size);
        });
}

/// Creates a graph in which rank 0 lists something else than the others, and uses it.
int create(Stage& s, int indegree, int outdegree, int weight)
{
    const int sources[] = {s.left, s.left}, targets[] = {s.right, s.right}, in[] = {weight, weight};
    const int out[] = {1, 1};
    MPI_Comm comm = MPI_COMM_NULL;
    const int code = ORTHO_Dist_graph_create_adjacent(s.full, indegree, sources, in, outdegree, targets, out,
                                                      MPI_INFO_NULL, 0, &comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
    return code;
}

void add_lists(Mistakes& all)
{
    const char* kind = "an edge that is in the list of one end alone";
    ODD("listed twice", create(s, 1, odd ? 2 : 1, 1), nothing,
        mismatch(
            "ORTHO_Dist_graph_create_adjacent: on 'all' rank 0 lists rank 1 as a destination 2 times, which "
            "lists rank 0 as a source once"));
    ODD("not listed", create(s, 1, odd ? 0 : 1, 1), nothing, mismatch("as a "));
    kind = "an edge whose ends have other weights";
    ODD("weights", create(s, 1, 1, odd ? 7 : 1), nothing,
        mismatch(" to rank 0 weighs 1 at its source and 7 at its destination"));
    kind = "another grid, or list of offsets";
    const auto neighborhood = [](Stage& s, int offset, int number) {
        const int periodic = 1, offsets[] = {offset, 2};
        MPI_Comm comm = MPI_COMM_NULL;
        return ORTHO_Cart_neighborhood_create(s.full, 1, &s.p, &periodic, number, offsets, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &comm);
    };
    ALWAYS("offsets", neighborhood(s, s.me == 0 ? 2 : 1, 1), ORTHO_ERR_MISMATCH, "targetrelative");
    ALWAYS("number of offsets", neighborhood(s, 1, s.me == 0 ? 2 : 1), ORTHO_ERR_MISMATCH,
           ": t is not the same on all processes: ");
    add(all, kind, "number of dimensions", ORTHO_ERR_MISMATCH,
        ": d is not the same on all processes: ", [](Stage& s) {
            const int sizes[] = {s.p, 1}, periods[] = {1, 1};
            MPI_Comm comm = MPI_COMM_NULL;
            return ORTHO_Nodecart_create(s.full, s.me == 0 ? 2 : 1, sizes, periods, 0, &comm);
        });
    add(all, kind, "names", nothing, mismatch(" (periodic), and rank 0 has a grid of "),
        [](Stage& s, bool odd) {
            const int sizes[] = {s.p, 1}, periods[] = {odd ? 0 : 1, 1};
            int size = 0;
            test::Comm named = test::duplicate(s.full);
            CHECK_OK(ORTHO_Cart_name(named, 2, ORTHO_ROWMAJOR, sizes, periods, &size));
            MPI_Comm comm = MPI_COMM_NULL;
            const int code = ORTHO_Dist_graph_create_adjacent(named, 1, &s.left, MPI_UNWEIGHTED, 1, &s.right,
                                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
            if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
            return code;
        });
}

} // namespace

void add_odd(Mistakes& all)
{
    add_sizes(all);
    add_calls(all);
    add_orders(all);
    add_lists(all);
}

} // namespace test
