// SPDX-License-Identifier: BSD-3-Clause
// Processes that run ahead of others or come late, while messages go through shared memory.

#include <list>

#include "shared.hpp"

namespace ortho_shared_test {

namespace {

/// Edges from each process to the next, none back.
MPI_Comm chain()
{
    const int before = test::rank() - 1, behind = test::rank() + 1;
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, before >= 0 ? 1 : 0, &before, MPI_UNWEIGHTED,
                                              behind < test::size() ? 1 : 0, &behind, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &comm));
    test::return_errors(comm);
    return comm;
}

} // namespace

/// Processes that only send are ahead of those that receive, by more operations than there are tags.
void senders_run_ahead()
{
    MPI_Comm comm = chain();
    const int p = test::size();
    const auto one = [&](int seed, int n) {
        Buffer send = empty(n), receive = empty(n), wanted = receive;
        for (int k = 0; k < n; ++k) send[k] = content(seed, test::rank(), 0, k);
        if (test::rank() > 0)
            for (int k = 0; k < n; ++k) wanted[k] = content(seed, test::rank() - 1, 0, k);
        CHECK_OK(ORTHO_Alltoall(send.address(), n, MPI_INT, receive.address(), n, MPI_INT, comm));
        SAME(receive, wanted, "Alltoall on a chain");
    };
    one(0, 120'000); // a large ring, which holds many small messages
    MPI_Barrier(MPI_COMM_WORLD);
    if (test::rank() == p - 1) usleep(200'000);
    const int many = test::few_will_do() ? 17'000 : 40'000;
    for (int i = 1; i <= many; ++i) one(i, i % 1000 == 0 ? 2000 : i % 2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (test::rank() == p - 1) usleep(100'000);
    for (int i = 0; i < 20; ++i) one(i, i % 3 == 2 ? 400'000 : i);
    // The sender is through with its communicator before the receivers have begun.
    if (test::rank() == p - 1) usleep(100'000);
    one(5, 17);
    MPI_Comm_free(&comm);
    comm = chain();
    one(6, 18);
    MPI_Comm_free(&comm);
}

/// All forms on communicators that have processes in common; everybody is late now and then.
void mixes()
{
    Random shared(4711);
    Random local(static_cast<unsigned>(99 + test::rank()));
    test::Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, test::rank() % 2, test::rank(), &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    std::list<Torus> worlds;
    worlds.emplace_back(MPI_COMM_WORLD, Ints{1, test::size()}, Ints{0, 1, 0, 0, 0, -1});
    worlds.emplace_back(copy, Ints{test::size(), 1}, Ints{1, 0, 1, 0, 2, 0});
    worlds.emplace_back(half, Ints{1, test::size(half)}, Ints{0, 1, 0, -1, 0, 3});
    std::vector<std::unique_ptr<Pending>> persistent;
    for (const Torus& torus : worlds)
        for (const int n : {3, 20'000}) {
            persistent.push_back(std::make_unique<Pending>(torus, n, n));
            persistent.back()->init();
        }
    std::vector<char> active(persistent.size(), 0);
    std::list<Pending> pending;
    const int steps = test::watched ? 60 : test::few_will_do() || test::size() > 4 ? 150 : 400;
    for (int step = 0; step < steps; ++step) {
        if (uniform(local, 0, steps / 2) == 0) usleep(static_cast<unsigned>(uniform(local, 0, 200'000)));
        const int which = uniform(shared, 0, 2);
        const Torus& torus = *std::next(worlds.begin(), which);
        const int n = uniform(shared, 0, 9) == 0 ? uniform(shared, 0, 150'000) : uniform(shared, 0, 300);
        const int kind = uniform(shared, 0, 9);
        if (kind < 4) {
            any_call(torus, uniform(shared, 0, kinds_of_calls - 1), Form::blocking, step, n, local);
        } else if (kind < 7) {
            Pending& operation = pending.emplace_back(torus, step, n);
            operation.prepare(0);
            CHECK_OK(ORTHO_Ialltoall(operation.send.address(), n, MPI_INT, operation.receive.address(), n,
                                     MPI_INT, torus.comm, &operation.request));
        } else {
            const auto i = at(uniform(shared, 0, static_cast<int>(persistent.size()) - 1));
            if (active[i] != 0) persistent[i]->wait();
            active[i] = 1;
            persistent[i]->start(step);
        }
        if (!pending.empty() && uniform(local, 0, 2) == 0) {
            const auto some = std::next(pending.begin(),
                                        uniform(local, 0, static_cast<int>(pending.size()) - 1));
            some->wait();
            pending.erase(some);
        }
        const auto i = at(uniform(local, 0, static_cast<int>(persistent.size()) - 1));
        if (active[i] != 0 && uniform(local, 0, 3) == 0) {
            persistent[i]->wait();
            active[i] = 0;
        }
    }
    for (Torus& torus : worlds) MPI_Comm_free(&torus.comm);
    for (Pending& operation : pending) operation.wait();
    for (std::size_t i = 0; i < persistent.size(); ++i) {
        if (active[i] != 0) persistent[i]->wait();
        CHECK_OK(ORTHO_Request_free(&persistent[i]->request));
    }
}

} // namespace ortho_shared_test
