// SPDX-License-Identifier: BSD-3-Clause
// A process has no memory to share, and then not even memory of its own for what it sends another way: it is
// told so, and neither it nor others wait for ever.  (Found by tests/model/nonblocking.pml.)

#include <new>

#include "scarce_pages.hpp"

namespace {

/// How many arrays of so many bytes or more there is no memory for.
int missing = 0;
constexpr std::size_t large = 400'000;

} // namespace

// The library's arrays come by these, too.
void* operator new[](std::size_t bytes)
{
    if (bytes >= large && missing > 0) {
        --missing;
        throw std::bad_alloc();
    }
    if (void* const block = std::malloc(bytes > 0 ? bytes : 1)) return block;
    throw std::bad_alloc();
}
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }

namespace {

/// More blocks for one process than one entry of the queue holds.
constexpr int edges = 80;
constexpr int count = 3'000;

/// Between the first two processes, so many times.
MPI_Comm pair()
{
    const int rank = test::rank();
    const std::vector<int> other(at(rank < 2 ? edges : 0), 1 - rank);
    MPI_Comm comm = test::adjacent(other, other);
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

/// The result of the call; `wrong`: how many numbers are wrong.
int exchange(MPI_Comm comm, int lap, int& wrong)
{
    const int n = test::rank() < 2 ? edges * count : 0;
    std::vector<int> from(at(n)), to(at(n), -1);
    for (int i = 0; i < n; ++i) from[at(i)] = lap + 2 * i + test::rank();
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    int code = ORTHO_Ialltoall(from.data(), count, MPI_INT, to.data(), count, MPI_INT, comm, &request);
    const int end = ORTHO_Wait(&request, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS) code = end;
    wrong = 0;
    for (int i = 0; i < n; ++i) wrong += to[at(i)] == lap + 2 * i + 1 - test::rank() ? 0 : 1;
    return code;
}

} // namespace

TEST_MAIN()
{
    if (test::size() > 1) {
        test::Comm comm = pair();
        int wrong = 0;
        if (test::rank() == 0) {
            void* block = nullptr;
            CHECK_OK(ORTHO_Alloc_mem(pages::enough_to_go_back, MPI_INFO_NULL, MPI_COMM_WORLD, &block));
            CHECK_OK(ORTHO_Free_mem(block, MPI_COMM_WORLD));
            pages::grants = 0;
        }
        CHECK_OK(exchange(comm, 1000, wrong));
        CHECK_EQ(wrong, 0);
        if (test::rank() == 0) missing = 1;
        const int code = exchange(comm, 2000, wrong);
        CHECK_EQ(code == MPI_SUCCESS, test::rank() != 0);
        CHECK_EQ(missing, 0);
        CHECK_EQ(wrong > 0, test::rank() == 1);
        CHECK_OK(exchange(comm, 3000, wrong));
        CHECK_EQ(wrong, 0);
    }
}
