// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking operations: any number under way, started in any order on different communicators, completed
// in any order, left alone by processes that are away in MPI, with and without memory to share.

#include "random_graphs.hpp"
#include "scarce_pages.hpp"

namespace {

/// All processes draw the same numbers from the first, each its own from the second.
struct Dice {
    explicit Dice(int seed)
        : common(static_cast<unsigned>(seed)),
          own(static_cast<unsigned>(seed * 1000 + test::rank() + 1))
    {}
    Random common;
    Random own;
};

/// Two ways to the right, one to the left, one to itself, one two to the right.
const cases::Multigraph& steps()
{
    static const cases::Multigraph graph = test::neighborhood_graph(
        ortho::grid::Grid({test::size()}, {1}), ortho::grid::Stencil(1, {1, 1, -1, 0, 2}));
    return graph;
}
const ortho::grid::LocalGraph& mine() { return steps().processes[at(test::rank())]; }

MPI_Comm make_graph(MPI_Comm parent = MPI_COMM_WORLD)
{
    MPI_Comm comm = test::adjacent(mine().sources, mine().targets, parent);
    test::return_errors(comm);
    return comm;
}

/// Alltoalls with sizes of their own, the same for all processes along an edge.
class Exchanges {
public:
    Exchanges(Dice& dice, int number, int most) : dice_(dice)
    {
        for (int i = 0; i < number; ++i) {
            Exchange& exchange = all_.emplace_back();
            exchange.number = ++numbers;
            // Sizes around those where messages go another way.
            for (std::size_t edge = 0; edge < mine().targets.size(); ++edge)
                exchange.counts.push_back(uniform(dice.common, 0, 3) == 0 ? uniform(dice.common, 0, most)
                                                                          : uniform(dice.common, 0, 20));
            exchange.apart = uniform(dice.common, 0, 4) == 0;
        }
        requests.assign(at(number), ORTHO_REQUEST_NULL);
    }
    void start(int i, MPI_Comm comm)
    {
        Exchange& exchange = all_[at(i)];
        Random unused;
        test::Session session([] { return test::Form::nonblocking; });
        const test::Case c{steps(), comm, test::rank(), -1, exchange.apart ? 1 : 0, exchange.number};
        const auto call = exchange.apart ? test::alltoallw : test::alltoallv;
        call(session, c, {unused, dice_.own}, [&](int, int edge) { return exchange.counts[at(edge)]; });
        exchange.buffers = session.pending.front().buffers;
        requests[at(i)] = session.pending.front().request;
    }
    bool are_right() const
    {
        return std::ranges::all_of(all_, [](const Exchange& exchange) {
            return exchange.buffers->receive == exchange.buffers->expected;
        });
    }
    /// Completes all, in an order and by calls of this process's own.
    void complete()
    {
        int left = static_cast<int>(requests.size());
        Ints indices(requests.size());
        while (left > 0) {
            const int n = static_cast<int>(requests.size());
            int index = 0, flag = 0;
            switch (uniform(dice_.own, 0, 4)) {
            case 0:
                index = uniform(dice_.own, 0, n - 1);
                if (requests[at(index)] == ORTHO_REQUEST_NULL) break;
                CHECK_OK(ORTHO_Wait(&requests[at(index)], MPI_STATUS_IGNORE));
                --left;
                break;
            case 1:
                CHECK_OK(ORTHO_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE));
                if (flag != 0 && index != MPI_UNDEFINED) --left;
                break;
            case 2:
                CHECK_OK(ORTHO_Waitsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE));
                left -= index;
                break;
            case 3:
                CHECK_OK(ORTHO_Testsome(n, requests.data(), &index, indices.data(), MPI_STATUSES_IGNORE));
                left -= index;
                break;
            default:
                index = uniform(dice_.own, 0, n - 1);
                if (requests[at(index)] == ORTHO_REQUEST_NULL) break;
                CHECK_OK(ORTHO_Test(&requests[at(index)], &flag, MPI_STATUS_IGNORE));
                if (flag != 0) --left;
            }
        }
        CHECK(are_right());
    }

    std::vector<ORTHO_Request> requests;

private:
    struct Exchange {
        int number = 0;
        Ints counts;        ///< by edge
        bool apart = false; ///< every other int is one of a block
        std::shared_ptr<test::Buffers> buffers{};
    };
    inline static int numbers = 0; // so far
    Dice& dice_;
    std::vector<Exchange> all_;
};

void others_are_away(Dice& dice, int most)
{
    test::Comm comm = make_graph();
    for (int first = 0; first < test::size(); ++first) {
        Exchanges exchange(dice, 1, most);
        exchange.start(0, comm);
        test::others_are_away(first, [&] { exchange.complete(); });
    }
}

