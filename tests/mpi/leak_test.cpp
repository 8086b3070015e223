// SPDX-License-Identifier: BSD-3-Clause
// 100 000 operations of all forms, communicators and datatypes that come and go: the heap, in which MPI
// has its objects too, stays as large as it is.

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes(void); // GCC has no header for it
#else
#include <malloc.h>
#endif

namespace {

long long heap()
{
#if defined(__SANITIZE_ADDRESS__)
    return static_cast<long long>(__sanitizer_get_current_allocated_bytes());
#else
    const auto info = mallinfo2();
    return static_cast<long long>(info.uordblks + info.hblkhd);
#endif
}

/// A new one each time: nothing may be kept of it for good.
MPI_Datatype new_type()
{
    // MPICH 4.0 itself loses 128 bytes with every message of a new type that has two pieces (an MPI_Irecv
    // and MPI_Isend of such types and nothing else do so), as both blocks of two processes make one.
    if (test::is_mpich() && test::size() == 2) return MPI_INT;
    return test::committed(MPI_Type_contiguous, 1, MPI_INT);
}

/// `operations` operations on one communicator.
void many(MPI_Comm comm, int operations)
{
    const int left = test::left();
    const std::vector<int> ones(3, 1);
    const std::vector<MPI_Aint> places{0, 8, 16};
    std::array<int, 6> from{}, to{};
    ORTHO_Request persistent = ORTHO_REQUEST_NULL;
    for (int i = 0; i < operations; i += 5) {
        from.fill(1000 * test::rank() + i);
        to.fill(-1);
        std::array<ORTHO_Request, 2> requests{};
        MPI_Datatype type = new_type();
        const std::vector<MPI_Datatype> types(3, type);
        CHECK_OK(ORTHO_Ialltoallw(from.data(), ones.data(), places.data(), types.data(), to.data(),
                                  ones.data(), places.data(), types.data(), comm, &requests[0]));
        if (type != MPI_INT) MPI_Type_free(&type);
        int sum = 0;
        CHECK_OK(ORTHO_Iallreduce(from.data(), &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
        CHECK_OK(ORTHO_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
        CHECK_EQ(to[0], 1000 * left + i);
        int all = 0;
        CHECK_OK(ORTHO_Iallreduce(&i, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, requests.data()));
        CHECK_OK(ORTHO_Wait(requests.data(), MPI_STATUS_IGNORE));
        CHECK_EQ(all, i);
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm));
        if (i % 100 == 0) {
            MPI_Barrier(MPI_COMM_WORLD); // or one would run ahead, and MPI keep its messages
            if (persistent != ORTHO_REQUEST_NULL) CHECK_OK(ORTHO_Request_free(&persistent));
            CHECK_OK(ORTHO_Allgather_init(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, MPI_INFO_NULL,
                                          &persistent));
        }
        CHECK_OK(ORTHO_Start(&persistent));
        CHECK_OK(ORTHO_Wait(&persistent, MPI_STATUS_IGNORE));
        CHECK_EQ(to[0], 1000 * left + i);
    }
    CHECK_OK(ORTHO_Request_free(&persistent));
}

void comms(int number)
{
    for (int i = 0; i < number; ++i) {
        test::Comm comm = test::ring();
        many(comm, 5);
        test::Comm copy;
        CHECK_OK(ORTHO_Comm_dup(comm, &copy));
        CHECK_OK(ORTHO_Barrier(copy));
        test::Comm part;
        CHECK_OK(ORTHO_Comm_split(copy, 0, 0, &part));
        CHECK_OK(ORTHO_Barrier(part));
    }
}

/// A leak grows each time; the pools of an MPI do now and then, MPICH 5's by 1 MiB.
template <class Body>
void check_growth(long long most, Body body)
{
    constexpr int attempts = 3;
    for (int attempt = 1; attempt <= attempts; ++attempt) {
        const long long before = heap();
        body();
        const long long growth = heap() - before;
        int grows = growth > most ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &grows, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (grows == 0) return;
        if (attempt == attempts && growth > most) CHECK_EQ(growth, 0);
    }
}

} // namespace

TEST_MAIN()
{
    // Few operations are enough to see a leak where processes have to take turns, or where sanitizers count
    // every byte: what the heap may grow by shrinks with them.
    constexpr int part = test::watched ? 4 : 1;
    constexpr int usual = test::watched ? 5'000 : 100'000;
    const int operations = test::given("ORTHO_TEST_OPERATIONS", test::size() <= 2 ? usual : 5'000);
    test::Comm comm = test::ring();
    many(comm, operations / 10);
    comms(20);
    check_growth(100'000 / part, [&] { many(comm, operations); });
    check_growth(200'000 / part, [] { comms(100 / part); });
}
