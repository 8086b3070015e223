// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking operations: any number under way, started in any order on different communicators, completed
// in any order, left alone by processes that are away in MPI, with and without memory to share.

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

int content(int operation, int from, int slot, int k)
{
    const unsigned mixed = static_cast<unsigned>(operation) * 2654435761U +
                           static_cast<unsigned>(from) * 40503U + static_cast<unsigned>(slot) * 2971U +
                           static_cast<unsigned>(k) * 31U;
    return static_cast<int>((mixed ^ (mixed >> 15U)) & 0xFFFFFU);
}

/// Two ways to the right, one to the left, one to itself, one two to the right: targets by edge.
int shifted(int by)
{
    const int p = test::size();
    return ((test::rank() + by) % p + p) % p;
}
const Ints steps{1, 1, -1, 0, 2};

MPI_Comm make_graph(MPI_Comm parent = MPI_COMM_WORLD)
{
    Ints sources, targets;
    for (const int step : steps) {
        sources.push_back(shifted(-step));
        targets.push_back(shifted(step));
    }
    MPI_Comm comm = test::adjacent(sources, targets, parent);
    test::return_errors(comm);
    return comm;
}

/// One alltoall with sizes of its own, the same for all processes along an edge.  Where blocks lie apart,
/// every other element is one of a block.
class Exchange {
public:
    Exchange(int number, Ints counts, bool apart)
        : number_(number),
          counts_(std::move(counts)),
          stride_(apart ? 2 : 1)
    {
        int length = 0;
        for (const int count : counts_) {
            displacements_.push_back(length);
            length += stride_ * count;
        }
        from_.assign(at(length) + 1, -1);
        to_.assign(at(length) + 1, -1);
        for (int slot = 0; slot < std::ssize(counts_); ++slot)
            for (int k = 0; k < counts_[at(slot)]; ++k)
                from_[at(displacements_[at(slot)] + stride_ * k)] = content(number_, test::rank(), slot, k);
    }

    void start(MPI_Comm comm, ORTHO_Request* request)
    {
        if (stride_ == 1) {
            CHECK_OK(ORTHO_Ialltoallv(from_.data(), counts_.data(), displacements_.data(), MPI_INT,
                                      to_.data(), counts_.data(), displacements_.data(), MPI_INT, comm,
                                      request));
            return;
        }
        Ints ones;
        std::vector<MPI_Aint> bytes;
        std::vector<MPI_Datatype> types;
        for (int slot = 0; slot < std::ssize(counts_); ++slot) {
            ones.push_back(1);
            bytes.push_back(static_cast<MPI_Aint>(displacements_[at(slot)]) *
                            static_cast<MPI_Aint>(sizeof(int)));
            MPI_Type_vector(counts_[at(slot)], 1, stride_, MPI_INT, &types.emplace_back());
            MPI_Type_commit(&types.back());
        }
        CHECK_OK(ORTHO_Ialltoallw(from_.data(), ones.data(), bytes.data(), types.data(), to_.data(),
                                  ones.data(), bytes.data(), types.data(), comm, request));
        for (MPI_Datatype& type : types) MPI_Type_free(&type);
    }

    bool is_right() const
    {
        for (int slot = 0; slot < std::ssize(counts_); ++slot)
            for (int k = 0; k < stride_ * counts_[at(slot)]; ++k) {
                const int wanted = k % stride_ != 0
                                       ? -1
                                       : content(number_, shifted(-steps[at(slot)]), slot, k / stride_);
                if (to_[at(displacements_[at(slot)] + k)] != wanted) return false;
            }
        return to_.back() == -1;
    }

private:
    int number_;
    Ints counts_;
    int stride_;
    Ints displacements_, from_, to_;
};

int operations = 0; // so far

/// Sizes around those where messages go another way.
std::unique_ptr<Exchange> draw(Random& common, int most)
{
    Ints counts;
    for (std::size_t i = 0; i < steps.size(); ++i)
        counts.push_back(uniform(common, 0, 3) == 0 ? uniform(common, 0, most) : uniform(common, 0, 20));
    return std::make_unique<Exchange>(++operations, std::move(counts), uniform(common, 0, 4) == 0);
}

using Exchanges = std::vector<std::unique_ptr<Exchange>>;
using Requests = std::vector<ORTHO_Request>;

/// Completes all, in an order and by calls of this process's own.
void complete(Requests& requests, Random& random)
{
    int left = static_cast<int>(requests.size());
    Ints indices(requests.size());
    while (left > 0) {
        const int n = static_cast<int>(requests.size());
        int index = 0, flag = 0;
        switch (uniform(random, 0, 4)) {
        case 0:
            index = uniform(random, 0, n - 1);
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
            index = uniform(random, 0, n - 1);
            if (requests[at(index)] == ORTHO_REQUEST_NULL) break;
            CHECK_OK(ORTHO_Test(&requests[at(index)], &flag, MPI_STATUS_IGNORE));
            if (flag != 0) --left;
        }
    }
}

