// SPDX-License-Identifier: BSD-3-Clause
// tests/scripts/shared.sh runs this: a little of each call, memory that is closed, a process that is killed.
#include <sys/prctl.h>

#include <csignal>

#include "shared.hpp"

namespace ortho_shared_test {

namespace {

/// Which way do messages of this communicator go?
bool goes_through_memory()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    Pending operation(ring, 1, 1);
    operation.init();
    const bool result = ortho_shared_test::goes_through_memory(operation.request);
    operation.start(0);
    operation.wait();
    CHECK_OK(ORTHO_Request_free(&operation.request));
    return result;
}

/// One persistent operation, whose data the system lets others read, at first on all processes, then perhaps
/// not on those that close; and which then lies in memory that all see, and is copied once in any case.
void rebound(bool closes)
{
    const int size = test::size(), rank = test::rank();
    constexpr int n = 20'000;
    test::Comm ring = test::neighborhood({size}, {1}, {1}, MPI_COMM_WORLD,
                                         test::Info{{"ortho_forward", "true"}});
    Ints own[2] = {Ints(n), Ints(n)};
    int* common[2] = {};
    for (int*& one : common) CHECK_OK(ORTHO_Alloc_mem(n * sizeof(int), MPI_INFO_NULL, ring, &one));
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Alltoall_init(own[0].data(), n, MPI_INT, own[1].data(), n, MPI_INT, ring, MPI_INFO_NULL,
                                 &request));
    const auto exchange = [&](int seed, int* send, const int* receive) {
        for (int k = 0; k < n; ++k) send[k] = content(seed, rank, 0, k);
        CHECK_OK(test::start_and_wait(&request));
        for (int k = 0; k < n; ++k) CHECK_EQ(receive[k], content(seed, (rank + size - 1) % size, 0, k));
    };
    exchange(1, own[0].data(), own[1].data());
    MPI_Barrier(MPI_COMM_WORLD);
    if (closes) CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(2, own[0].data(), own[1].data());
    CHECK_OK(ORTHO_Request_rebind(request, common[0], common[1]));
    for (int seed = 3; seed < 7; ++seed) exchange(seed, common[0], common[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (closes) CHECK(prctl(PR_SET_DUMPABLE, 1) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(ORTHO_Request_free(&request));
    for (int* const one : common) CHECK_OK(ORTHO_Free_mem(one, ring));
}

} // namespace

void a_little_of_everything()
{
    Random local(static_cast<unsigned>(test::rank()));
    const bool shared = goes_through_memory();
    if (test::rank() == 0) std::printf("%s\n", shared ? "shared memory" : "messages");
    const Torus around = Torus::around(MPI_COMM_WORLD);
    int seed = 0;
    for (const int n : {1, 0, 300, 20'000, 150'000, 2}) {
        for (int kind = 0; kind < kinds_of_calls; ++kind)
            if (n < 1'000) any_call(around, kind, static_cast<Form>(kind % 3), ++seed, n, local);
        ++seed;
        alltoall(around, static_cast<Form>(seed % 3), seed, n);
    }
    large_persistent(1);
    rebound(false);
}

void closed()
{
    Random local(static_cast<unsigned>(test::rank()));
    const bool shared = goes_through_memory();
    if (test::rank() == 0) std::printf("%s\n", shared ? "shared memory" : "messages");
    rebound(test::rank() == test::size() - 1);
    const Torus around = Torus::around(MPI_COMM_WORLD);
    int seed = 0;
    for (int turn = 0; turn < 4; ++turn) {
        for (const int n : {1, 20'000, 300})
            for (int kind = 0; kind < kinds_of_calls; ++kind)
                any_call(around, kind, Form::blocking, ++seed, n, local);
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == 0 && test::rank() == test::size() - 1) CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
    }
}

/// Until somebody ends it: the victim does so when all is going on.
void loop(int victim)
{
    const Torus around = Torus::around(MPI_COMM_WORLD);
    Pending operation(around, 1, 2000);
    operation.init();
    for (int i = 0;; ++i) {
        operation.start(i);
        alltoall(around, Form::blocking, i, i % 100 == 0 ? 200'000 : 30);
        if (i == 300 && test::rank() == victim) std::raise(SIGKILL);
        operation.wait();
    }
}

} // namespace ortho_shared_test
