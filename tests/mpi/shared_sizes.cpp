// SPDX-License-Identifier: BSD-3-Clause
// Messages of all sizes, from none to more than shared memory takes.

#include "shared.hpp"

namespace ortho_shared_test {

/// Rings grow with their messages, messages go in parts, and small ones come after them.
void sizes_change()
{
    Random local(static_cast<unsigned>(test::rank()));
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    const Torus around = Torus::around(MPI_COMM_WORLD);
    const int scale = test::watched ? 16 : test::few_will_do() || test::size() > 4 ? 4 : 1;
    int seed = 0;
    for (const int n :
         {1, 0, 100, 5, 16'000, 0, 3, 100'000 / scale, 2, 520'000 / scale, 1, 131'068, 131'069, 64, 0, 7}) {
        for (int kind = 0; kind < kinds_of_calls; ++kind) {
            // Large blocks not in every way.
            if (n > 20'000 || (n > 1'000 && kind != n % kinds_of_calls)) continue;
            const auto form = static_cast<Form>((seed + kind) % 4 % 3);
            any_call(ring, kind, form, ++seed, n, local);
            any_call(around, kind, form, ++seed, n > 50'000 ? n / 8 : n, local);
        }
        alltoall(ring, static_cast<Form>(n % 3), ++seed, n);
    }
    if (test::size() == 2) {
        const Torus both(MPI_COMM_WORLD, {1, 2}, {0, 1, 0, -1});
        const int many = (4 << 20) / scale; // 64 MiB in all
        alltoall(both, Form::blocking, 1, many);
        alltoall(both, Form::persistent, 2, many);
        alltoall(both, Form::blocking, 3, 1);
    }
}

/// Messages so large that they go MPI's way all the same, and with others among them that do not.
void large_persistent(int rounds)
{
    const Torus ring = Torus::ring(MPI_COMM_WORLD);
    std::vector<std::unique_ptr<Pending>> operations;
    for (const int n : {524'000, 525'000, 3}) operations.push_back(std::make_unique<Pending>(ring, n, n));
    for (const auto& operation : operations) operation->init();
    for (int round = 0; round < rounds; ++round) {
        for (const auto& operation : operations) operation->start(round);
        for (const auto& operation : operations) operation->wait();
    }
    for (const auto& operation : operations) CHECK_OK(ORTHO_Request_free(&operation->request));
}

} // namespace ortho_shared_test
