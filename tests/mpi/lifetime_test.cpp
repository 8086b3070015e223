// SPDX-License-Identifier: BSD-3-Clause
// Objects that are kept between calls, and for how long: communicators that come and go, attributes of
// datatypes, messages of the user's that are none of ours, graphs that MPI made, before a call attaches them.
// replay_test has calls that come again with others.

namespace {

using test::blocks;
using test::expected;
using test::left;
using test::right;
using test::ring;

/// Peers' M1, N6: communicators that reuse handles, more of them than MPI has contexts for.
void communicators_come_and_go()
{
    const int many = test::is_mpich() ? 2500 : 5000;
    const int usual = test::size() <= 2 ? many : test::is_mpich() ? 100 : 300;
    const int n = test::given("ORTHO_TEST_COMMUNICATORS", test::times(usual));
    for (int i = 0; i < n; ++i) {
        test::Comm comm = ring();
        const Ints from = blocks(i);
        Ints to(3, -1);
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm));
        CHECK(to == expected(i));
        if (i % 10 == 0) { // a plain duplicate, used and not used
            test::Comm dup = test::duplicate(comm);
            if (i % 20 == 0) {
                to.assign(3, -1);
                CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, dup));
                CHECK(to == expected(i));
            }
        }
    }
}

/// Peers' T19, O16, L6: no message of ours on the user's communicators, and none of theirs to us.
void wildcard_receives_stay_pending()
{
    test::Comm comm = ring();
    int buffers[3] = {-1, -1, -1};
    MPI_Request requests[3];
    MPI_Irecv(&buffers[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Irecv(&buffers[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&buffers[2], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[2]);
    const Ints from = blocks(5);
    for (int i = 0; i < 3; ++i) {
        Ints to(3, -1);
        CHECK_OK(ORTHO_Barrier(comm));
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm));
        CHECK(to == expected(5));
        int value = test::rank() == 0 ? 9 : 0;
        CHECK_OK(ORTHO_Bcast(&value, 1, MPI_INT, 0, comm)); // the root has a self-edge: peers' O13
        int sum = 0;
        CHECK_OK(ORTHO_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm));
    }
    int flag = -1;
    MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK_EQ(flag, 0);
    // The user's own messages arrive where they are meant to.
    const int mine = 7000 + test::rank();
    MPI_Request sent[3];
    MPI_Isend(&mine, 1, MPI_INT, right(), 5, comm, &sent[0]);
    MPI_Isend(&mine, 1, MPI_INT, right(), 5, MPI_COMM_WORLD, &sent[1]);
    MPI_Isend(&mine, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &sent[2]);
    MPI_Waitall(3, sent, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK_EQ(buffers[0], 7000 + left());
    CHECK_EQ(buffers[1], 7000 + left());
    CHECK_EQ(buffers[2], mine);
}

/// A root's large self-edge in Bcast is no message to itself (peers' O13).
void large_self_edges()
{
    test::Comm comm = ring();
    const int n = 400'000;
    Ints value(at(n), test::rank() == 0 ? 3 : -1);
    CHECK_OK(ORTHO_Bcast(value.data(), n, MPI_INT, 0, comm));
    const bool reached = test::rank() == 0 || left() == 0 || right() == 0;
    CHECK(std::ranges::all_of(value, [&](int x) { return x == (reached ? 3 : -1); }));
}

/// Displacements beyond 2^31 bytes (peers' T12), in memory that is touched at a few places only.
void far_displacements()
{
    if (test::size() > 2) return;
    test::Comm comm = ring();
    const MPI_Aint far = MPI_Aint{5} << 30;
    char* memory = static_cast<char*>(std::malloc(static_cast<std::size_t>(far) + 64));
    if (memory == nullptr) return;
    const Ints from = blocks(1), ones{1, 1, 1};
    const std::vector<MPI_Datatype> types(3, MPI_INT);
    const MPI_Aint near_displacements[] = {0, 4, 8}, far_displacements[] = {far, far + 16, 0};
    CHECK_OK(ORTHO_Alltoallw(from.data(), ones.data(), near_displacements, types.data(), memory, ones.data(),
                             far_displacements, types.data(), comm));
    const auto at = [&](MPI_Aint displacement) { return *reinterpret_cast<int*>(memory + displacement); };
    CHECK((Ints{at(far), at(far + 16), at(0)} == expected(1)));
    const int far_counts[] = {1, 1, 1};
    const int in_extents[] = {5, 0, 1}; // of a gigabyte each
    MPI_Datatype gigabyte = test::committed(MPI_Type_create_resized, MPI_INT, 0, MPI_Aint{1} << 30);
    CHECK_OK(ORTHO_Alltoallv(from.data(), ones.data(), Ints{0, 1, 2}.data(), MPI_INT, memory, far_counts,
                             in_extents, gigabyte, comm));
    CHECK((Ints{at(far), at(0), at(MPI_Aint{1} << 30)} == expected(1)));
    MPI_Type_free(&gigabyte);
    std::free(memory);
}

int copies = 0, wrong_operands = 0;

/// A program says something of a datatype: its functions count copies, and its operator looks for it.
int count_copy(MPI_Datatype, int, void*, void*, void*, int* flag)
{
    ++copies;
    *flag = 0;
    return MPI_ERR_OTHER;
}
int of_pairs = MPI_KEYVAL_INVALID;
void add_pairs(void* in, void* inout, int* n, MPI_Datatype* type)
{
    void* value = nullptr;
    int found = 0;
    MPI_Type_get_attr(*type, of_pairs, &value, &found);
    if (found == 0) ++wrong_operands;
    for (int i = 0; i < 2 * *n; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

/// No call copies what a program keeps with a datatype, and an operator finds it.
void attributes_of_datatypes()
{
    MPI_Type_create_keyval(count_copy, MPI_TYPE_NULL_DELETE_FN, &of_pairs, nullptr);
    test::Type type = test::committed(MPI_Type_contiguous, 2, MPI_INT);
    MPI_Type_set_attr(type, of_pairs, nullptr);
    test::Op add;
    MPI_Op_create(add_pairs, 1, &add);
    const int me = test::rank(), n = test::size();
    const int sent[] = {me, -me};
    {
        const test::Comm ring = test::ring(), grid = test::neighborhood({n}, {1}, {1, -1});
        for (MPI_Comm const comm : {MPI_Comm{ring}, MPI_COMM_WORLD}) {
            Ints got(static_cast<std::size_t>(std::max(6, 2 * n)), -1);
            const auto check = [&] {
                const std::size_t first = comm == MPI_COMM_WORLD ? 2 * static_cast<std::size_t>(me) : 2;
                CHECK((got[first] == me && got[first + 1] == -me));
                got[first] = got[first + 1] = -1;
            };
            CHECK_OK(ORTHO_Allgather(sent, 1, type, got.data(), 1, type, comm));
            check();
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(ORTHO_Iallgather(sent, 1, type, got.data(), 1, type, comm, &request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            check();
            for (const char* const rebinds : {"false", "true"}) {
                CHECK_OK(ORTHO_Allgather_init(sent, 1, type, got.data(), 1, type, comm,
                                              test::Info{{"ortho_rebind", rebinds}}, &request));
                CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
                check();
                CHECK_OK(ORTHO_Request_free(&request));
            }
            for (int time = 0; time < 2; ++time) {
                int sum[] = {0, 0};
                CHECK_OK(ORTHO_Allreduce(sent, sum, 1, type, add, comm));
                CHECK_EQ(sum[0], -sum[1]);
                CHECK_EQ(sum[0], comm == MPI_COMM_WORLD ? n * (n - 1) / 2 : left() + me + right());
            }
        }
        int cells[] = {-1, -1, me, me, -1, -1};
        test::Request halo = test::row_halo(cells, 3, grid, type);
        CHECK_OK(ORTHO_Run(&halo.handle(), MPI_STATUS_IGNORE));
        CHECK((cells[0] == left() && cells[5] == right()));
    }
    CHECK_EQ(copies, 0);
    CHECK_EQ(wrong_operands, 0);
    MPI_Type_free_keyval(&of_pairs);
}

/// A graph that MPI made, which a call attaches.
MPI_Comm detached_ring()
{
    MPI_Comm comm = test::one_way_ring();
    test::return_errors(comm);
    return comm;
}

/// A call whose number is sent along, and its end.
struct Exchange {
    int sent[2]{}, received[2]{-1, -1};
    ORTHO_Request request = ORTHO_REQUEST_NULL;

    void start(MPI_Comm comm, int number)
    {
        sent[0] = sent[1] = 100 * test::rank() + number;
        received[0] = -1;
        CHECK_OK(ORTHO_Ialltoall(sent, 1, MPI_INT, received, 1, MPI_INT, comm, &request));
    }
    int wait() { return error_class(ORTHO_Wait(&request, MPI_STATUS_IGNORE)); }
    void check(int number)
    {
        CHECK_EQ(wait(), MPI_SUCCESS);
        CHECK_EQ(received[0], 100 * left() + number);
    }
};

/// The same calls come again and again, one at a time and several at once, before the graph is attached, and
/// afterwards.
void detached_calls_come_again()
{
    test::Comm comm = detached_ring();
    Exchange exchanges[3];
    for (int number = 0; number < 60; ++number) {
        if (number == 40) CHECK_OK(ORTHO_Barrier(comm)); // attaches it
        Exchange& one = exchanges[number % 3];
        if (one.request != ORTHO_REQUEST_NULL) one.check(number - 3);
        one.start(comm, number);
        if (number % 7 == 6) one.check(number);
    }
    for (Exchange& one : exchanges) CHECK_EQ(one.wait(), MPI_SUCCESS);
    // The handle is another communicator's by now.
    for (int number = 0; number < 5; ++number) {
        comm = detached_ring();
        exchanges[0].start(comm, number);
        exchanges[0].check(number);
    }
}

/// Rank 0's environment binds all calls, the first one and those that come again.
void detached_calls_are_bound()
{
    if (test::rank() == 0) setenv("ORTHO_ALGORITHM", "alltoall_combining", 1);
    test::Comm comm = detached_ring();
    Exchange exchanges[2];
    for (int number = 0; number < 3; ++number) {
        for (Exchange& one : exchanges) one.start(comm, number);
        for (Exchange& one : exchanges) {
            CHECK_EQ(one.wait(), ORTHO_ERR_ALGORITHM);
            CHECK(message().find("alltoall_combining") != std::string::npos);
        }
    }
    // Calls that it does not name are free.
    const int me = test::rank();
    int received = -1;
    for (int time = 0; time < 3; ++time) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Iallgather(&me, 1, MPI_INT, &received, 1, MPI_INT, comm, &request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(received, left());
    }
    if (test::rank() == 0) unsetenv("ORTHO_ALGORITHM");
}

/// Calls are verified as soon as the graph is attached, also those that were made before.
void detached_calls_are_verified()
{
    if (test::rank() == 0) setenv("ORTHO_VERIFY", "1", 1);
    test::Comm comm = detached_ring();
    Exchange one;
    for (int number = 0; number < 3; ++number) {
        one.start(comm, number);
        one.check(number);
    }
    CHECK_OK(ORTHO_Barrier(comm));
    one.start(comm, 3);
    one.check(3);
    // One process sends two elements to a neighbor that expects one.
    CHECK_OK(ORTHO_Ialltoall(one.sent, test::rank() == 0 ? 2 : 1, MPI_INT, one.received, 1, MPI_INT, comm,
                             &one.request));
    CHECK_EQ(one.wait(), test::rank() == 0 || left() == 0 ? ORTHO_ERR_MISMATCH : MPI_SUCCESS);
    if (test::rank() == 0) unsetenv("ORTHO_VERIFY");
}

} // namespace

TEST_MAIN()
{
    for (const auto part : {attributes_of_datatypes, wildcard_receives_stay_pending, large_self_edges,
                            far_displacements, communicators_come_and_go, detached_calls_come_again,
                            detached_calls_are_bound, detached_calls_are_verified})
        part();
}
