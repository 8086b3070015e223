// SPDX-License-Identifier: BSD-3-Clause
// Under MPI_THREAD_MULTIPLE different threads use different communicators at once: each runs random
// sequences of overlapping calls on its own.
#include <thread>

#include "calls.hpp"
#include "sequences.hpp"

namespace {

/// Two threads of one process and one of another one make communicators of both at once, in any order of
/// their tags.
void meet_in_any_order()
{
    if (test::size() < 2) return;
    test::Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, test::rank() < 2 ? 0 : MPI_UNDEFINED, test::rank(), &pair);
    if (pair == MPI_COMM_NULL) return;
    const int other = 1 - test::rank();
    const test::Comm graph = test::adjacent({other}, {other}, pair);
    test::Group group;
    MPI_Comm_group(graph, &group);
    const auto make = [&](int tag) {
        test::Comm made;
        CHECK_EQ(ORTHO_Comm_create_group(graph, group, tag, &made), MPI_SUCCESS);
    };
    constexpr int times = 20;
    const auto make_many = [&](int tag) {
        for (int i = 0; i < times; ++i) make(tag);
    };
    // Whoever has one thread alternates; the other process's threads are each at one tag.
    if (test::rank() == 0) {
        for (int i = 0; i < times; ++i)
            for (const int tag : {2, 1}) make(tag);
    } else {
        std::thread one(make_many, 1);
        std::thread two(make_many, 2);
        one.join();
        two.join();
    }
}

} // namespace

int main(int argc, char** argv)
{
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    if (provided == MPI_THREAD_MULTIPLE) {
        constexpr unsigned number = 3;
        std::vector<MPI_Comm> bases(number);
        for (MPI_Comm& base : bases) MPI_Comm_dup(MPI_COMM_WORLD, &base);
        // Otherwise MPI_Dist_graph_create_adjacent of Open MPI 4 may crash.
        MPI_Comm first = test::one_way_ring();
        MPI_Comm_free(&first);
        const test::Reductions reductions;
        const int sequences = test::given("ORTHO_TEST_REPEATS", 3);
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < number; ++i)
            threads.emplace_back([&, i] {
                cases::Random random(100 + i);
                cases::Random local(1000 * i + static_cast<unsigned>(test::rank()));
                for (int n = 0; n < sequences; ++n) test::overlap(bases[i], {random, local}, reductions, 40);
            });
        for (std::thread& thread : threads) thread.join();
        for (MPI_Comm& base : bases) MPI_Comm_free(&base);
        meet_in_any_order();
    }
    return test::finish();
}
