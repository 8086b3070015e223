// SPDX-License-Identifier: BSD-3-Clause
// Sparse exchanges of random blocks, against arithmetic: blocking, several at a time, by counts and by probes;
// graphs of which only targets are known; what is wrong.

#include "sparse/sparse_exchange.hpp"

using ortho::sparse::SparseExchange;

namespace {

/// A block that a process sends.
struct Block {
    int target, count;
    int gap; ///< elements before it that are not sent
};
/// The blocks of all processes: each process knows what the others send.
using Blocks = std::vector<std::vector<Block>>;

Blocks random_blocks(Random& random, int processes, int most_elements)
{
    Blocks result(at(processes));
    for (std::vector<Block>& mine : result) {
        const int n = uniform(random, 0, 1) == 0 ? 0 : uniform(random, 0, 6);
        for (int i = 0; i < n; ++i) {
            const int target = uniform(random, 0, 9) == 0 ? MPI_PROC_NULL : uniform(random, 0, processes - 1);
            const int count = uniform(random, 0, 3) == 0 ? 0 : uniform(random, 0, most_elements);
            mine.push_back({target, count, uniform(random, 0, 3)});
        }
    }
    return result;
}

int value(int source, int block, int element) { return source * 1'000'000 + block * 10'000 + element; }

/// Elements of two ints, with a gap behind each where they are sent.
struct Types {
    test::Type pair = test::committed(MPI_Type_contiguous, 2, MPI_INT);
    test::Type with_gaps = test::strided_ints(2, 1, 2, 4);
};

/// An exchange, from the arguments to what has come.
class Case {
public:
    Case(const Blocks& blocks, bool typed, MPI_Comm comm) : blocks_(blocks), typed_(typed), comm_(comm)
    {
        int begin = 0;
        for (const Block& block : blocks_[at(test::rank(comm))]) {
            begin += block.gap;
            targets_.push_back(block.target);
            counts_.push_back(block.count);
            displacements_.push_back(begin);
            begin += block.count;
        }
        data_.assign(at(begin) * ints_, -1);
        for (std::size_t i = 0; i < targets_.size(); ++i)
            for (int j = 0; j < counts_[i]; ++j) {
                int* const element = &data_[at(static_cast<int>(displacements_[i]) + j) * ints_];
                element[0] = value(test::rank(comm), static_cast<int>(i), j);
                if (typed_) element[2] = -element[0];
            }
    }

    void run()
    {
        CHECK_OK(ORTHO_Sparse_alltoallv(data_.data(), number(), targets_.data(), counts_.data(),
                                        displacements_.data(), type(), comm_, MPI_INFO_NULL, &exchange_));
    }
    void start()
    {
        CHECK_OK(ORTHO_Isparse_alltoallv(data_.data(), number(), targets_.data(), counts_.data(),
                                         displacements_.data(), type(), comm_, MPI_INFO_NULL, &exchange_,
                                         &request_));
        std::ranges::fill(data_, -2); // it has been copied
    }
    void wait() { CHECK_OK(ORTHO_Wait(&request_, MPI_STATUS_IGNORE)); }

    void check()
    {
        Ints sources;
        std::vector<Ints> expected;
        MPI_Count elements = 0;
        for (int source = 0; source < std::ssize(blocks_); ++source)
            for (int i = 0; i < std::ssize(blocks_[at(source)]); ++i) {
                const Block& block = blocks_[at(source)][at(i)];
                if (block.target != test::rank(comm_)) continue;
                sources.push_back(source);
                Ints& values = expected.emplace_back();
                for (int j = 0; j < block.count; ++j) values.push_back(value(source, i, j));
                elements += block.count;
            }
        int n = -1;
        MPI_Count total = -1;
        CHECK_OK(ORTHO_Sparse_count(exchange_, &n, &total));
        CHECK_EQ(n, static_cast<int>(sources.size()));
        CHECK_EQ(total, elements);
        if (n != std::ssize(sources) || total != elements) return;

        const std::size_t width = typed_ ? 2 : 1;
        Ints received(static_cast<std::size_t>(total) * width + 1, -7);
        Ints from(at(n));
        std::vector<MPI_Count> counts(at(n));
        std::vector<MPI_Aint> displacements(at(n));
        CHECK_OK(ORTHO_Sparse_receive(&exchange_, received.data(), typed_ ? types().pair.handle() : MPI_INT,
                                      from.data(), counts.data(), displacements.data()));
        CHECK(exchange_ == ORTHO_SPARSE_NULL);
        CHECK(from == sources);
        CHECK_EQ(received.back(), -7);
        std::size_t next = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK_EQ(static_cast<std::size_t>(counts[i]), expected[i].size());
            CHECK_EQ(static_cast<std::size_t>(displacements[i]) * width, next);
            for (const int wanted : expected[i]) {
                CHECK_EQ(received[next], wanted);
                if (typed_) CHECK_EQ(received[next + 1], -wanted);
                next += width;
            }
        }
    }

private:
    int number() const { return static_cast<int>(targets_.size()); }
    MPI_Datatype type() const { return typed_ ? types().with_gaps.handle() : MPI_INT; }
    static Types& types()
    {
        static Types* const all = new Types; // freed with MPI
        return *all;
    }

    const Blocks& blocks_;
    bool typed_;
    MPI_Comm comm_;
    std::size_t ints_ = typed_ ? 4 : 1;
    Ints targets_;
    std::vector<MPI_Count> counts_;
    std::vector<MPI_Aint> displacements_;
    Ints data_;
    ORTHO_Sparse exchange_ = ORTHO_SPARSE_NULL;
    ORTHO_Request request_ = ORTHO_REQUEST_NULL;
};

void blocking(Random& random, MPI_Comm comm)
{
    const Blocks blocks = random_blocks(random, test::size(comm), 40);
    Case one(blocks, uniform(random, 0, 1) != 0, comm);
    one.run();
    one.check();
}

/// Several under way, of two communicators, completed in any order.
void at_a_time(Random& random, MPI_Comm comm)
{
    test::Comm other = test::duplicate(comm);
    const int n = uniform(random, 1, 4);
    std::vector<Blocks> blocks;
    for (int i = 0; i < n; ++i) blocks.push_back(random_blocks(random, test::size(comm), 40));
    std::vector<Case> started;
    started.reserve(at(n));
    for (int i = 0; i < n; ++i)
        started.emplace_back(blocks[at(i)], i % 2 == 0, uniform(random, 0, 1) == 0 ? comm : MPI_Comm(other))
            .start();
    blocking(random, comm);
    std::vector<Case*> order;
    for (Case& one : started) order.push_back(&one);
    std::ranges::shuffle(order, random);
    for (Case* const one : order) one->wait();
    for (Case& one : started) one.check();
}

void large(MPI_Comm comm)
{
    const int p = test::size(comm);
    Blocks blocks(at(p));
    for (int r = 0; r < p; ++r) blocks[at(r)] = {{(r + 1) % p, 9999, 0}, {(r + 1) % p, 0, 0}, {r, 9999, 5}};
    for (int repeat = 0; repeat < 3; ++repeat) {
        Case one(blocks, true, comm);
        one.run();
        one.check();
    }
}

/// Blocks that are not received are given up, whether they have come or not.
void given_up(MPI_Comm comm)
{
    const int p = test::size(comm), target = (test::rank(comm) + 1) % p;
    const MPI_Count count = 1;
    const MPI_Aint displacement = 0;
    const int data = 5;
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    CHECK_OK(ORTHO_Sparse_alltoallv(&data, 1, &target, &count, &displacement, MPI_INT, comm, MPI_INFO_NULL,
                                    &exchange));
    CHECK_OK(ORTHO_Sparse_free(&exchange));
    CHECK(exchange == ORTHO_SPARSE_NULL);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    CHECK_OK(ORTHO_Isparse_alltoallv(&data, 1, &target, &count, &displacement, MPI_INT, comm, MPI_INFO_NULL,
                                     &exchange, &request));
    CHECK_OK(ORTHO_Sparse_free(&exchange));
    CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
}

void from_targets(Random& random, MPI_Comm comm)
{
    const int p = test::size(comm), me = test::rank(comm);
    const bool weighted = uniform(random, 0, 1) != 0;
    std::vector<Ints> targets(at(p));
    for (Ints& of_one : targets)
        for (int n = uniform(random, 0, 5); n > 0; --n) of_one.push_back(uniform(random, 0, p - 1));
    const auto weight = [](int rank, std::size_t i) { return 10 * rank + static_cast<int>(i); };
    Ints weights;
    for (std::size_t i = 0; i < targets[at(me)].size(); ++i) weights.push_back(weight(me, i));
    test::Comm graph;
    CHECK_OK(ORTHO_Dist_graph_create_from_targets(comm, static_cast<int>(targets[at(me)].size()),
                                                  targets[at(me)].data(),
                                                  !weighted         ? MPI_UNWEIGHTED
                                                  : weights.empty() ? MPI_WEIGHTS_EMPTY
                                                                    : weights.data(),
                                                  MPI_INFO_NULL, 0, &graph));
    Ints sources, source_weights;
    for (int r = 0; r < p; ++r)
        for (std::size_t i = 0; i < targets[at(r)].size(); ++i) {
            if (targets[at(r)][i] != me) continue;
            sources.push_back(r);
            source_weights.push_back(weight(r, i));
        }
    if (!sources.empty() || !weights.empty()) CHECK_EQ(test::edges(graph)[2] != 0, weighted);
    const test::Lists lists = test::lists_of(graph);
    CHECK(lists.sources == sources);
    CHECK(lists.targets == targets[at(me)]);
    if (weighted) CHECK(lists.source_weights == source_weights);
    // Edges from one process to another arrive in its order.
    weights.push_back(0); // no null pointer
    Ints received(sources.size() + 1, -1);
    CHECK_OK(ORTHO_Alltoall(weights.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph));
    received.pop_back();
    CHECK(received == source_weights);
}

/// An error that is found when the communicator has been freed goes through the handler that it had.
void freed_before_an_error()
{
    test::Comm comm = test::duplicate();
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int target = 0;
    MPI_Count count = 1;
    const MPI_Aint displacement = 0;
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    // Open MPI does not free a communicator that is being duplicated.
    CHECK_OK(ORTHO_Sparse_alltoallv(&target, 1, &target, &count, &displacement, MPI_INT, comm, MPI_INFO_NULL,
                                    &exchange));
    CHECK_OK(ORTHO_Sparse_free(&exchange));
    count = test::rank() == 0 ? -1 : 1;
    const int code = ORTHO_Isparse_alltoallv(&target, 1, &target, &count, &displacement, MPI_INT, comm,
                                             MPI_INFO_NULL, &exchange, &request);
    const test::Comm another = test::duplicate(); // it may get the handle
    MPI_Comm_set_errhandler(another, MPI_ERRORS_ARE_FATAL);
    refused(test::rank() == 0 ? code : ORTHO_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_COUNT,
            "sendcounts[0] = -1 is negative");
}

/// A mistake on the last process is an error on all.
void errors(MPI_Comm comm)
{
    const int p = test::size(comm);
    const bool is_last = test::rank(comm) == p - 1;
    const std::string who = is_last ? "" : "rank " + std::to_string(p - 1);
    const int data[] = {1, 2};
    int target = 0;
    MPI_Count count = 1;
    const MPI_Aint displacement = 0;
    ORTHO_Sparse exchange = ORTHO_SPARSE_NULL;
    const auto call = [&](MPI_Datatype type = MPI_INT, ORTHO_Sparse* result = nullptr, int n = 1) {
        return ORTHO_Sparse_alltoallv(data, n, &target, &count, &displacement, type, comm, MPI_INFO_NULL,
                                      result == nullptr ? &exchange : result);
    };
    for (const int most : {256, 0}) {
        SparseExchange::most_counted = most;
        target = is_last ? p : 0;
        refused(call(), MPI_ERR_RANK, "targets[0] = " + std::to_string(p));
        CHECK(message().find(who) != std::string::npos);
        target = 0;
        count = is_last ? -3 : 1;
        refused(call(), MPI_ERR_COUNT, "sendcounts[0] = -3 is negative");
        count = 1;
        refused(call(is_last ? MPI_DATATYPE_NULL : MPI_INT), MPI_ERR_TYPE, "sendtype is MPI_DATATYPE_NULL");
        refused(call(MPI_INT, nullptr, is_last ? -1 : 1), MPI_ERR_COUNT, "ntargets = -1 is negative");

        target = is_last ? p : 0;
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        const int code = ORTHO_Isparse_alltoallv(data, 1, &target, &count, &displacement, MPI_INT, comm,
                                                 MPI_INFO_NULL, &exchange, &request);
        if (is_last) {
            refused(code, MPI_ERR_RANK, "targets[0] = " + std::to_string(p));
        } else {
            CHECK_OK(code);
            refused(ORTHO_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_RANK, who);
            CHECK_OK(ORTHO_Sparse_free(&exchange));
        }
        target = 0;
        CHECK_OK(call());
        CHECK_OK(ORTHO_Sparse_free(&exchange));
    }
    SparseExchange::most_counted = 256;

    int n = 0;
    refused(ORTHO_Sparse_count(ORTHO_SPARSE_NULL, &n, nullptr), MPI_ERR_ARG, "exchange is no exchange");
    refused(ORTHO_Sparse_free(&exchange), MPI_ERR_ARG, "exchange is no exchange");
    CHECK_OK(call());
    ORTHO_Sparse copy = exchange;
    if (test::rank(comm) == 0) {
        double room[64];
        refused(ORTHO_Sparse_receive(&exchange, room, MPI_DOUBLE, nullptr, nullptr, nullptr),
                MPI_ERR_TRUNCATE, "an element of recvtype has 8 bytes, and rank 0 has sent elements of 4");
    }
    std::vector<int> room(at(p));
    Ints sources(at(p));
    const int come = test::rank(comm) == 0 ? p : 0;
    const auto at_most = [&](int elements, int blocks, int* list) {
        return ORTHO_Sparse_receive_at_most(&exchange, room.data(), elements, MPI_INT, blocks, list, nullptr,
                                            nullptr);
    };
    const std::string words = ", and " + std::to_string(come);
    refused(at_most(come - 1, come, nullptr), MPI_ERR_TRUNCATE,
            "recvcount = " + std::to_string(come - 1) + words + " elements have come");
    refused(at_most(come, come - 1, sources.data()), MPI_ERR_TRUNCATE,
            "maxn = " + std::to_string(come - 1) + words + " blocks have come");
    CHECK_EQ(std::ranges::count(room, 0), p);
    CHECK_OK(at_most(come, 0, nullptr)); // no list is given
    CHECK_EQ(std::ranges::count(room, 1), come);
    CHECK_OK(call());
    CHECK_OK(at_most(p, come, sources.data()));
    for (int i = 0; i < come; ++i) CHECK_EQ(sources[at(i)], i);
    CHECK_OK(call());
    copy = exchange;
    CHECK_OK(ORTHO_Sparse_receive(&exchange, room.data(), MPI_INT, nullptr, nullptr, nullptr));
    refused(ORTHO_Sparse_receive(&copy, room.data(), MPI_INT, nullptr, nullptr, nullptr), MPI_ERR_ARG,
            "was received or freed");

    MPI_Comm graph = MPI_COMM_NULL;
    target = is_last ? -5 : 0;
    refused(ORTHO_Dist_graph_create_from_targets(comm, 1, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
            MPI_ERR_RANK, "targets[0] = -5");
    CHECK(graph == MPI_COMM_NULL);
    target = MPI_PROC_NULL;
    const int of_gap = -1;
    CHECK_OK(ORTHO_Dist_graph_create_from_targets(comm, 1, &target, &of_gap, MPI_INFO_NULL, 0, &graph));
    MPI_Comm_free(&graph);
    target = 0;
    refused(
        ORTHO_Dist_graph_create_from_targets(comm, 1, &target, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph),
        MPI_ERR_ARG, "weights is MPI_WEIGHTS_EMPTY or a null pointer");
}

} // namespace

TEST_MAIN()
{
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4711)));
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(60));
    for (int repeat = 0; repeat < repeats; ++repeat) {
        SparseExchange::most_counted = repeat % 2 == 0 ? 256 : 0;
        test::Comm comm = test::duplicate();
        for (int k = 0; k < 4; ++k) blocking(random, comm);
        at_a_time(random, comm);
        from_targets(random, comm);
    }
    for (const int most : {256, 0}) {
        SparseExchange::most_counted = most;
        large(MPI_COMM_WORLD);
        given_up(MPI_COMM_WORLD);
    }
    test::return_errors(MPI_COMM_NULL);
    errors(MPI_COMM_WORLD);
    freed_before_an_error();
}
