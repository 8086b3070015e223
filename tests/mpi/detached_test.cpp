// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls on graphs that MPI made, before a call attaches them.

namespace {

using test::left;
using test::rank;

MPI_Comm ring()
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
        sent[0] = sent[1] = 100 * rank() + number;
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
void come_again()
{
    test::Comm comm = ring();
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
        comm = ring();
        exchanges[0].start(comm, number);
        exchanges[0].check(number);
    }
}

/// Rank 0's environment binds all calls, the first one and those that come again.
void bound()
{
    if (rank() == 0) setenv("ORTHO_ALGORITHM", "alltoall_combining", 1);
    test::Comm comm = ring();
    Exchange exchanges[2];
    for (int number = 0; number < 3; ++number) {
        for (Exchange& one : exchanges) one.start(comm, number);
        for (Exchange& one : exchanges) {
            CHECK_EQ(one.wait(), ORTHO_ERR_ALGORITHM);
            CHECK(message().find("alltoall_combining") != std::string::npos);
        }
    }
    // Calls that it does not name are free.
    const int me = rank();
    int received = -1;
    for (int time = 0; time < 3; ++time) {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Iallgather(&me, 1, MPI_INT, &received, 1, MPI_INT, comm, &request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_EQ(received, left());
    }
    if (rank() == 0) unsetenv("ORTHO_ALGORITHM");
}

/// Calls are verified as soon as the graph is attached, also those that were made before.
void verified()
{
    if (rank() == 0) setenv("ORTHO_VERIFY", "1", 1);
    test::Comm comm = ring();
    Exchange one;
    for (int number = 0; number < 3; ++number) {
        one.start(comm, number);
        one.check(number);
    }
    CHECK_OK(ORTHO_Barrier(comm));
    one.start(comm, 3);
    one.check(3);
    // One process sends two elements to a neighbor that expects one.
    CHECK_OK(ORTHO_Ialltoall(one.sent, rank() == 0 ? 2 : 1, MPI_INT, one.received, 1, MPI_INT, comm,
                             &one.request));
    CHECK_EQ(one.wait(), rank() == 0 || left() == 0 ? ORTHO_ERR_MISMATCH : MPI_SUCCESS);
    if (rank() == 0) unsetenv("ORTHO_VERIFY");
}

} // namespace

TEST_MAIN()
{
    come_again();
    bound();
    verified();
}
