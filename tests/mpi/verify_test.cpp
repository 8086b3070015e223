// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_VERIFY: calls that do not fit are errors that say who says what, and change nothing where calls wait.
// With an argument: a process that comes late, for tests/scripts/verify.sh.
#include <chrono>
#include <thread>

namespace {

int p = 0;
int me = 0;
int left = 0;
int right = 0;

bool says(const std::string& words) { return message().find(words) != std::string::npos; }
#define CHECK_SAYS(words)                                                                                    \
    do {                                                                                                     \
        if (!says(words)) test::fail(__FILE__, __LINE__, message() + " does not say " + (words));            \
    } while (0)

/// One edge to a process, one from another.
MPI_Comm with_edges(int source, int target, const char* name)
{
    test::Comm base = test::duplicate();
    test::return_errors(base);
    MPI_Comm comm = test::adjacent({source}, {target}, base);
    test::return_errors(comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

/// One edge to the right, one from the left.
MPI_Comm ring() { return with_edges(left, right, "halo"); }

/// The communicator is as good as before.
void check_usable(MPI_Comm comm)
{
    const int sent = 100 + me;
    int received = -1;
    CHECK_OK(ORTHO_Alltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm));
    CHECK_EQ(received, 100 + left);
    received = -1;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Iallgather(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm, &request));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(received, 100 + left);
}

/// Messages are left on the communicator: whoever knows that refuses calls, and the others are told.
void check_spoilt(MPI_Comm comm, bool knows)
{
    const std::string words = "comm has messages of an earlier call that did not fit, and can only be freed";
    const int sent = me;
    int received = -1;
    for (int repeat = 0; repeat < 2; ++repeat)
        refused(ORTHO_Alltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm), ORTHO_ERR_MISMATCH, words);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    int code = ORTHO_Ialltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm, &request);
    CHECK_EQ(request == ORTHO_REQUEST_NULL, knows);
    if (!knows) code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
    if (knows) CHECK_EQ(error_class(code), ORTHO_ERR_MISMATCH);
    if (knows) CHECK_SAYS(words);
}

// ---- signatures, each sent by every process to itself

/// Rows of these lengths of these types, at some distance.
MPI_Datatype struct_of(std::initializer_list<MPI_Datatype> types, std::initializer_list<int> lengths)
{
    const MPI_Aint places[] = {0, 64, 128};
    return test::committed(MPI_Type_create_struct, static_cast<int>(types.size()), lengths.begin(), places,
                           types.begin());
}