void check_all(const Exchanges& exchanges)
{
    for (const auto& exchange : exchanges) CHECK(exchange->is_right());
}

/// One process completes its operation, and only then sends what the others wait for before they complete
/// theirs.
void others_are_away(Dice& dice, int most)
{
    test::Comm comm = make_graph();
    for (int first = 0; first < test::size(); ++first) {
        const auto exchange = draw(dice.common, most);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        int token = 0;
        exchange->start(comm, &request);
        if (test::rank() == first) {
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            for (int r = 0; r < test::size(); ++r)
                if (r != first) MPI_Send(&token, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&token, 1, MPI_INT, first, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        CHECK(exchange->is_right());
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
    Exchanges exchanges;
    for (int i = 0; i < comms * rounds; ++i) exchanges.push_back(draw(dice.common, most));
    Requests requests(at(comms * rounds), ORTHO_REQUEST_NULL);
    Ints order;
    for (int i = 0; i < comms * rounds; ++i) order.push_back(i % comms);
    std::ranges::shuffle(order, dice.own);
    Ints next(at(comms));
    for (const int comm : order) {
        const int i = next[at(comm)]++ * comms + comm;
        exchanges[at(i)]->start(graphs[at(comm)], &requests[at(i)]);
    }
    MPI_Comm_free(&parent);
    std::ranges::shuffle(graphs, dice.common);
    for (MPI_Comm& graph : graphs)
        if (uniform(dice.common, 0, 1) != 0) MPI_Comm_free(&graph);
    complete(requests, dice.own);
    check_all(exchanges);
    for (MPI_Comm& graph : graphs)
        if (graph != MPI_COMM_NULL) MPI_Comm_free(&graph);
}

/// Some processes start many operations while others are away, which then come by.
void many_are_under_way(Dice& dice, int most, int number)
{
    MPI_Comm comm = make_graph();
    Exchanges exchanges;
    for (int i = 0; i < number; ++i) exchanges.push_back(draw(dice.common, most));
    Requests requests(at(number), ORTHO_REQUEST_NULL);
    const int away = uniform(dice.common, 0, test::size() - 1);
    if (test::rank() == away)
        for (int r = 0; r < test::size(); ++r)
            if (r != away) MPI_Recv(nullptr, 0, MPI_INT, r, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < number; ++i) exchanges[at(i)]->start(comm, &requests[at(i)]);
    if (test::rank() != away) MPI_Send(nullptr, 0, MPI_INT, away, 6, MPI_COMM_WORLD);
    if (uniform(dice.common, 0, 1) != 0) MPI_Comm_free(&comm); // while they are under way
    complete(requests, dice.own);
    check_all(exchanges);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

/// Nobody waits for operations whose requests are freed; they end, with their communicator gone.
void requests_are_freed(Dice& dice, int most)
{
    MPI_Comm comm = make_graph();
    Exchanges exchanges;
    for (int i = 0; i < 5; ++i) exchanges.push_back(draw(dice.common, most));
    for (const auto& exchange : exchanges) {
        test::Request request;
        exchange->start(comm, &request);
    }
    MPI_Comm_free(&comm);
    const auto all_are_right = [&] {
        return std::ranges::all_of(exchanges, [](const auto& exchange) { return exchange->is_right(); });
    };
    while (!all_are_right()) CHECK_OK(ORTHO_Progress());
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Blocking and persistent calls between non-blocking ones that are under way.
void forms_mix(Dice& dice, int most)
{
    test::Comm comm = make_graph();
    Exchanges exchanges;
    Requests requests;
    for (int i = 0; i < 12; ++i) {
        exchanges.push_back(draw(dice.common, most));
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        exchanges.back()->start(comm, &request);
        requests.push_back(request);
        if (i % 3 != 0) continue;
        const Ints from(steps.size(), 100 * i + test::rank());
        Ints to(steps.size(), -1);
        CHECK_OK(ORTHO_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm));
        for (std::size_t k = 0; k < steps.size(); ++k) CHECK_EQ(to[k], 100 * i + shifted(-steps[k]));
    }
    complete(requests, dice.own);
    check_all(exchanges);
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
        Exchanges exchanges;
        const int number = uniform(dice.common, 1, 60);
        for (int i = 0; i < number; ++i) exchanges.push_back(draw(dice.common, 8000));
        Requests requests(at(number), ORTHO_REQUEST_NULL);
        for (int i = 0; i < number; ++i) {
            pages::grants = uniform(dice.own, 0, 2);
            exchanges[at(i)]->start(comm, &requests[at(i)]);
        }
        complete(requests, dice.own);
        check_all(exchanges);
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
