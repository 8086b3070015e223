// SPDX-License-Identifier: BSD-3-Clause
// v and w exchanges that block, whose sizes processes expect, as in calls before, and get or do not get; and
// persistent ones.  Each block of each call has a size of its own, which both of its ends compute.

#include "calls.hpp"
#include "engine/context.hpp"
#include "grids.hpp"
#include "random_graphs.hpp"
#include "sent_messages.hpp"
#include "topology/graph.hpp"

namespace {

constexpr int most = 9; // bytes of a block

/// A graph of all steps in {-1,0,1}^d on a Cartesian communicator, given by ranks.
struct World {
    Ints sources, targets; // by step; MPI_PROC_NULL off the grid
    MPI_Comm graph = MPI_COMM_NULL;
};

World make_world(int d, bool periodic)
{
    Ints sizes(at(d), 0);
    const Ints periods(at(d), periodic ? 1 : 0);
    MPI_Dims_create(test::size(), d, sizes.data());
    const test::Comm cart = test::cart(sizes, periods);
    Ints offsets;
    for (const Ints& step : cases::box(d, -1, 1))
        if (step != Ints(at(d), 0)) offsets.insert(offsets.end(), step.begin(), step.end());
    auto all = test::neighborhood_graph({sizes, {periods.begin(), periods.end()}}, {d, offsets});
    const auto& mine = all.processes[at(test::rank())];
    World world{test::to_mpi(mine.sources), test::to_mpi(mine.targets)};
    test::close_gaps(all);
    world.graph = test::adjacent(mine.sources, mine.targets, cart);
    return world;
}

/// The sizes of the blocks of a call.
struct Sizes {
    int seed;       ///< of those that are usual
    int odd_in_256; ///< so many blocks of 256 have others