/// Each process starts on several communicators, which share one for their messages, in an order of its own.
/// They and what they were made on are gone, or not, before the operations are over.
void orders_differ(Dice& dice, int most, bool by_messages)
{
    constexpr int comms = 3, rounds = 4;
    if (by_messages) setenv("ORTHO_SHM", "0", 1);
    MPI_Comm parent = test::duplicate();
    std::vector<MPI_Comm> graphs;
    for (int i = 0; i < comms; ++i) graphs.push_back(make_graph(parent));
    unsetenv("ORTHO_SHM");
    Exchanges exchanges(dice, comms * rounds, most);
    Ints order;
    for (int i = 0; i < comms * rounds; ++i) order.push_back(i % comms);
    std::ranges::shuffle(order, dice.own);
    Ints next(at(comms));
    for (const int comm : order) exchanges.start(next[at(comm)]++ * comms + comm, graphs[at(comm)]);
    MPI_Comm_free(&parent);
    std::ranges::shuffle(graphs, dice.common);
    for (MPI_Comm& graph : graphs)
        if (uniform(dice.common, 0, 1) != 0) MPI_Comm_free(&graph);
    exchanges.complete();
    for (MPI_Comm& graph : graphs)
        if (graph != MPI_COMM_NULL) MPI_Comm_free(&graph);
}

/// Some processes start many operations while others are away, which then come by.
void many_are_under_way(Dice& dice, int most, int number)
{
    test::Comm comm = make_graph();
    Exchanges exchanges(dice, number, most);
    const int away = uniform(dice.common, 0, test::size() - 1);
    if (test::rank() == away)
        for (int r = 0; r < test::size(); ++r)
            if (r != away) MPI_Recv(nullptr, 0, MPI_INT, r, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < number; ++i) exchanges.start(i, comm);
    if (test::rank() != away) MPI_Send(nullptr, 0, MPI_INT, away, 6, MPI_COMM_WORLD);
    if (uniform(dice.common, 0, 1) != 0) MPI_Comm_free(&comm); // while they are under way
    exchanges.complete();
}

/// Nobody waits for operations whose requests are freed; they end, with their communicator gone.  Operations
/// before them were completed, whose work some of them do.
void requests_are_freed(Dice& dice, int most)
{
    MPI_Comm comm = make_graph();
    Exchanges before(dice, 3, most), exchanges(dice, 5, most);
    for (int i = 0; i < 3; ++i) before.start(i, comm);
    before.complete();
    for (int i = 0; i < 5; ++i) exchanges.start(i, comm);
    for (ORTHO_Request& request : exchanges.requests) CHECK_OK(ORTHO_Request_free(&request));
    MPI_Comm_free(&comm);
    while (!exchanges.are_right()) CHECK_OK(ORTHO_Progress());
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Blocking and persistent calls between non-blocking ones that are under way.
void forms_mix(Dice& dice, int most)
{
    test::Comm comm = make_graph();
    Exchanges exchanges(dice, 12, most);
    for (int i = 0; i < 12; ++i) {
        exchanges.start(i, comm);
        if (i % 3 != 0) continue;
        const Ints& sources = mine().sources;
        const Ints from(sources.size(), 100 * i + test::rank());
        Ints to(sources.size(), -1);
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm));
        for (std::size_t k = 0; k < sources.size(); ++k) CHECK_EQ(to[k], 100 * i + sources[k]);
    }
    exchanges.complete();
}

void everything(int seed, int most, int number)
{
    Dice dice(seed);
    others_are_away(dice, most);
    for (const bool by_messages : {false, true}) orders_differ(dice, most, by_messages);
    many_are_under_way(dice, most, number);
    requests_are_freed(dice, most);
    forms_mix(dice, most);
}

/// A process gets memory to share now and then.
void memory_is_scarce(int seed, int rounds)
{
    Dice dice(seed);
    test::Comm comm = make_graph();
    void* block = nullptr;
    CHECK_OK(ORTHO_Alloc_mem(pages::enough_to_go_back, MPI_INFO_NULL, comm, &block));
    CHECK_OK(ORTHO_Free_mem(block, comm));
    for (int round = 0; round < rounds; ++round) {
        const int number = uniform(dice.common, 1, 60);
        Exchanges exchanges(dice, number, 8000);
        for (int i = 0; i < number; ++i) {
            pages::grants = uniform(dice.own, 0, 2);
            exchanges.start(i, comm);
        }
        exchanges.complete();
        pages::grants = INT_MAX;
    }
}

} // namespace

/// ORTHO_TEST_SEED: what sizes and orders are drawn from.
TEST_MAIN()
{
    const int seed = test::given("ORTHO_TEST_SEED", 1);
    const int number = test::is_played() ? 40 : test::times(500);
    everything(seed, 200, number);
    everything(seed + 1, 30000, number / 10);
    memory_is_scarce(seed + 2, test::is_played() ? 2 : test::times(20));
}
