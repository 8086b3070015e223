// SPDX-License-Identifier: BSD-3-Clause
// Where one process gets no more memory to share, at any time, calls on graphs go on, and have right results.

#include "scarce_pages.hpp"

namespace {

using pages::grants;

/// The process so many steps away.
int shifted(int by) { return ((test::rank() + by) % test::size() + test::size()) % test::size(); }

/// To all at a distance of up to `reach`, on both sides, and to itself.
MPI_Comm around(int reach, const char* forward)
{
    Ints targets, sources;
    for (int step = -reach; step <= reach; ++step) {
        targets.push_back(shifted(step));
        sources.push_back(shifted(-step));
    }
    return test::adjacent(sources, targets, MPI_COMM_WORLD, test::Info{{"ortho_forward", forward}});
}

int number(int source, int edge, int element, int lap)
{
    return (source * 31 + edge) * 100'003 + element * 7 + lap;
}

void fill(Ints& from, int edges, int count, int lap)
{
    for (int edge = 0; edge < edges; ++edge)
        for (int i = 0; i < count; ++i) from[at(edge * count + i)] = number(test::rank(), edge, i, lap);
}

void check(const Ints& to, int reach, int count, int lap)
{
    int wrong = 0;
    for (int edge = 0; edge < 2 * reach + 1; ++edge) {
        const int source = shifted(reach - edge);
        for (int i = 0; i < count; ++i)
            wrong += to[at(edge * count + i)] == number(source, edge, i, lap) ? 0 : 1;
    }
    CHECK_EQ(wrong, 0);
}

/// Counts that are a ring's, several rings', and many times a ring's largest size.
constexpr int counts[] = {1, 200, 5'000, 600'000, 3, 40'000};

void blocking(int reach)
{
    test::Comm comm = around(reach, "false");
    const int edges = 2 * reach + 1;
    int lap = 0;
    for (const int again : {0, 1, 2})
        for (const int count : counts) {
            if (count > 100'000 && again > 0) continue;
            Ints from(at(edges * count)), to(at(edges * count), -1);
            fill(from, edges, count, ++lap);
            CHECK_OK(ORTHO_Alltoall(from.data(), count, MPI_INT, to.data(), count, MPI_INT, comm));
            check(to, reach, count, lap);
        }
    // Types that are no strided boxes are staged.
    Ints lengths{1, 2}, places{1, 5};
    test::Type type = test::committed(MPI_Type_indexed, 2, lengths.data(), places.data(), MPI_INT);
    constexpr int extent = 6; // from 1 to 7
    const int n = 5'000;
    Ints from(at(edges * n * extent + 2));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = test::rank() * 1'000'000 + static_cast<int>(i);
    Ints to(from.size(), -1);
    CHECK_OK(ORTHO_Alltoall(from.data(), n, type, to.data(), n, type, comm));
    int wrong = 0;
    for (int edge = 0; edge < edges; ++edge) {
        const int source = shifted(reach - edge);
        for (int i = 0; i < n; ++i)
            for (const int k : {1, 5, 6}) {
                const int index = (edge * n + i) * extent + k;
                wrong += to[at(index)] == source * 1'000'000 + index ? 0 : 1;
            }
    }
    CHECK_EQ(wrong, 0);
}

void persistent(int reach, const char* forward)
{
    test::Comm comm = around(reach, forward);
    const int edges = 2 * reach + 1;
    for (const int count : counts) {
        Ints from(at(edges * count)), to(at(edges * count), -1);
        test::Request request = test::alltoall_init(from.data(), to.data(), comm, count);
        for (int lap = 0; lap < 3; ++lap) {
            fill(from, edges, count, lap);
            CHECK_OK(test::start_and_wait(&request));
            check(to, reach, count, lap);
        }
    }
}

void sums(int reach)
{
    test::Comm comm = around(reach, "false");
    for (int lap = 0; lap < 3; ++lap) {
        const int mine = test::rank() + 1000 * lap;
        int sum = -1;
        CHECK_OK(ORTHO_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
        int right = 0;
        for (int step = -reach; step <= reach; ++step) right += shifted(step) + 1000 * lap;
        CHECK_EQ(sum, right);
    }
}

} // namespace

/// argv: how often the last process may ask for pages; not even for its arena, if it is 0.  It has one arena
/// for all its life, so that each number takes a run of its own: tests/scripts/memory.sh.
TEST_MAIN()
{
    const int most = argc > 1 ? std::atoi(argv[1]) : 3;
    if (test::rank() == test::size() - 1) {
        if (most > 0) {
            void* block = nullptr;
            CHECK_OK(ORTHO_Alloc_mem(pages::enough_to_go_back, MPI_INFO_NULL, MPI_COMM_WORLD, &block));
            CHECK_OK(ORTHO_Free_mem(block, MPI_COMM_WORLD));
        }
        grants = most;
    }
    blocking(1);
    persistent(1, "false");
    sums(1);
    blocking(2); // new lines, and still no memory
    grants = INT_MAX;
    blocking(1);
    persistent(2, "true");
}
