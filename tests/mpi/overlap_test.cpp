// SPDX-License-Identifier: BSD-3-Clause
// Overlapping calls in random order.
#include "calls.hpp"
#include "sequences.hpp"

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    const int usual = test::is_mpich() && test::size() > 2 ? 5 : 20;
    const int sequences = test::given("ORTHO_TEST_REPEATS", usual);
    cases::Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4321)));
    cases::Random local(random() + static_cast<unsigned>(test::rank()));
    {
        const test::Reductions reductions;
        MPI_Comm base = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &base);
        for (int i = 0; i < sequences; ++i) test::overlap(base, {random, local}, reductions, 60);
        MPI_Comm_free(&base);
    }
    return test::finish();
}
