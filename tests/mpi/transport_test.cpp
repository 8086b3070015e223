// SPDX-License-Identifier: BSD-3-Clause
// A transport that somebody adds: it counts messages, and passes them on to another.  The engine binds and
// runs a schedule with it as with its own.

#include "engine/operation.hpp"
#include "planner/algorithm_list.hpp"
#include "runtime/wait.hpp"
#include "topology/graph.hpp"
#include "transport/transport.hpp"

namespace {

using namespace ortho;

struct Counts {
    int bound = 0, posted = 0;
};

/// Counts the messages of a phase.
class CountedMessages final : public transport::Messages {
public:
    CountedMessages(std::unique_ptr<transport::Messages> inner, Counts& counts)
        : inner_(std::move(inner)),
          counts_(counts)
    {}
    const transport::Messages& inner() const { return *inner_; }

private:
    void add_receive(int partner, const std::vector<transport::DataLocation>& data,
                     transport::BoundDatatypes& layouts, transport::Label label) override
    {
        inner_->bind_receive(partner, data, layouts, label);
    }
    void add_send(int partner, const std::vector<transport::DataLocation>& data,
                  transport::BoundDatatypes& layouts, transport::Label label) override
    {
        ++counts_.bound;
        inner_->bind_send(partner, data, layouts, label);
    }

    std::unique_ptr<transport::Messages> inner_;
    Counts& counts_;
};

class CountedPassage final : public transport::Passage {
public:
    CountedPassage(std::unique_ptr<transport::Passage> inner, Counts& counts)
        : inner_(std::move(inner)),
          counts_(counts)
    {}

    void reserve(const transport::Messages& messages) override { inner_->reserve(inner(messages)); }
    void post(const transport::Messages& messages, transport::Stamp stamp) override
    {
        counts_.posted += static_cast<int>(messages.receivers().size());
        inner_->post(inner(messages), stamp);
    }
    bool advance(runtime::Backoff& backoff) override
    {
        const bool done = inner_->advance(backoff);
        error_ = inner_->error();
        return done;
    }
    bool has_arrived(std::size_t receive) override { return inner_->has_arrived(receive); }
    void add_waiting_for(std::set<int>& ranks) override { inner_->add_waiting_for(ranks); }
    void abandon(std::span<const int> ranks) override { inner_->abandon(ranks); }

private:
    static const transport::Messages& inner(const transport::Messages& messages)
    {
        return static_cast<const CountedMessages&>(messages).inner();
    }

    std::unique_ptr<transport::Passage> inner_;
    Counts& counts_;
};

class Counting final : public transport::Transport {
public:
    Counting(std::shared_ptr<transport::Transport> inner, Counts& counts)
        : inner_(std::move(inner)),
          counts_(counts)
    {}

    bool reaches(int rank, std::size_t bytes, std::size_t mpi_messages) const override
    {
        return inner_->reaches(rank, bytes, mpi_messages);
    }
    std::unique_ptr<transport::Messages> bind() override
    {
        return std::make_unique<CountedMessages>(inner_->bind(), counts_);
    }
    std::unique_ptr<transport::Passage> passage(const transport::Labels& labels) override
    {
        return std::make_unique<CountedPassage>(inner_->passage(labels), counts_);
    }
    const char* words() const override { return "counted"; }

private:
    std::shared_ptr<transport::Transport> inner_;
    Counts& counts_;
};

/// A transport that reaches even ranks alone: the others' messages go by the next one of the list.
class ToEven final : public transport::Transport {
public:
    explicit ToEven(std::shared_ptr<transport::Transport> inner) : inner_(std::move(inner)) {}
    bool reaches(int rank, std::size_t, std::size_t) const override { return (rank + test::rank()) % 2 == 0; }
    std::unique_ptr<transport::Messages> bind() override { return inner_->bind(); }
    std::unique_ptr<transport::Passage> passage(const transport::Labels& labels) override
    {
        return inner_->passage(labels);
    }

private:
    std::shared_ptr<transport::Transport> inner_;
};

/// Every process sends to those at random distances, the same for all: what it sends says who to whom.
void exchange(std::mt19937& random, MPI_Comm comm)
{
    const int p = test::size(), me = test::rank();
    const int degree = std::uniform_int_distribution<int>(0, 6)(random);
    auto graph_info = std::make_shared<topology::GraphInfo>();
    graph_info->lists.rank = me;
    std::vector<int> sent;
    int leave = 0, leave_counted = 0; // go to other processes
    for (int i = 0; i < degree; ++i) {
        const int distance = std::uniform_int_distribution<int>(0, p - 1)(random);
        graph_info->lists.targets.push_back((me + distance) % p);
        graph_info->lists.sources.push_back((me + p - distance) % p);
        sent.push_back(1000 * me + i);
        leave += distance != 0 ? 1 : 0;
        leave_counted += distance != 0 && ((me + distance) % p + me) % 2 != 0 ? 1 : 0;
    }
    std::vector<int> received(sent.size(), -1);
    const auto schedule = std::make_shared<const schedule::Schedule>(
        algorithm::alltoall_direct.build({}, graph_info->lists, {}, {}));
    const call::Sides sides{call::BufferBlocks::regular(sent.data(), degree, 1, MPI_INT),
                            call::BufferBlocks::regular(received.data(), degree, 1, MPI_INT),
                            {}};

    Counts all, odd;
    const auto messages = transport::point_to_point(comm, nullptr);
    const transport::Transports counted{std::make_shared<Counting>(messages, all)};
    const transport::Transports two{std::make_shared<ToEven>(messages),
                                    std::make_shared<Counting>(messages, odd)};
    for (const transport::Transports& transports : {counted, two}) {
        const auto binding = std::make_shared<const engine::Binding>(engine::BindingRequest{
            schedule, graph_info, false, false, true, sides, MPI_OP_NULL, MPI_DATATYPE_NULL, {}, transports});
        engine::Operation operation(binding, MPI_OP_NULL);
        for (int repeat = 1; repeat <= 2; ++repeat) {
            received.assign(received.size(), -1);
            operation.start({.tag = repeat, .number = 0});
            runtime::wait_until([&](runtime::Backoff& backoff) { return operation.advance(backoff); });
            operation.rethrow();
            for (int i = 0; i < degree; ++i)
                CHECK_EQ(received[at(i)], 1000 * graph_info->lists.sources[at(i)] + i);
        }
    }
    // Edges to one process may be one message.
    CHECK(all.bound <= leave && (leave == 0) == (all.bound == 0));
    CHECK_EQ(all.posted, 2 * all.bound);
    CHECK(odd.bound <= leave_counted && (leave_counted == 0) == (odd.bound == 0));
    CHECK_EQ(odd.posted, 2 * odd.bound);
}

} // namespace

TEST_MAIN()
{
    test::Comm comm = test::duplicate();
    std::mt19937 random(19);
    for (int i = 0; i < 200; ++i) ::exchange(random, comm);
}
