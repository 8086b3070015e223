// SPDX-License-Identifier: BSD-3-Clause
// Graphs that are made on one communicator share one for their messages: none gets another one's.
// Calls on several of them at once are nonblocking_test's.

#include <chrono>
#include <thread>

#include "agree/on_comm.hpp"
#include "mpi/comm.hpp"
#include "topology/graph.hpp"
#include "topology/private_comm.hpp"

namespace {

using namespace ortho;
using topology::PrivateComm;
using topology::SharingVote;

using Numbers = std::span<long long>;

/// The communicator of the next graph on `parent`.  `change`: changes the numbers of another process.
PrivateComm next(
    MPI_Comm parent, int graphs = 0, const std::function<void(Numbers)>& change = [](Numbers) {})
{
    agree::Ballot ballot;
    SharingVote vote(ballot);
    vote.say(parent, graphs);
    agree::hold(parent, ballot);
    ballot.hold(change);
    vote.hear(true);
    return vote.agreed(parent);
}

bool overlap(const PrivateComm& a, const PrivateComm& b)
{
    return a.messages() == b.messages() && a.setting_up_tag() <= b.last_tag() &&
           b.setting_up_tag() <= a.last_tag();
}

/// Tags are given again after all others, but not while somebody has them.
void ranges()
{
    constexpr int least_tags = 64 << 17;
    if (mpi::last_tag() < least_tags) return; // then nothing is shared
    MPI_Comm parent = test::duplicate(MPI_COMM_SELF);
    {
        const PrivateComm first = next(parent);
        PrivateComm second = next(parent);
        CHECK(first.messages() == second.messages());
        CHECK(!overlap(first, second));
        CHECK(second.setting_up_tag() < second.meeting_tag() && second.meeting_tag() < second.first_tag());
        CHECK(second.last_tag() - second.first_tag() >= 130'000); // half of them: operations, as pages say
        const int seconds_tag = second.first_tag();
        second = {};
        int given = 2;
        bool all_apart = true;
        PrivateComm last = next(parent);
        for (; last.messages() == first.messages(); last = next(parent), ++given) {
            all_apart = all_apart && !overlap(first, last) && last.first_tag() != seconds_tag;
            if (last.last_tag() > mpi::last_tag() || last.last_tag() < 0) all_apart = false;
        }
        CHECK(all_apart);
        CHECK(given >= 64);
        // The first one's turn has come; then that of the second one, which has gone.
        CHECK(!overlap(first, last));
        CHECK_EQ(last.setting_up_tag(), 0);
        CHECK_EQ(last.last_tag(), mpi::last_tag());
        CHECK_EQ(next(parent).first_tag(), seconds_tag);
    }
    // A process without one, as after an error there, has all make a new one.
    const PrivateComm old = next(parent);
    const int usual = 0, very_many = 129;
    const PrivateComm of_all = next(parent, usual, [](Numbers numbers) { numbers[0] = 1; });
    CHECK(of_all.messages() != old.messages());
    CHECK(next(parent).messages() == of_all.messages());
    // Processes that know of different numbers of tags share none.
    const auto other_tags = [](Numbers numbers) { ++numbers[4]; };
    CHECK(next(parent, usual, other_tags).messages() != of_all.messages());
    // With very many graphs alive some share what is there, and no communicator is made.
    CHECK(static_cast<bool>(next(parent, very_many)));
    CHECK(!next(parent, very_many, [](Numbers numbers) { numbers[0] = 1; }));
    CHECK(!next(parent, very_many, other_tags));
    CHECK(static_cast<bool>(next(parent, usual, other_tags)));
    MPI_Comm_free(&parent);
    CHECK_OK(MPI_Barrier(of_all.messages())); // it is there as long as it is used
}

/// A call's data, which no other call has.
Ints blocks_of(int call) { return test::blocks(1000 * call); }

/// A ring, on a communicator.
MPI_Comm ring_on(MPI_Comm parent)
{
    return test::adjacent({test::left(), test::rank(), test::right()},
                          {test::right(), test::rank(), test::left()}, parent);
}

/// More graphs are alive than get communicators of their own, on one communicator or each on a duplicate of
/// it.  All are in use.
void many_alive(bool on_duplicates)
{
    constexpr int graphs = 140;
    std::vector<MPI_Comm> parents(graphs, MPI_COMM_WORLD);
    std::vector<MPI_Comm> comms;
    const auto use = [&](int g) {
        const Ints sent = blocks_of(g);
        Ints received(3);
        if (g % 2 == 0) {
            CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comms[at(g)]));
        } else {
            ORTHO_Request request = ORTHO_REQUEST_NULL;
            CHECK_OK(ORTHO_Ialltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comms[at(g)],
                                     &request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK(received == test::expected(1000 * g));
    };
    for (int g = 0; g < graphs; ++g) {
        if (on_duplicates) MPI_Comm_dup(MPI_COMM_WORLD, &parents[at(g)]);
        comms.push_back(ring_on(parents[at(g)]));
        use(g);
    }
    for (int g = 0; g < graphs; g += 7) use(g);
    for (int g = 0; g < graphs; ++g) {
        MPI_Comm_free(&comms[at(g)]);
        if (on_duplicates) MPI_Comm_free(&parents[at(g)]);
    }
}

/// Makes and runs operations on a graph.
void agree_often(MPI_Comm comm, int first_call)
{
    for (int call = first_call; call < first_call + 10; ++call) {
        const Ints sent = blocks_of(call);
        Ints received(3);
        test::Request request = test::alltoall_init(sent.data(), received.data(), comm);
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        CHECK(received == test::expected(1000 * call));
    }
}

/// Where all processes are on one node, persistent operations need no communicator for collectives.
void init_makes_none()
{
    test::Comm comm = test::ring();
    const auto graph = topology::graph_of(comm);
    if (graph->private_comm.setting_up_tag() != 0) { // it is shared
        agree_often(comm, 0);
        CHECK(graph->private_comm.set_up_comms_of_new(comm).collectives == comm);
    }
}

/// A thread frees windows of a graph, another one makes operations on it.
void windows_end_meanwhile()
{
    // Open MPI 4 has no windows for threads of a process alone.
    if (test::is_played() || test::size() == 1) return;
    test::Comm comm = test::ring();
    std::vector<MPI_Win> windows(5, MPI_WIN_NULL);
    for (MPI_Win& window : windows) CHECK_OK(ORTHO_Win_create(nullptr, 0, 1, MPI_INFO_NULL, comm, &window));
    std::thread frees([&] {
        for (MPI_Win& window : windows) CHECK_OK(ORTHO_Win_free(&window));
    });
    agree_often(comm, 0);
    frees.join();
}

/// Threads agree on operations of graphs that were made on one communicator, at once.
void threads_agree()
{
    constexpr int graphs = 3;
    std::vector<MPI_Comm> comms;
    for (int g = 0; g < graphs; ++g) comms.push_back(test::ring());
    std::vector<std::thread> threads;
    for (int g = 0; g < graphs; ++g) threads.emplace_back(agree_often, comms[at(g)], 100 * g);
    for (std::thread& thread : threads) thread.join();
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Nobody leaves a barrier before its in-neighbors have come, whichever form it has.
void waits_for_neighbors(MPI_Comm graph, bool waits)
{
    using Clock = std::chrono::steady_clock; // one for all processes of a node
    if (test::rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto came = static_cast<long long>(Clock::now().time_since_epoch().count());
    if (waits) {
        CHECK_OK(ORTHO_Barrier(graph));
    } else {
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ibarrier(graph, &request));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
    }
    const auto left = static_cast<long long>(Clock::now().time_since_epoch().count());
    long long begin_of_0 = came;
    MPI_Bcast(&begin_of_0, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (test::rank() == 1) CHECK(left >= begin_of_0); // the neighbor of process 0 on a line
}

/// Where very many graphs are alive new ones are not attached: they know all the same, and do all the same.
void very_many()
{
    const test::ManyGraphs many;
    const int p = test::size();
    test::Comm line = test::cart({p}, {0});
    Ints neighbors;
    for (const int neighbor : {test::rank() - 1, test::rank() + 1})
        if (neighbor >= 0 && neighbor < p) neighbors.push_back(neighbor);
    test::Comm graph = test::adjacent(neighbors, neighbors, line);
    CHECK(!topology::graph_of(graph)->attached());
    if (test::rank() == 0) CHECK(test::isomorphic(graph) >= (p > 1 ? 0 : -1)); // local
    waits_for_neighbors(graph, true);
    waits_for_neighbors(graph, false);
    CHECK(!topology::graph_of(graph)->attached());
    test::Comm copy;
    CHECK_OK(ORTHO_Comm_dup(graph, &copy));
    waits_for_neighbors(copy, true);
    // An array with a ghost at each end.
    Ints array{-1, test::rank(), -1};
    test::Request halo = test::row_halo(array.data(), 3, graph);
    CHECK_OK(ORTHO_Run(&halo, MPI_STATUS_IGNORE));
    CHECK_EQ(array[0], test::rank() - 1);
    CHECK_EQ(array[2], test::rank() + 1 < p ? test::rank() + 1 : -1);
}

} // namespace

int main(int argc, char** argv)
{
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    ranges();
    for (const bool on_duplicates : {false, true}) many_alive(on_duplicates);
    init_makes_none();
    very_many();
    if (provided == MPI_THREAD_MULTIPLE) {
        threads_agree();
        windows_end_meanwhile();
    }
    return test::finish();
}