void signatures()
{
    test::Comm comm = test::adjacent({me}, {me});
    test::return_errors(comm);
    std::vector<double> sent(1 << 17), received(1 << 17);
    const auto fits = [&](int sendcount, MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype) {
        const int code = ORTHO_Alltoall(sent.data(), sendcount, sendtype, received.data(), recvcount,
                                        recvtype, comm);
        if (code != MPI_SUCCESS) CHECK_EQ(error_class(code), ORTHO_ERR_MISMATCH);
        return code == MPI_SUCCESS;
    };
    using test::committed;
    const test::Type three(committed(MPI_Type_contiguous, 3, MPI_INT));
    const test::Type spaced(committed(MPI_Type_vector, 3, 2, 5, MPI_INT));
    const int box[] = {4, 5, 2, 3, 1, 1}; // sizes, those of the part, and where it begins
    const test::Type block(
        committed(MPI_Type_create_subarray, 2, box, &box[2], &box[4], MPI_ORDER_C, MPI_INT));
    const int pieces[] = {1, 0, 5, 9, 0, 1}; // lengths and places
    const test::Type indexed(committed(MPI_Type_indexed, 3, pieces, &pieces[3], MPI_INT));
    const test::Type resized(committed(MPI_Type_create_resized, MPI_Datatype(three), 0, 64));
    const test::Type duplicate(committed(MPI_Type_dup, MPI_Datatype(resized)));
    const test::Type nested(struct_of({three, MPI_INT, duplicate}, {0, 3, 1}));
    for (MPI_Datatype type :
         {MPI_Datatype(spaced), MPI_Datatype(block), MPI_Datatype(indexed), MPI_Datatype(nested)}) {
        CHECK(fits(1, type, 6, MPI_INT));
        CHECK(fits(2, three, 1, type));
        CHECK(fits(6, MPI_INT, 1, type));
        CHECK(!fits(6, MPI_FLOAT, 1, type));
        CHECK(!fits(1, type, 5, MPI_INT));
    }
    CHECK(fits(2, resized, 2, duplicate));
    CHECK(fits(0, MPI_INT, 0, MPI_DOUBLE));
    CHECK(!fits(0, MPI_INT, 1, MPI_INT));

    const test::Type int_float(struct_of({MPI_INT, MPI_FLOAT}, {1, 1}));
    const test::Type float_int(struct_of({MPI_FLOAT, MPI_INT}, {1, 1}));
    const test::Type twice(struct_of({MPI_INT, float_int, MPI_FLOAT}, {1, 1, 1}));
    CHECK(fits(2, int_float, 1, twice));
    CHECK(!fits(1, int_float, 1, float_int));
    CHECK(!fits(2, int_float, 2, float_int));
    CHECK(!fits(2, float_int, 1, twice));
    CHECK_SAYS("4 elements of several types (16 bytes, signature ");
    CHECK(fits(1, float_int, 1, MPI_FLOAT_INT));
    CHECK(fits(3, MPI_2INT, 6, MPI_INT));

    CHECK(!fits(4, MPI_BYTE, 1, MPI_INT));
    CHECK(!fits(1, MPI_INT, 1, MPI_UNSIGNED));
    CHECK(fits(4, MPI_PACKED, 1, MPI_INT));
    CHECK(fits(1, MPI_DOUBLE, 8, MPI_PACKED));
    CHECK(!fits(8, MPI_PACKED, 1, MPI_INT));

    // Kinds and sizes count, not names: of a predefined type that this process calls otherwise, too.
    MPI_Datatype of_size = MPI_DATATYPE_NULL;
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &of_size);
    for (MPI_Datatype type : {MPI_LONG_LONG, MPI_INT64_T, MPI_AINT, of_size})
        CHECK(fits(1, MPI_LONG, 1, type));
    CHECK(!fits(1, MPI_LONG, 1, MPI_UINT64_T));
    CHECK(fits(2, MPI_UINT64_T, 2, MPI_UNSIGNED_LONG));
    CHECK(fits(1, MPI_INT, 1, MPI_INTEGER) && fits(1, MPI_FLOAT, 1, MPI_REAL));
    CHECK(fits(1, MPI_2INTEGER, 2, MPI_INT) && fits(1, MPI_C_DOUBLE_COMPLEX, 1, MPI_DOUBLE_COMPLEX));
    CHECK(!fits(1, MPI_DOUBLE, 1, MPI_LONG) && !fits(1, MPI_DOUBLE, 1, MPI_C_FLOAT_COMPLEX));
    CHECK(!fits(1, MPI_CHAR, 1, MPI_SIGNED_CHAR) && !fits(1, MPI_C_BOOL, 1, MPI_BYTE));
    const test::Type a_double(committed(MPI_Type_dup, MPI_DOUBLE));
    CHECK(fits(1, a_double, 1, MPI_DOUBLE_PRECISION));
    MPI_Datatype kind = MPI_DATATYPE_NULL; // of an MPI with Fortran
    if (MPI_Type_create_f90_real(15, MPI_UNDEFINED, &kind) == MPI_SUCCESS && kind != MPI_DATATYPE_NULL)
        CHECK(fits(1, kind, 1, MPI_DOUBLE) && !fits(1, kind, 1, MPI_LONG));

    // Many: by squaring, not one by one.
    const test::Type many(committed(MPI_Type_contiguous, 1 << 16, MPI_INT));
    CHECK(fits(3, many, 3 << 16, MPI_INT));
    CHECK(!fits(3, many, (3 << 16) - 1, MPI_INT));
}

/// MPI_Type_set_name on one process changes no type.
void a_name()
{
    test::Comm comm = ring();
    if (me == 0) MPI_Type_set_name(MPI_DOUBLE, "real");
    const double sent = me;
    double received = -1;
    CHECK_OK(ORTHO_Alltoall(&sent, 1, MPI_DOUBLE, &received, 1, MPI_DOUBLE, comm));
    CHECK_EQ(received, left);
    if (me == 0) MPI_Type_set_name(MPI_DOUBLE, "MPI_DOUBLE");
}

// ---- calls that differ; between neighbors: mistakes_odd.cpp

