// SPDX-License-Identifier: BSD-3-Clause
// Under MPI_THREAD_MULTIPLE different threads use different communicators at once: each runs random
// sequences of overlapping calls on its own.
#include <thread>
#include <vector>

#include "calls.hpp"
#include "sequences.hpp"

int main(int argc, char** argv)
{
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    if (provided == MPI_THREAD_MULTIPLE) {
        constexpr unsigned number = 3;
        std::vector<MPI_Comm> bases(number);
        for (MPI_Comm& base : bases) MPI_Comm_dup(MPI_COMM_WORLD, &base);
        // Open MPI 4 makes its first topology in a way that two threads may not.
        MPI_Comm first = MPI_COMM_NULL;
        const int self = test::rank();
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &self, MPI_UNWEIGHTED, 1, &self, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &first);
        MPI_Comm_free(&first);
        const test::Reductions reductions;
        const int sequences = test::given("ORTHO_TEST_REPEATS", 3);
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < number; ++i) {
            threads.emplace_back([&, i] {
                cases::Random random(100 + i);
                cases::Random local(1000 * i + static_cast<unsigned>(test::rank()));
                for (int n = 0; n < sequences; ++n) test::overlap(bases[i], {random, local}, reductions, 40);
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (MPI_Comm& base : bases) MPI_Comm_free(&base);
    }
    return test::finish();
}
