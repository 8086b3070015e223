// SPDX-License-Identifier: BSD-3-Clause
// Tests the verifier: errors of a wrong algorithm must not pass.
#include "plan/schedule_text.hpp"
#include "schedule/builder.hpp"

using namespace ortho::schedule;

namespace {

/// Five processes in a ring, each sending a block to either side and one to itself.
class VerifierTest : public testing::Test {
protected:
    VerifierTest()
        : neighborhood(grid::canonical(grid::Grid({5}, {1}), grid::Stencil(1, {-1, 0, 1})).neighborhood),
          world(world_of(neighborhood.grid)),
          goal(cases::delivery(neighborhood, true)),
          good(cases::build(algorithm::alltoall_combining, neighborhood, 0, algorithm::one_by_one(1)))
    {}

    std::string verdict(const Schedule& schedule) const
    {
        return verify(world, std::span(&schedule, 1), goal).value_or("");
    }

    grid::Neighborhood neighborhood;
    World world;
    Goal goal;
    Schedule good;
};

TEST_F(VerifierTest, ARightScheduleIsRight) { EXPECT_EQ(verdict(good), ""); }

TEST_F(VerifierTest, EveryPairOfSwappedSlotsFails)
{
    for (std::size_t a = 0; a < good.slots.size(); ++a)
        for (std::size_t b = a + 1; b < good.slots.size(); ++b) {
            Schedule bad = good;
            std::swap(bad.slots[a], bad.slots[b]);
            EXPECT_NE(verdict(bad), "") << a << " " << b;
        }
}

TEST_F(VerifierTest, ChangesOfARightScheduleAreSeen)
{
    const struct {
        const char* what;
        void (*change)(Schedule&);
        const char* verdict;
    } rows[] = {
        {"nothing is done", [](Schedule& its) { its = {}; }, "ends with nothing"},
        {"a message is missing", [](Schedule& its) { its.rounds[0].to = nobody; }, "for ever"},
        {"a message is not read", [](Schedule& its) { its.rounds[0].from = nobody; }, ""},
        {"a message has another length", [](Schedule& its) { --its.rounds[0].receives.end; },
         "expects 0 blocks"},
    };
    for (const auto& row : rows) {
        Schedule bad = good;
        row.change(bad);
        EXPECT_NE(verdict(bad), "") << row.what;
        EXPECT_NE(verdict(bad).find(row.verdict), std::string::npos) << row.what << ": " << verdict(bad);
    }
}

TEST_F(VerifierTest, WritingWhereNothingBelongsFails)
{
    goal.receive[2][1].reset();
    EXPECT_NE(verdict(good).find("instead of nothing"), std::string::npos);
}

void send_right(Builder& out, int step, Slot into)
{
    out.begin_round(std::vector<int>{step});
    out.send(send_slot(2));
    out.receive(into);
}

TEST_F(VerifierTest, PhasesThatAreWrongFail)
{
    const struct {
        const char* what;
        void (*fill)(Builder&);
        const char* verdict;
    } rows[] = {
        {"a process copies its own blocks",
         [](Builder& out) {
             for (int i = 0; i < 3; ++i) out.copy_meanwhile(send_slot(i), receive_slot(i));
         },
         "ends with block"},
        {"the send buffer is written", [](Builder& out) { out.copy_meanwhile(send_slot(0), send_slot(1)); },
         "writes send 1"},
        {"what is read is not there",
         [](Builder& out) { out.copy_meanwhile(out.new_temp(0), receive_slot(0)); },
         "before anything is there"},
        {"what comes is read in the same phase",
         [](Builder& out) {
             send_right(out, 1, receive_slot(2));
             out.copy_meanwhile(receive_slot(2), receive_slot(0));
         },
         "something else in the phase"},
        {"a message goes to its sender", [](Builder& out) { send_right(out, 5, receive_slot(2)); }, "itself"},
        {"the right block lies in a temp slot that was made for another one",
         [](Builder& out) {
             const Slot temp = out.new_temp(0);
             send_right(out, 1, temp);
             out.copy_afterwards(temp, receive_slot(2));
         },
         "of the size of block 2"},
    };
    for (const auto& row : rows) {
        Builder out = Builder::on_grid(1);
        out.begin_phase();
        row.fill(out);
        const std::string found = verdict(std::move(out).finish());
        EXPECT_NE(found.find(row.verdict), std::string::npos) << row.what << ": " << found;
    }
}

TEST(Verifier, KnowsTheOrderOfAReduction)
{
    // 0 and 1 both send to 2, which reduces in the order given.
    const std::vector<grid::LocalGraph> graph{{0, {}, {2}}, {1, {}, {2}}, {2, {0, 1}, {}}};
    Goal goal;
    goal.receive = {{std::nullopt}, {std::nullopt}, {Value{{0, 0}, {1, 0}}}};
    std::vector<Schedule> schedules;
    for (const auto& process : graph) schedules.push_back(cases::build(algorithm::allreduce_direct, process));
    EXPECT_EQ(verify(world_of(graph), schedules, goal), std::nullopt);
    goal.receive[2][0] = Value{{1, 0}, {0, 0}};
    EXPECT_NE(verify(world_of(graph), schedules, goal), std::nullopt);
    goal.commutative = true;
    EXPECT_EQ(verify(world_of(graph), schedules, goal), std::nullopt);
    goal.receive[2][0] = Value{{1, 0}, {1, 0}};
    EXPECT_NE(verify(world_of(graph), schedules, goal), std::nullopt);
}

TEST_F(VerifierTest, CostsAreCounted)
{
    EXPECT_EQ(cost(good), (Cost{.phases = 1,
                                .messages = 2,
                                .blocks = 2,
                                .messages_in = 2,
                                .blocks_in = 2,
                                .copies = 1,
                                .reductions = 0}));
}

TEST_F(VerifierTest, SchedulesPrintInWords)
{
    EXPECT_EQ(to_text(good), "phase 0\n"
                             "  to +(-1): send 0\n"
                             "  from -(-1): receive 0\n"
                             "  to +(1): send 2\n"
                             "  from -(1): receive 2\n"
                             "  meanwhile: copy send 1 into receive 1\n");
}

} // namespace