/// Each process has an edge to itself alone: those whose calls differ are no neighbors.
void strangers()
{
    test::Comm comm = with_edges(me, me, "islands");
    std::vector<int> from(10, me), to(10, -1);
    const int one = 1, none = 0;
    const auto refused = [&](auto call, const std::string& words) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        std::ranges::fill(to, -1);
        const int code = call(me == p - 1, &request);
        CHECK_EQ(error_class(code), p > 1 ? ORTHO_ERR_MISMATCH : MPI_SUCCESS);
        if (p > 1) CHECK_SAYS("on 'islands' rank 0 " + words);
        if (p > 1) CHECK_EQ(to[0], -1);
        if (request != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Request_free(&request));
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm)); // as good as before
        CHECK_EQ(to[0], me);
    };
    const std::string last = ", and rank " + std::to_string(p - 1);
#define REFUSED_OF_STRANGERS(call, words)                                                                    \
    refused([&]([[maybe_unused]] bool odd, [[maybe_unused]] ORTHO_Request* request) { return call; }, words)
    REFUSED_OF_STRANGERS(
        odd ? ORTHO_Allreduce_init(from.data(), to.data(), 7, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request)
            : ORTHO_Alltoallv_init(from.data(), &one, &none, MPI_INT, to.data(), &one, &none, MPI_INT, comm,
                                   MPI_INFO_NULL, request),
        "is in ORTHO_Alltoallv_init" + last + " in ORTHO_Allreduce_init");
    REFUSED_OF_STRANGERS(odd ? ORTHO_Barrier(comm)
                             : ORTHO_Allgather(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm),
                         "is in ORTHO_Allgather" + last + " in ORTHO_Barrier");
    REFUSED_OF_STRANGERS(ORTHO_Gather_init(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, odd ? 0 : p - 1,
                                           comm, MPI_INFO_NULL, request),
                         "gives root = " + std::to_string(p - 1) + last + " root = 0");
    REFUSED_OF_STRANGERS(ORTHO_Allreduce_init(from.data(), to.data(), 1, MPI_INT, odd ? MPI_MAX : MPI_SUM,
                                              comm, MPI_INFO_NULL, request),
                         "reduces with MPI_SUM" + last + " with MPI_MAX");
    // Counts may differ, since nothing goes from one to the other.
    CHECK_OK(ORTHO_Alltoall(from.data(), 1 + me % 3, MPI_INT, to.data(), 1 + me % 3, MPI_INT, comm));
}