    int of(int origin, int step, int call) const
    {
        const auto mix = [](unsigned n) { return (n * 2654435761U) >> 16U; };
        const unsigned usual = mix(static_cast<unsigned>(seed * 37 + step * 5 + 1));
        const unsigned own = mix(static_cast<unsigned>(origin * 1009 + step * 31 + call * 7 + 3));
        return static_cast<int>(static_cast<int>(own % 256) < odd_in_256 ? mix(own) % (most + 1)
                                                                         : usual % most + 1);
    }
};

char value(int origin, int step, int call, int byte)
{
    return static_cast<char>(1 + (origin * 41 + step * 13 + call * 3 + byte) % 100);
}

enum class Form { varying, typed, persistent };

void check_call(const World& world, const Sizes& sizes, int call, Form form)
{
    const std::size_t n = world.targets.size();
    Ints sendcounts, senddispls, recvcounts, recvdispls;
    std::vector<char> sent(n * most + 1, 0), received(n * (most + 1) + 1, 0);
    std::vector<int> of_received; // steps
    for (std::size_t i = 0; i < n; ++i) {
        const int step = static_cast<int>(i);
        if (world.targets[i] != MPI_PROC_NULL) {
            sendcounts.push_back(sizes.of(test::rank(), step, call));
            senddispls.push_back(step * most);
            for (int b = 0; b < most; ++b) sent[i * most + at(b)] = value(test::rank(), step, call, b);
        }
        if (world.sources[i] != MPI_PROC_NULL) {
            recvcounts.push_back(sizes.of(world.sources[i], step, call));
            recvdispls.push_back(step * (most + 1));
            of_received.push_back(step);
        }
    }
    if (form == Form::typed) {
        const std::vector<MPI_Datatype> types(n + 1, MPI_CHAR);
        CHECK_OK(in(test::Form::blocking, SMALL_FORMS(Alltoallw, Ialltoallw), sent.data(), sendcounts,
                    senddispls, types.data(), received.data(), recvcounts, recvdispls, types.data(),
                    world.graph));
    } else {
        test::Request request;
        CHECK_OK(begin(form == Form::persistent ? test::Form::persistent : test::Form::blocking,
                       SMALL_FORMS(Alltoallv, Ialltoallv), &request, sent.data(), sendcounts, senddispls,
                       MPI_CHAR, received.data(), recvcounts, recvdispls, MPI_CHAR, world.graph));
        if (form == Form::persistent) CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    }
    std::vector<char> expected(received.size(), 0);
    for (std::size_t j = 0; j < of_received.size(); ++j) {
        const int step = of_received[j];
        for (int b = 0; b < recvcounts[j]; ++b)
            expected[at(recvdispls[j] + b)] = value(world.sources[at(step)], step, call, b);
    }
    CHECK(received == expected);
}

void check_world(int d, bool periodic, int seed, int first_odd)
{
    World world = make_world(d, periodic);
    Random random(at(seed + test::given("ORTHO_TEST_SEED", 0))); // the same everywhere
    for (int call = 0; call < 20; ++call) {
        Sizes sizes{seed, 0};
        // Often one block of all, which two processes see.
        const int many = uniform(random, 0, 1) == 0 ? 1 : 32 * uniform(random, 1, 8);
        if (call >= first_odd && uniform(random, 0, 3) == 0) sizes.odd_in_256 = many;
        if (call >= first_odd && uniform(random, 0, 5) == 0) sizes.seed += 1; // others everywhere
        check_call(world, sizes, call, static_cast<Form>(uniform(random, 0, 8) % 4 % 3));
    }
    MPI_Comm_free(&world.graph);
}

/// Where sizes change for good, processes soon expect nothing any more.  Then a call takes a message to each
/// neighbor at most.
void check_change()
{
    World world = make_world(2, true);
    std::set<int> others;
    for (const int target : world.targets)
        if (target != test::rank()) others.insert(target);
    int least = 1000;
    for (int call = 0; call < 300; ++call) {
        test::sent_messages = 0;
        check_call(world, {call < 100 ? 1 : 2, 0}, call, Form::varying);
        if (call >= 280) least = std::min(least, test::sent_messages);
    }
    CHECK(least <= std::ssize(others));
    MPI_Comm_free(&world.graph);
}

bool expects_sizes(const World& world)
{
    const auto graph = ortho::topology::graph_of(world.graph);
    return std::ranges::any_of(ortho::engine::engine_of(*graph).expected_sizes,
                               [](const auto& kind) { return kind.second.now != nullptr; });
}

/// Blocks of other sizes are found out in the next ballot.  If sizes do not stay the same, nothing is
/// expected any more after a few ballots.
void stop_expecting()
{
    World world = make_world(3, true);
    int call = 0;
    const auto calls_until = [&](int end, int odd_in_256) {
        for (; call < end; ++call) check_call(world, {1, odd_in_256}, call, Form::varying);
    };
    const bool pays = test::size() == 8; // to combine blocks
    calls_until(3, 0);
    if (pays) CHECK(expects_sizes(world));
    calls_until(4, 256); // a call with a ballot
    CHECK(!expects_sizes(world));
    calls_until(8, 0);
    if (pays) CHECK(expects_sizes(world));
    // Call 11 has a ballot, and calls 12, 14, 18, 26 and 42, which is the sixth one in vain.
    calls_until(42, 256);
    CHECK(!expects_sizes(world));
    calls_until(180, 0);
    CHECK(!expects_sizes(world));
    MPI_Comm_free(&world.graph);
}

/// How many of these calls hold a ballot.
int ballots_in(const World& world, int calls, bool sizes_change)
{
    const auto graph = ortho::topology::graph_of(world.graph);
    const bool several_sizes = true;
    const auto& kind = ortho::engine::engine_of(*graph)
                           .expected_sizes[{ortho::algorithm::Collective::alltoall, several_sizes}];
    int ballots = 0;
    for (int call = 0; call < calls; ++call) {
        if (kind.calls_left == 0) ++ballots;
        check_call(world, {sizes_change ? call : 1, 0}, call, Form::varying);
    }
    return ballots;
}

/// While sizes stay as expected, calls 1, 2, 4, ... 128 hold a ballot, and each 128th from there on.  If
/// nothing can be expected, or sizes are always others, the sixth ballot is the last one.
void count_ballots()
{
    World world = make_world(3, true);
    check_call(world, {1, 0}, 0, Form::varying);
    const bool pays = expects_sizes(world);
    CHECK_EQ(ballots_in(world, 299, false), pays ? 7 + 1 : 5); // calls 2 to 300
    MPI_Comm_free(&world.graph);
    world = make_world(3, true);
    CHECK_EQ(ballots_in(world, 80, true), 6);
    MPI_Comm_free(&world.graph);
}

} // namespace

TEST_MAIN()
{
    setenv("ORTHO_NODES", "1", 1);
    // Messages are so dear that blocks are combined.
    const std::string file = "expected_sizes_test." + std::to_string(getpid()) + ".tune";
    if (test::rank() == 0) {
        std::ofstream(file) << "network.send_ps 1000000000\nnetwork.receive_ps 1000000000\n";
        setenv("ORTHO_TUNE", file.c_str(), 1);
    }
    for (const int d : {1, 2, 3})
        for (const bool periodic : {true, false}) {
            check_world(d, periodic, 1 + d, 1);
            check_world(d, periodic, 10 + d, 5);
            check_world(d, periodic, 20 + d, 100);
            check_world(d, periodic, 30 + d, 0);
        }
    check_change();
    stop_expecting();
    count_ballots();
    if (test::rank() == 0) std::remove(file.c_str());
}
