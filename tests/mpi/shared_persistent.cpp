// SPDX-License-Identifier: BSD-3-Clause
// Persistent operations through shared memory: in any order, with partners that are away, of strided blocks.

#include "shared.hpp"

namespace ortho_shared_test {

/// Started and completed in an order of each process's own, hundreds of times.
void persistent_in_any_order()
{
    Random local(static_cast<unsigned>(7 + test::rank()));
    Torus ring = Torus::ring(MPI_COMM_WORLD);
    Torus around = Torus::around(MPI_COMM_WORLD);
    std::vector<std::unique_ptr<Pending>> operations;
    int seed = 100;
    for (const int n : {1, 0, 500, 33, 4000, 2})
        for (const Torus* torus : {&ring, &around})
            operations.push_back(std::make_unique<Pending>(*torus, ++seed, n));
    for (const auto& operation : operations) operation->init();
    const int rounds = test::few_will_do() || test::size() > 4 ? 60 : 300;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Pending*> order;
        for (const auto& operation : operations) order.push_back(operation.get());
        std::ranges::shuffle(order, local);
        for (Pending* operation : order) operation->start(round);
        if (uniform(local, 0, 30) == 0) usleep(static_cast<unsigned>(uniform(local, 0, 3000)));
        std::ranges::shuffle(order, local);
        for (Pending* operation : order) operation->wait();
    }
    // Freed while they are under way, and their communicator, too: what was sent arrives.
    for (const auto& operation : operations) operation->start(rounds);
    MPI_Comm_free(&ring.comm);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        Pending& operation = *operations[i];
        if ((i + at(test::rank())) % 2 == 0) {
            operation.wait();
            CHECK_OK(ORTHO_Request_free(&operation.request));
        } else {
            CHECK_OK(ORTHO_Request_free(&operation.request));
        }
    }
    for (const auto& operation : operations) {
        const Buffer wanted = operation->wanted();
        CHECK(test::advance_until([&] { return operation->receive == wanted; }));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// One waits for its operation while the others, who have started theirs, are in MPI.
void partners_are_away()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    for (const int n : {1, 300'000}) {
        Pending operation(ring, n, n);
        operation.init();
        int token = 0;
        for (int round = 0; round < 20; ++round) {
            const int waits = round % test::size();
            operation.start(round);
            MPI_Barrier(MPI_COMM_WORLD);
            if (test::rank() == waits) {
                operation.wait();
                for (int r = 0; r < test::size(); ++r)
                    if (r != waits) MPI_Send(&token, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
            } else {
                MPI_Recv(&token, 1, MPI_INT, waits, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                operation.wait();
            }
        }
        CHECK_OK(ORTHO_Request_free(&operation.request));
    }
}

/// Every other int: as MPI would copy it twice, too, it goes through memory, however large.  Partners may be
/// away.
void strided_persistent()
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    const int slots = ring.slots();
    bool small_ones = false;
    for (const int n : {100, 20'000, 200'000}) {
        test::Type type = test::strided_ints(n, 1, 2, 2 * n);
        Buffer send = empty(slots * 2 * n), receive = empty(slots * 2 * n), wanted = receive;
        const auto clear = [&] {
            for (int k = 0; k < slots * n; ++k) receive[2 * k] = -1;
        };
        test::Request request;
        CHECK_OK(ORTHO_Alltoall_init(send.address(), 1, type, receive.address(), 1, type, ring.comm,
                                     MPI_INFO_NULL, &request));
        if (n == 100) small_ones = goes_through_memory(request);
        CHECK_EQ(goes_through_memory(request), small_ones);
        for (int round = 0; round < 4; ++round) {
            for (int i = 0; i < slots; ++i)
                for (int k = 0; k < n; ++k) {
                    send[(i * n + k) * 2] = content(round, ring.me(), i, k);
                    wanted[(i * n + k) * 2] = content(round, ring.source(i), i, k);
                }
            CHECK_OK(ORTHO_Start(&request));
            const int waits = round % test::size();
            int token = 0;
            if (test::rank() != waits)
                MPI_Recv(&token, 1, MPI_INT, waits, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            if (test::rank() == waits)
                for (int r = 0; r < test::size(); ++r)
                    if (r != waits) MPI_Send(&token, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
            SAME(receive, wanted, "every other int");
            clear();
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE)); // large ones go in parts
            SAME(receive, wanted, "every other int, run");
            Buffer row = empty(slots * n), wanted_row = row;
            for (int i = 0; i < slots; ++i)
                for (int k = 0; k < n; ++k) wanted_row[i * n + k] = content(round, ring.source(i), i, k);
            CHECK_OK(ORTHO_Alltoall(send.address(), 1, type, row.address(), n, MPI_INT, ring.comm));
            SAME(row, wanted_row, "every other int into a row");
            clear();
            for (int k = 0; k < slots * n; ++k) row[k] = send[2 * k];
            CHECK_OK(ORTHO_Alltoall(row.address(), n, MPI_INT, receive.address(), 1, type, ring.comm));
            SAME(receive, wanted, "a row into every other int");
        }
    }
}

} // namespace ortho_shared_test