/// A user's operator cannot be compared, but whether it commutes.
extern "C" void add(void* in, void* inout, int* n, MPI_Datatype*)
{
    for (int i = 0; i < *n; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void own_operators()
{
    test::Comm comm = ring();
    test::Op one, other;
    MPI_Op_create(add, 1, &one);
    MPI_Op_create(add, 0, &other);
    const int sent = me;
    int received = -1;
    CHECK_OK(ORTHO_Allreduce(&sent, &received, 1, MPI_INT, one, comm));
    CHECK_EQ(received, left);
    received = -1;
    const int code = ORTHO_Allreduce(&sent, &received, 1, MPI_INT, me == 0 ? other : one, comm);
    CHECK_EQ(error_class(code), p > 1 ? ORTHO_ERR_MISMATCH : MPI_SUCCESS);
    if (p > 1) CHECK_SAYS("a non-commutative operator of its own");
    if (p > 1) CHECK_EQ(received, -1);
}

// ---- non-blocking calls; persistent ones: mistakes_odd.cpp

/// Two ends of an edge that do not fit are told; whoever has no part in it has its blocks.
void nonblocking(int count)
{
    const Ints sent(at(2 * count), me);
    const Ints untouched(at(2 * count), -1);
    for (const int odd : {2 * count, 1}) {
        test::Comm comm = ring();
        Ints received = untouched;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(sent.data(), me == 0 ? odd : count, MPI_INT, received.data(), count, MPI_INT,
                                 comm, &request));
        const int code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        if (me == 0 || me == 1 % p) {
            refused(code, ORTHO_ERR_MISMATCH,
                    "ORTHO_Wait: on 'halo' rank 0 sends " + std::to_string(odd) + " MPI_INT (");
        } else {
            CHECK_OK(code);
            CHECK_EQ(std::ranges::count(received, left), count);
        }
        CHECK(request == ORTHO_REQUEST_NULL);
        check_spoilt(comm, me == 0 || me == 1 % p);
    }
    if (p == 1) return;

    // In another call, for which no messages are sent, nor waited for; several under way at a time.
    test::Comm comm = ring();
    ORTHO_Request requests[3] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
    std::vector<Ints> received(3, untouched);
    for (int i = 0; i < 3; ++i) {
        int* const room = received[at(i)].data();
        if (i == 1 && me == 0)
            CHECK_OK(ORTHO_Ibcast(room, count, MPI_INT, 1, comm, &requests[i]));
        else
            CHECK_OK(ORTHO_Ialltoall(sent.data(), count, MPI_INT, room, count, MPI_INT, comm, &requests[i]));
    }
    for (int i = 0; i < 3; ++i) {
        const int code = ORTHO_Wait(&requests[i], MPI_STATUS_IGNORE);
        if (i == 1 && (me == 0 || me == 1 || me == p - 1)) {
            refused(code, ORTHO_ERR_MISMATCH, "ORTHO_Ibcast");
            CHECK_SAYS("ORTHO_Ialltoall");
        } else {
            CHECK_OK(code);
            CHECK_EQ(std::ranges::count(received[at(i)], left), count);
        }
    }
}

/// A call that one process refuses by itself: its neighbors are told in the calls that complete theirs.
void refused_nonblocking(int count)
{
    test::Comm comm = ring();
    const Ints sent(at(count), me);
    Ints received(at(count), -1);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    int code = ORTHO_Ialltoall(sent.data(), me == 0 ? -1 : count, MPI_INT, received.data(), count, MPI_INT,
                               comm, &request);
    CHECK_EQ(error_class(code), me == 0 ? MPI_ERR_COUNT : MPI_SUCCESS);
    if (me != 0) code = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
    const bool is_told = me == 0 || me == 1 % p || me == p - 1;
    CHECK_EQ(error_class(code), is_told ? MPI_ERR_COUNT : MPI_SUCCESS);
    if (is_told) CHECK_SAYS("sendcount = -1 is negative");
    if (!is_told) CHECK_EQ(std::ranges::count(received, left), count);
    check_spoilt(comm, is_told);
}

/// One waits for all, the other for nobody: both are told.
void mixed_forms(int count)
{
    if (p != 2) return; // a third process would wait for all, too
    test::Comm comm = ring();
    const Ints sent(at(count), me);
    Ints received(at(count), -1);
    if (me == 1) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(
            ORTHO_Ialltoall(sent.data(), count, MPI_INT, received.data(), count, MPI_INT, comm, &request));
        refused(ORTHO_Wait(&request, MPI_STATUS_IGNORE), ORTHO_ERR_MISMATCH,
                "rank 1 is in ORTHO_Ialltoall, and rank 0 in ORTHO_Alltoall");
    } else {
        const int code = ORTHO_Alltoall(sent.data(), count, MPI_INT, received.data(), count, MPI_INT, comm);
        refused(code, ORTHO_ERR_MISMATCH, "rank 0 is in ORTHO_Alltoall, and rank 1 in ORTHO_Ialltoall");
    }
    CHECK_EQ(std::ranges::count(received, -1), count);
    check_spoilt(comm, true);
}

/// Starts and runs are not compared: their order is free, and so are their buffers.
void starts()
{
    test::Comm comm = ring();
    const Ints sent{me, 10 + me};
    Ints received{-1, -1};
    ORTHO_Request requests[2] = {ORTHO_REQUEST_NULL, ORTHO_REQUEST_NULL};
    for (const std::size_t i : {0U, 1U}) requests[i] = test::alltoall_init(&sent[i], &received[i], comm);
    const int first = me == 0 ? 0 : 1;
    CHECK_OK(ORTHO_Start(&requests[first]));
    CHECK_OK(ORTHO_Start(&requests[1 - first]));
    CHECK_OK(ORTHO_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK((received == Ints{left, 10 + left}));
    // One process alone takes another buffer.
    int other = 70;
    if (me == 0) CHECK_OK(ORTHO_Request_rebind(requests[0], &other, &received[0]));
    CHECK_OK(ORTHO_Run(&requests[0], MPI_STATUS_IGNORE));
    CHECK_EQ(received[0], left == 0 ? other : left);
    for (ORTHO_Request& request : requests) CHECK_OK(ORTHO_Request_free(&request));
}

// ---- a halo exchange is a call, too

void halo()
{
    test::Comm comm = test::neighborhood({p}, {1}, {-1, 1});
    test::return_errors(comm);
    MPI_Comm_set_name(comm, "halo");
    int cells[] = {-1, 10 * me, 10 * me + 1, -1};
    void* const field = cells;
    const MPI_Datatype element = MPI_INT;
    const int extents[] = {4}, depth[] = {1};
    test::Request request;
    const auto init = [&](MPI_Op op) {
        return ORTHO_Halo_reduce_init(1, &field, &element, 1, extents, depth, depth, op, comm, MPI_INFO_NULL,
                                      &request);
    };
    if (p > 1) {
        // Before anything else on the graph: nothing of the call is collective but that.
        const int first = me == 0 ? ORTHO_Barrier(comm) : init(MPI_SUM);
        CHECK_EQ(error_class(first), ORTHO_ERR_MISMATCH);
        refused(init(me == 0 ? MPI_MAX : MPI_SUM), ORTHO_ERR_MISMATCH, "MPI_MAX");
        const int code = me == 0 ? ORTHO_Barrier(comm) : init(MPI_SUM);
        refused(code, ORTHO_ERR_MISMATCH, "ORTHO_Barrier");
    }
    // Elements of one size: they are compared by their basic types, however they are made.
    const test::Type pair(test::committed(MPI_Type_contiguous, 2, MPI_INT));
    const struct {
        MPI_Datatype on_rank_0, elsewhere;
        const char* words; ///< null: they are the same
    } elements[] = {{MPI_LONG_LONG, MPI_DOUBLE, "is 1 MPI_DOUBLE (8 bytes), and on rank 0 1 MPI_LONG_LONG"},
                    {MPI_INT, MPI_FLOAT, "elements[0] is 1 MPI_FLOAT (4 bytes), and on rank 0 1 MPI_INT"},
                    {MPI_DOUBLE, pair, "elements[0] is 2 MPI_INT (8 bytes), and on rank 0 1 MPI_DOUBLE"},
                    {MPI_2INT, pair, nullptr}};
    for (const auto& [on_rank_0, elsewhere, words] : elements) {
        double numbers[4] = {};
        void* const array = numbers;
        const MPI_Datatype type = me == 0 ? on_rank_0 : elsewhere;
        for (const bool reduces : {false, true}) {
            if (reduces && (type == pair || type == MPI_2INT || elsewhere == pair)) continue;
            const int code = reduces ? ORTHO_Halo_reduce_init(1, &array, &type, 1, extents, depth, depth,
                                                              MPI_SUM, comm, MPI_INFO_NULL, &request)
                                     : ORTHO_Halo_init(1, &array, &type, 1, extents, depth, depth, comm,
                                                       MPI_INFO_NULL, &request);
            const bool fits = words == nullptr || p == 1;
            CHECK_EQ(error_class(code), fits ? MPI_SUCCESS : ORTHO_ERR_MISMATCH);
            if (!fits) CHECK_SAYS(words);
            if (code == MPI_SUCCESS) CHECK_OK(ORTHO_Request_free(&request));
        }
    }
    CHECK_OK(ORTHO_Halo_init(1, &field, &element, 1, extents, depth, depth, comm, MPI_INFO_NULL, &request));
    CHECK_OK(test::start_and_wait(&request));
    CHECK_EQ(cells[0], 10 * left + 1);
    CHECK_EQ(cells[3], 10 * right);
}

// ---- graphs

void lists()
{
    test::Comm base = test::duplicate();
    test::return_errors(base);
    MPI_Comm_set_name(base, "base");
    test::Comm comm;
    const std::string words = "rank 0 lists rank " + std::to_string(1 % p) +
                              " as a destination 2 times, which lists rank 0 as a source once";
    // In what order equal edges have their weights does not matter.  Graphs of ours: mistakes_odd.cpp.
    test::Comm weighted = test::adjacent({{left, left}, {5, 3}, {right, right}, {3, 5}}, true, base);

    // A graph of MPI's making, when it is first used.
    comm = test::adjacent_by_mpi({{left}, {}, Ints(me == 0 ? 2 : 1, right), {}}, false, base);
    test::return_errors(comm);
    MPI_Comm_set_name(comm, "theirs");
    for (int repeat = 0; repeat < 2; ++repeat)
        refused(ORTHO_Barrier(comm), ORTHO_ERR_MISMATCH, "ORTHO_Barrier: on 'theirs' " + words);
    MPI_Comm_free(&comm);

    // One that is right is verified like our own.
    comm = test::one_way_ring();
    test::return_errors(comm);
    check_usable(comm);
    const int sent[] = {1, 2};
    int received = -1;
    FAILS(ORTHO_Alltoall(sent, me == 0 ? 2 : 1, MPI_INT, &received, 1, MPI_INT, comm), ORTHO_ERR_MISMATCH);
}

void names()
{
    test::Comm base = test::duplicate();
    test::return_errors(base);
    const int extents[] = {1, p}, periodic[] = {1, 1};
    int size = 0;
    // Names that differ: mistakes_odd.cpp.
    if (me != p - 1) CHECK_OK(ORTHO_Cart_name(base, 2, ORTHO_ROWMAJOR, extents, periodic, &size));
    if (p > 1) {
        const int one = 1;
        MPI_Comm comm = MPI_COMM_NULL;
        refused(ORTHO_Dist_graph_create(base, 1, &me, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
                ORTHO_ERR_MISMATCH,
                "rank " + std::to_string(p - 1) + " has no name, and rank 0 has a grid of");
    }
    CHECK_OK(ORTHO_Cart_name(base, 2, ORTHO_ROWMAJOR, extents, periodic, &size));
    const test::Comm comm = test::adjacent({left}, {right}, base);
    CHECK_EQ(test::isomorphic(comm), 1);
}

/// Values that are neither true nor false, nor a number of seconds, are told; the other processes'
/// environments are not read.
void environment()
{
    struct Row {
        const char* variable;
        const char* value;
        bool is_right;
    };
    for (const Row& row :
         {Row{"ORTHO_VERIFY", "2", false}, Row{"ORTHO_VERIFY", "Yes", true}, Row{"ORTHO_VERIFY", "off", true},
          Row{"ORTHO_VERIFY", "1", true}, Row{"ORTHO_STALL_S", "0", true}, Row{"ORTHO_STALL_S", "-1", false},
          Row{"ORTHO_STALL_ABORT", "maybe", false}, Row{"ORTHO_STALL_S", "1.5", false},
          Row{"ORTHO_STALL_S", "600", true}}) {
        for (const int where : {0, p - 1}) {
            if (me == where) setenv(row.variable, row.value, 1);
            const int code = test::try_graph();
            CHECK_EQ(error_class(code), row.is_right || where != 0 ? MPI_SUCCESS : MPI_ERR_INFO_VALUE);
            if (code != MPI_SUCCESS) CHECK_SAYS(std::string(row.variable) + " = '" + row.value + "' is ");
            if (me == where) setenv(row.variable, row.variable == std::string("ORTHO_VERIFY") ? "1" : "", 1);
        }
    }
}

// ---- rank 1 comes late, or never, or does something else

void come_late(const std::string& form)
{
    test::Comm comm = ring();
    if (form == "create") {
        if (me == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
        const test::Comm graph = test::adjacent({}, {});
        return;
    }
    const int sent = me;
    int received = -1;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    if (form == "persistent" || form == "mixed") request = test::alltoall_init(&sent, &received, comm);
    // the first call has more to wait for
    CHECK_OK(ORTHO_Alltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm));
    MPI_Barrier(MPI_COMM_WORLD);
    if (form == "mixed") { // one is run, the other started: nothing meets
        if (me == 0)
            ORTHO_Run(&request, MPI_STATUS_IGNORE);
        else
            ORTHO_Start(&request), ORTHO_Wait(&request, MPI_STATUS_IGNORE);
        std::puts("over");
        return;
    }
    if (me == 1 && form == "never") std::this_thread::sleep_for(std::chrono::seconds(600));
    if (me == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
    if (form == "init") {
        const int one = 1, none = 0;
        CHECK_OK(ORTHO_Alltoallv_init(&sent, &one, &none, MPI_INT, &received, &one, &none, MPI_INT, comm,
                                      MPI_INFO_NULL, &request));
        CHECK_OK(ORTHO_Request_free(&request));
        return;
    }
    if (form == "blocking" || form == "never")
        CHECK_OK(ORTHO_Alltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm));
    else if (form == "nonblocking")
        CHECK_OK(ORTHO_Ialltoall(&sent, 1, MPI_INT, &received, 1, MPI_INT, comm, &request));
    else
        CHECK_OK(ORTHO_Start(&request));
    if (request != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Waitall(1, &request, MPI_STATUSES_IGNORE));
    CHECK_EQ(received, left);
    if (request != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Request_free(&request));
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    p = test::size();
    me = test::rank();
    left = test::left();
    right = test::right();
    if (argc > 1) return come_late(argv[1]);
    setenv("ORTHO_VERIFY", "1", 1);
    for (const auto part : {signatures, a_name, own_operators, strangers, starts}) part();
    nonblocking(2);
    nonblocking(1 << 18); // no message of which goes before it is wanted
    refused_nonblocking(1);
    refused_nonblocking(1 << 18);
    mixed_forms(1);
    mixed_forms(1 << 18);
    for (const auto part : {halo, lists, names, environment}) part();
}
