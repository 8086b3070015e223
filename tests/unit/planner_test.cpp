// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "grid/halo_geometry.hpp"
#include "grid/nodes.hpp"
#include "planner/network_kind.hpp"
#include "planner/tune_file.hpp"
#include "random_cases.hpp"
#include "schedule/cost.hpp"
#include "schedule/off_node.hpp"
#include "schedule/price.hpp"

using namespace ortho;
using namespace ortho::planner;
using namespace ortho::schedule;
using algorithm::Compared;
using algorithm::Forwarding;

namespace {

/// On one node.
PlannerContext with_offsets(const grid::Grid& grid, const grid::Stencil& offsets, int rank = 0)
{
    PlannerContext context;
    context.set_stencil({grid::canonical(grid, offsets).neighborhood, {}});
    context.graph = cases::graph_of(*context.neighborhood).processes[static_cast<std::size_t>(rank)];
    context.layout.one_node = true;
    return context;
}

PlannerContext moore(const grid::Grid& grid, int rank = 0)
{
    grid::Stencil stencil(grid.dimensions());
    std::vector<int> offset(static_cast<std::size_t>(grid.dimensions()), -1);
    for (bool more = true; more;) {
        stencil.push_back(offset);
        more = false;
        for (std::size_t k = offset.size(); k-- > 0 && !more;) {
            more = offset[k] < 1;
            offset[k] = more ? offset[k] + 1 : -1;
        }
    }
    return with_offsets(grid, stencil, rank);
}

std::string chosen(Planner& planner, CallSpecification specification)
{
    return std::string(planner.plan(specification).algorithm->name);
}

const grid::Grid torus({5, 5, 5}, {1, 1, 1});

TEST(Registry, NamesAreDistinctAndFirstIsDirect)
{
    std::set<std::string_view> names;
    std::set<Collective> seen;
    for (const Algorithm* const a : all_algorithms()) {
        EXPECT_TRUE(names.insert(a->name).second);
        // The first that serves all calls.
        if (a->why_not != nullptr && a->why_not({}, {}) == WhyNot::one_size) continue;
        if (!seen.insert(a->collective).second) continue;
        EXPECT_TRUE(a->name.ends_with("_direct"));
        EXPECT_EQ(a->why_not, nullptr);
    }
    EXPECT_EQ(seen.size(), 11U);
}

TEST(Planner, TheCutOffOfThePaper)
{
    // m < (alpha/beta) (t-C)/(V-t), A 3.1: 10 000 bytes * (26-6)/(54-26) = 7142.9 bytes, where messages
    // cost nothing but alpha and beta, and there are but the two algorithms.
    const Machine linear{.node = {600'000, 400'000, 0, 100, 100}, .block_ps = 0, .reduce_byte_ps = 0};
    Planner planner(moore(torus), {{"alltoall_direct", "alltoall_combining"}, {linear, {}}});
    const auto at = [&](std::int64_t bytes) {
        return chosen(planner, {.collective = Collective::alltoall, .block_bytes = bytes});
    };
    EXPECT_EQ(at(0), "alltoall_combining");
    EXPECT_EQ(at(7142), "alltoall_combining");
    EXPECT_EQ(at(7143), "alltoall_direct");
    // Allgather moves no more blocks than direct does: it is better at any size.
    EXPECT_EQ(chosen(planner, {.collective = Collective::allgather, .block_bytes = 1LL << 40}),
              "allgather_combining");
}

TEST(Planner, SharedMemoryHasPricesOfItsOwn)
{
    Machine machine;
    machine.shared = {7, 11, 13, 2, 2};
    machine.block_ps = 0;
    CallSpecification specification{.collective = Collective::alltoall, .block_bytes = 3};
    const auto direct_cost = [&](bool one_node) {
        PlannerContext context = moore(torus);
        context.layout.one_node = one_node;
        return Planner(context, {{"alltoall_direct"}, {machine, {}}}).plan(specification).choice.cost_ps;
    };
    const std::int64_t by_mpi = direct_cost(true);
    const std::int64_t between_nodes = direct_cost(false);
    specification.shared_memory = true;
    EXPECT_EQ(direct_cost(true), 26 * (7 + 11) + 26 * 3 * 2);
    EXPECT_NE(direct_cost(true), by_mpi);
    EXPECT_EQ(direct_cost(false), between_nodes);
}

TEST(Planner, WhatForwardsMayBeMpis)
{
    // Fewer messages, which cost more than the many that go through shared memory.
    Machine machine;
    machine.shared = {10'000, 10'000, 10'000, 2, 2};
    PlannerContext context = moore(torus);
    context.layout.one_node = true;
    Planner planner(context, {{}, {machine, {}}});
    CallSpecification specification{
        .collective = Collective::alltoall, .block_bytes = 4, .shared_memory = true};
    EXPECT_NE(chosen(planner, specification), "alltoall_direct");
    specification.forwards_by_mpi = true;
    EXPECT_EQ(chosen(planner, specification), "alltoall_direct");
}

std::shared_ptr<const grid::Nodes> consecutive(int processes, const std::vector<int>& sizes)
{
    return std::make_shared<const grid::Nodes>(grid::Nodes::consecutive(processes, sizes));
}

TEST(OffNode, OfTheBusiestProcessAndOfItsNode)
{
    // A row of 6 processes on nodes of 3: of each three, the outer ones have a neighbor on another node.
    const grid::Stencil both(1, {-1, 1});
    const std::vector<std::int64_t> blocks{2, 5};
    const auto nodes = consecutive(6, {3});
    EXPECT_EQ(off_node(grid::Grid({6}, {1}), *nodes, both, blocks), (OffNode{1, 5, 7}));
    // Without a way around, only two of them have: 7 blocks of two nodes, 3.5 of one.
    EXPECT_EQ(off_node(grid::Grid({6}, {0}), *nodes, both, blocks), (OffNode{1, 5, 4}));
    // Dealt out in turns, every neighbor is elsewhere.
    const grid::Nodes turns(std::vector<int>{0, 1, 0, 1, 0, 1});
    EXPECT_EQ(off_node(grid::Grid({6}, {1}), turns, both, blocks), (OffNode{2, 7, 21}));
    EXPECT_EQ(percent_off_node({grid::Grid({6}, {1}), both}, *nodes), 33);
    EXPECT_EQ(percent_off_node({grid::Grid({6}, {1}), both}, turns), 100);
    // A sample of many: of a third of all processes one message leaves, whichever are looked at.
    const grid::Grid ring({3'000'000}, {1});
    const OffNode many = off_node(ring, *consecutive(3'000'000, {3}), both, blocks, 3000);
    EXPECT_EQ(many.messages, 1);
    EXPECT_EQ(many.blocks, 5);
    EXPECT_NEAR(static_cast<double>(many.node_blocks), 7, 1);
}

TEST(OffNode, EachCrossingOnNodesOfRows)
{
    // 4x4, a row a node: steps in dimension 0 leave, those in dimension 1 do not.
    const grid::Grid grid({4, 4}, {1, 1});
    const auto nodes = consecutive(16, {4});
    const std::optional<grid::Neighborhood> n = moore(grid).neighborhood;
    const auto along = [&](Collective collective) {
        return algorithm::DimensionGroups(*n, collective, nodes).along({{0}, {1}});
    };
    using Phases = std::vector<schedule::PhaseCounts>;
    EXPECT_EQ(along(Collective::alltoall), (Phases{{2, 6, 6, 0, {2, 6, 24}}, {2, 6, 6, 0, {}}}));
    // The tree: two blocks up and down, then three along each row.
    EXPECT_EQ(along(Collective::allgather), (Phases{{2, 2, 2, 0, {2, 2, 8}}, {2, 6, 6, 0, {}}}));
    // Read from schedules it is the same.
    PlannerContext context = moore(grid);
    context.layout = {.one_node = false, .nodes = nodes};
    constexpr std::int64_t one[] = {1};
    const auto read = [&](const Algorithm& algorithm, const algorithm::Groups& groups) {
        return SampledSchedules(algorithm, context, {}, groups).phases(one);
    };
    EXPECT_EQ(read(algorithm::alltoall_combining, {{0}, {1}}), along(Collective::alltoall));
    EXPECT_EQ(read(algorithm::allgather_combining, {{0}, {1}}), along(Collective::allgather));
    EXPECT_EQ(read(algorithm::alltoall_direct, {}), (Phases{{8, 8, 8, 0, {6, 6, 24}}}));
    EXPECT_EQ(read(algorithm::allgather_direct, {}), (Phases{{8, 8, 8, 0, {6, 6, 24}}}));
}

TEST(Planner, PricesOfEdgesThatLeaveTheirNode)
{
    Machine machine{.node = {1, 2, 10, 3, 2},
                    .network = {100, 200, 1000, 300, 150},
                    .injection_byte_ps = 50,
                    .block_ps = 0};
    PlannerContext context = moore(grid::Grid({4, 4}, {1, 1}));
    context.layout = {.one_node = false, .nodes = consecutive(16, {4})};
    const auto cost = [&](const char* algorithm) {
        return Planner(context, {{algorithm}, {machine, {}}})
            .plan({.collective = Collective::alltoall, .block_bytes = 7})
            .choice.cost_ps;
    };
    // 6 of 8 messages leave: 42 of 56 bytes.  Of all four processes 168 bytes leave, which take 8400, less
    // than 42 x 300.  They are longer on their way than they keep the core: the first is sent, all bytes go,
    // the last is received, and half of the others.
    EXPECT_EQ(cost("alltoall_direct"), 1300 + 42 * 300 + 5 * 100);
    // The column leaves; in the row the core is busy: 2 messages of 3 blocks each.
    EXPECT_EQ(cost("alltoall_combining"), 1300 + 42 * 300 + 1 * 100 + (1 + 10 + 2 + 1 + 42 * 3));
    machine.injection_byte_ps = 80; // 168 bytes one after the other
    EXPECT_EQ(cost("alltoall_direct"), 1300 + 168 * 80 + 5 * 100);
    // What keeps the core longer counts instead: overheads hide latency, and bytes that it need not copy.
    machine.network.copy_ps = 300;
    machine.network.receive_ps = 2000;
    EXPECT_EQ(cost("alltoall_direct"), 2 * 3 + 6 * 2100 + 14 * 2 + 42 * 300);
    // Of nodes of which nothing is known all messages leave, one process alone.
    context.layout.nodes = nullptr;
    EXPECT_EQ(cost("alltoall_direct"), 8 * 2100 + 56 * 300);
}

TEST(Planner, PairsOfNodesWhereTheyPay)
{
    PlannerContext context = moore(grid::Grid({4, 4}, {1, 1}));
    Planner one_node(context, {});
    const auto why_not = [](const Planner& planner, const std::vector<std::string>& bound) {
        for (const Candidate& candidate :
             planner.candidates({.collective = Collective::alltoall, .block_bytes = 4}, bound))
            if (candidate.algorithm->name == "alltoall_node_pairs") return std::optional(candidate.why_not);
        return std::optional<WhyNot>();
    };
    EXPECT_EQ(why_not(one_node, {}), std::nullopt);
    EXPECT_EQ(why_not(one_node, {"alltoall_node_pairs"}), WhyNot::one_node);
    context.layout.one_node = false;
    EXPECT_EQ(why_not(Planner(context, {}), {"alltoall_node_pairs"}), WhyNot::nodes_unknown);
    context.layout.nodes = consecutive(16, {4});
    // Where messages between nodes cost much, as by TCP.
    Machine machine;
    machine.network = {20'000'000, 20'000'000, 100'000'000, 1000, 1000};
    Planner rows(context, {{}, {machine, {}}});
    EXPECT_EQ(why_not(rows, {}), WhyNot::nothing);
    const auto of = [&](std::int64_t bytes) {
        return chosen(rows,
                      {.collective = Collective::alltoall, .block_bytes = bytes, .shared_memory = true});
    };
    EXPECT_EQ(of(4), "alltoall_node_pairs");
    EXPECT_EQ(of(1 << 20), "alltoall_direct");
    // Whoever has started it may be away while blocks wait for him.
    EXPECT_EQ(
        chosen(rows,
               {.collective = Collective::alltoall, .forwarding = Forwarding::if_bound, .block_bytes = 4}),
        "alltoall_direct");
}

TEST(NetworkKind, IsToldByTheOrderOfMagnitude)
{
    EXPECT_EQ(network_kind_of(0, 0), 0);
    EXPECT_EQ(network_kind_of(7'999'999, 1'000'000), 0);
    EXPECT_EQ(network_kind_of(8'000'000, 0), 1);
    EXPECT_EQ(network_kind_of(900'000'000, 2'499), 1);
    EXPECT_EQ(network_kind_of(8'000'000, 2'500), 2);
    EXPECT_EQ(network_kind_of(8'000'000, -1), 1); // the byte was disturbed, and the long message was not
    EXPECT_EQ(network_kinds().size(), 3U);

    Machine machine{.node = {1, 2, 3, 4, 4}, .network = {5, 6, 7, 8, 8}, .injection_byte_ps = 9};
    EXPECT_EQ(with_network(machine, 0), machine);
    const Machine over_sockets = with_network(machine, 1);
    machine.network = network_kinds()[1].link;
    machine.injection_byte_ps = network_kinds()[1].injection_byte_ps;
    EXPECT_EQ(over_sockets, machine);
    // Each is slower than the one before.
    for (std::size_t i = 1; i < network_kinds().size(); ++i)
        for (const std::int64_t bytes : {0, 65536})
            EXPECT_GT(message_ps(network_kinds()[i].link, bytes),
                      message_ps(network_kinds()[i - 1].link, bytes));
}

TEST(Planner, SlowNetworksGetFewerMessages)
{
    PlannerContext context = moore(torus);
    context.layout.one_node = false;
    /// The longest blocks that are combined.
    const auto most = [&](int kind) {
        Planner planner(context, {{"alltoall_direct", "alltoall_combining"}, {}, false, kind});
        std::int64_t low = 0;
        std::int64_t high = 1 << 20;
        while (high - low > 1) {
            const std::int64_t middle = (low + high) / 2;
            const CallSpecification call{.collective = Collective::alltoall, .block_bytes = middle};
            (chosen(planner, call) == "alltoall_combining" ? low : high) = middle;
        }
        return low;
    };
    EXPECT_GT(most(1), most(0));
    // Bytes are dear, and those of combined blocks travel several times.
    EXPECT_LT(most(2), most(1));
}

TEST(Planner, NoTrialDecidesHowSumsAreRounded)
{
    PlannerContext context = moore(torus);
    context.layout.one_node = false;
    context.reduction_sizes_agree = true;
    const auto cost_ps = [&](Collective collective, int kind) {
        Planner planner(context, {{}, {}, false, kind});
        const CallSpecification call{.collective = collective, .block_bytes = 800};
        return planner.plan(call).choice.cost_ps;
    };
    for (const Collective sums : {Collective::allreduce, Collective::reduce_scatter})
        EXPECT_EQ(cost_ps(sums, 0), cost_ps(sums, 2));
    EXPECT_LT(cost_ps(Collective::alltoall, 0), cost_ps(Collective::alltoall, 2));
}

TEST(Planner, BetweenTheTwoEndsLieGroups)
{
    // Two dimensions in one phase: 8 + 2 messages and 24 + 18 blocks, between 6 and 54, 26 and 26.
    const Machine linear{.node = {500'000, 500'000, 0, 100, 100}, .block_ps = 0, .reduce_byte_ps = 0};
    Planner planner(moore(torus), {{}, {linear, {}}});
    const Plan plan = planner.plan({.collective = Collective::alltoall, .block_bytes = 5000});
    EXPECT_EQ(plan.algorithm->name, "alltoall_grouped");
    EXPECT_EQ(plan.choice.groups.size(), 2U);
    EXPECT_EQ(plan.choice.cost_ps, 10'000'000 + 42 * 5000 * 100);
    const schedule::Cost cost = schedule::cost(*plan.schedule);
    EXPECT_EQ(cost.messages, 10);
    EXPECT_EQ(cost.blocks, 42);
}

/// Its neighbors are one dimension away, on a random grid; none is there twice if that is not wanted.
PlannerContext random_star(cases::Random& random, bool repeats)
{
    const grid::Grid grid = cases::random_grid(random, 3, 30);
    const grid::Stencil any = cases::random_stencil(random, grid.dimensions(), 7, 3);
    std::multiset<std::vector<int>> star;
    for (int i = 0; i < any.size(); ++i) {
        std::vector<int> offset(static_cast<std::size_t>(grid.dimensions()));
        const int k = cases::uniform(random, 0, grid.dimensions() - 1);
        offset[static_cast<std::size_t>(k)] = static_cast<int>(grid.representative(k, any(i, k)));
        if (repeats || !star.contains(offset)) star.insert(std::move(offset));
    }
    grid::Stencil offsets(grid.dimensions());
    for (const std::vector<int>& offset : star) offsets.push_back(offset);
    PlannerContext context = with_offsets(grid, offsets);
    context.regular_sizes_agree = context.reduction_sizes_agree = true;
    return context;
}

TEST(Planner, CrossingDimensionsSavesNothingOnStars)
{
    cases::Random random(29);
    std::vector<std::string> all;
    for (const std::string_view name : all_names()) all.emplace_back(name);
    for (int repeat = 0; repeat < cases::times(2000); ++repeat) {
        const bool repeats = repeat % 2 == 0;
        const Planner planner(random_star(random, repeats), {});
        for (const Collective collective : {Collective::alltoall, Collective::allgather,
                                            Collective::allreduce, Collective::reduce_scatter}) {
            const CallSpecification call{.collective = collective, .block_bytes = 8};
            if (repeats && algorithm::reduces(collective)) continue;
            // Whoever names them gets them, and they send no less than the direct one.
            const std::vector<Candidate> named = planner.candidates(call, all);
            const Work direct = std::ranges::find_if(named, [](const Candidate& candidate) {
                                    return candidate.algorithm->name.ends_with("_direct");
                                })->choice.work;
            for (const Candidate& candidate : named) {
                if (!candidate.applies() || candidate.algorithm->variants == nullptr) continue;
                ASSERT_GE(candidate.choice.work.messages, direct.messages);
                ASSERT_GE(candidate.choice.work.blocks, direct.blocks);
                ASSERT_GE(candidate.choice.work.phases, direct.phases);
            }
            for (const Candidate& candidate : planner.candidates(call)) {
                if (candidate.algorithm->variants != nullptr) {
                    ASSERT_EQ(candidate.why_not, WhyNot::nothing_to_combine);
                }
            }
        }
    }
}

TEST(Planner, ValuesForANeighborThatIsThereTwiceAreCombined)
{
    PlannerContext twice = with_offsets(torus, grid::Stencil(3, {0, 0, 1, 0, 0, 1}));
    twice.reduction_sizes_agree = true;
    Planner planner(twice, {});
    EXPECT_NE(chosen(planner, {.collective = Collective::reduce_scatter, .block_bytes = 1 << 20}),
              "reduce_scatter_direct");
}

TEST(Planner, PricesWhatHasNoRivalOnlyForThoseWhoAsk)
{
    const PlannerContext star = with_offsets(torus, grid::Stencil(3, {0, 0, 1, 0, 0, -1}));
    const auto cost_ps = [](const PlannerContext& context, bool only_to_choose) {
        return Planner(context, {})
            .plan({.collective = Collective::alltoall, .block_bytes = 8, .only_to_choose = only_to_choose})
            .choice.cost_ps;
    };
    EXPECT_GT(cost_ps(star, false), 0);
    EXPECT_EQ(cost_ps(star, true), 0);
    EXPECT_EQ(cost_ps(moore(torus), true), cost_ps(moore(torus), false));
}

TEST(Planner, CandidatesCarryTheWorkTheyArePricedBy)
{
    // A million processes, of which no list is needed.
    PlannerContext context = moore(torus);
    context.neighborhood->grid = grid::Grid({100, 100, 100}, {1, 1, 1});
    context.graph = {};
    context.layout.one_node = false;
    const Machine machine;
    const Planner planner(context, {{}, {machine, {}}});
    for (const Collective collective :
         {Collective::alltoall, Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
        const std::vector<Candidate> candidates = planner.candidates(
            {.collective = collective, .block_bytes = 400});
        EXPECT_EQ(std::ranges::count(candidates, WhyNot::nothing, &Candidate::why_not), 3);
        for (const Candidate& candidate : candidates) {
            if (!candidate.applies()) continue;
            // Phase by phase; what hides in one need not in another.
            const std::int64_t as_a_whole = predict(machine, context.layout, candidate.choice.work);
            EXPECT_LE(as_a_whole, candidate.choice.cost_ps);
            if (candidate.choice.work.phases == 1) {
                EXPECT_EQ(as_a_whole, candidate.choice.cost_ps);
            }
            EXPECT_EQ(candidate.choice.work.bytes, 400 * candidate.choice.work.blocks);
            EXPECT_GE(candidate.choice.cost_ps, cheapest(candidates)->choice.cost_ps);
        }
    }
    const std::vector<Candidate> alltoall = planner.candidates(
        {.collective = Collective::alltoall, .block_bytes = 400});
    EXPECT_EQ(alltoall[0].choice.work, (Work{1, 26, 26, 10400, 0}));
    const auto combining = std::ranges::find(alltoall, "alltoall_combining",
                                             [](const Candidate& c) { return c.algorithm->name; });
    ASSERT_NE(combining, alltoall.end());
    EXPECT_EQ(combining->choice.work, (Work{3, 6, 54, 21600, 0}));
    EXPECT_EQ(planner.candidates({.collective = Collective::allreduce, .block_bytes = 400})[1].choice.work,
              (Work{3, 6, 6, 2400, 2400}));
    EXPECT_EQ(cheapest({}), nullptr);
    const std::vector<Candidate> bound = planner.candidates(
        {.collective = Collective::alltoall, .block_bytes = 400}, {"alltoall_direct"});
    EXPECT_EQ(cheapest(bound)->algorithm->name, "alltoall_direct");
    EXPECT_EQ(std::ranges::count(bound, WhyNot::nothing, &Candidate::why_not), 1);
}

TEST(Planner, ReductionsCombineWhereTheyMay)
{
    PlannerContext context = moore(torus);
    Planner planner(context, {});
    CallSpecification specification{.collective = Collective::allreduce, .block_bytes = 8};
    for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{1} << 30}) {
        specification.block_bytes = bytes;
        EXPECT_EQ(chosen(planner, specification), "allreduce_combining");
    }
    specification.commutative = false;
    EXPECT_EQ(chosen(planner, specification), "allreduce_direct");
    specification = {.collective = Collective::reduce_scatter, .block_bytes = 8};
    EXPECT_EQ(chosen(planner, specification), "reduce_scatter_combining");
    specification.irregular = true;
    EXPECT_EQ(chosen(planner, specification), "reduce_scatter_direct");
    context.reduction_sizes_agree = false;
    Planner neither(context, {});
    EXPECT_EQ(chosen(neither, {.collective = Collective::allreduce, .block_bytes = 8}), "allreduce_direct");
}

TEST(Planner, StarsShareNothing)
{
    // Von Neumann's stencil: as many messages one way as the other, in one phase or in three.
    PlannerContext context = moore(torus);
    context.neighborhood = grid::canonical(torus, grid::Stencil(3, {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0,
                                                                    0, 1, 0, 0, -1}))
                               .neighborhood;
    context.graph = cases::graph_of(*context.neighborhood).processes[0];
    Planner planner(context, {});
    for (const std::int64_t bytes : {1, 1000, 1'000'000})
        for (const Collective collective :
             {Collective::allreduce, Collective::reduce_scatter, Collective::allgather, Collective::alltoall})
            EXPECT_TRUE(
                chosen(planner, {.collective = collective, .block_bytes = bytes}).ends_with("_direct"));
}

/// All ordered partitions of the dimensions that are not in `before`.
void all_groups(int d, algorithm::Groups& before, std::vector<algorithm::Groups>& result)
{
    unsigned used = 0;
    for (const auto& group : before)
        for (const int k : group) used |= 1U << k;
    const unsigned rest = ((1U << d) - 1) & ~used;
    if (rest == 0) result.push_back(before);
    for (unsigned set = rest; set != 0; set = (set - 1) & rest) {
        std::vector<int> group;
        for (int k = 0; k < d; ++k)
            if ((set >> k & 1U) != 0) group.push_back(k);
        before.push_back(group);
        all_groups(d, before, result);
        before.pop_back();
    }
}

struct Counted {
    Collective collective;
    const Algorithm& algorithm;
};
const Counted counted[] = {
    {Collective::alltoall, algorithm::alltoall_combining},
    {Collective::allgather, algorithm::allgather_combining},
    {Collective::allreduce, algorithm::allreduce_combining},
    {Collective::reduce_scatter, algorithm::reduce_scatter_combining},
};

TEST(DimensionGroups, CountWhatTheSchedulesDoAndFindTheCheapest)
{
    cases::Random random(51);
    for (int repeat = 0; repeat < 60; ++repeat) {
        const grid::Grid grid({5, 3, 4, 2}, {1, 1, 1, 1});
        const auto n = grid::canonical(grid, cases::random_stencil(random, 4, 25, 2)).neighborhood;
        std::vector<algorithm::Groups> all;
        algorithm::Groups none;
        all_groups(4, none, all);
        ASSERT_EQ(all.size(), 75U);
        for (const Counted& c : counted) {
            const algorithm::DimensionGroups dimension_groups(n, c.collective);
            const std::int64_t message = cases::uniform(random, 1, 20);
            const auto price = [&](const schedule::PhaseCounts& x) {
                return (x.messages > 0 ? 7 : 0) + message * x.messages + 3 * x.blocks;
            };
            const auto price_of = [&](const algorithm::Groups& groups) {
                std::int64_t sum = 0;
                for (const schedule::PhaseCounts& x : dimension_groups.along(groups)) sum += price(x);
                return sum;
            };
            std::int64_t least = INT64_MAX;
            std::int64_t least_singly = INT64_MAX;
            for (const algorithm::Groups& groups : all) {
                schedule::PhaseCounts sum;
                for (const schedule::PhaseCounts& x : dimension_groups.along(groups)) {
                    sum.messages += x.messages;
                    sum.blocks += x.blocks;
                }
                const schedule::Cost cost = schedule::cost(cases::build(c.algorithm, n, 0, groups));
                ASSERT_EQ(sum.messages, cost.messages);
                ASSERT_EQ(sum.blocks, cost.blocks);
                least = std::min(least, price_of(groups));
                if (groups.size() == 4) least_singly = std::min(least_singly, price_of(groups));
            }
            ASSERT_EQ(price_of(dimension_groups.cheapest(price, false)), least);
            ASSERT_EQ(price_of(dimension_groups.cheapest(price, true)), least_singly);
        }
    }
}

TEST(DimensionGroups, TooManyForAllGroups)
{
    // 400 000 offsets, and 40 dimensions: the usual order, one by one.
    cases::Random random(52);
    grid::Stencil many(3);
    for (int i = 0; i < 400'000; ++i)
        many.push_back(std::vector<int>{cases::uniform(random, -99, 99), cases::uniform(random, -99, 99),
                                        cases::uniform(random, -9, 9)});
    const auto n = grid::canonical(grid::Grid({1000, 1000, 1000}, {1, 1, 1}), many).neighborhood;
    const grid::Grid deep(std::vector<int>(40, 1), std::vector<char>(40, 1));
    const auto wide = grid::canonical(deep, grid::Stencil(40, std::vector<int>(80, 1))).neighborhood;
    for (const Counted& c : counted) {
        const algorithm::DimensionGroups dimension_groups(n, c.collective);
        const auto groups = dimension_groups.cheapest([](const schedule::PhaseCounts&) { return 1; }, false);
        EXPECT_EQ(groups.size(), 3U);
        EXPECT_EQ(
            groups[c.collective == Collective::allreduce || c.collective == Collective::reduce_scatter ? 2
                                                                                                       : 0],
            std::vector<int>{2});
        std::int64_t messages = 0;
        for (const schedule::PhaseCounts& x : dimension_groups.along(groups)) messages += x.messages;
        EXPECT_EQ(messages, 198 + 198 + 18);
        EXPECT_EQ(algorithm::DimensionGroups(wide, c.collective)
                      .cheapest([](const schedule::PhaseCounts&) { return 1; }, false)
                      .size(),
                  40U);
    }
}

TEST(Predict, TurnsOnACoreAreThoseOfTheLinkThatIsWaitedFor)
{
    Machine machine;
    machine.node.switch_ps = 70;
    machine.shared.switch_ps = 5;
    machine.network.switch_ps = 900;
    const int sizes[] = {2};
    Layout layout{.processes_a_core = 2,
                  .nodes = std::make_shared<const grid::Nodes>(grid::Nodes::consecutive(4, sizes))};
    const Work work{.phases = 3, .off_phases = 1};
    const std::int64_t far = machine.network.latency_ps;
    EXPECT_EQ(predict(machine, layout, work), far + 2 * 900 + 2 * (machine.node.latency_ps + 2 * 70));
    EXPECT_EQ(predict(with_shared_memory(machine, schedule::Large::shared, layout), layout, work),
              far + 2 * 900 + 2 * (machine.shared.latency_ps + 2 * 5));
    layout.processes_a_core = 1; // nobody waits for a core
    const auto alone = [](const Link& link) { return link.send_ps + link.latency_ps + link.receive_ps; };
    EXPECT_EQ(predict(machine, layout, work), alone(machine.network) + 2 * alone(machine.node));
}

TEST(Predict, LargeMessagesTakeMoreTurnsWhereProcessesShareCores)
{
    using schedule::Large;
    Machine machine;
    machine.node.switch_ps = 70;
    machine.single.switch_ps = 5;
    const auto latency_of = [&](Large large, int processes_a_core) {
        const Layout layout{.processes_a_core = processes_a_core};
        return with_shared_memory(machine, large, layout).node_large.value().latency_ps;
    };
    EXPECT_EQ(latency_of(Large::single, 1), machine.single.latency_ps);
    EXPECT_EQ(latency_of(Large::single, 3), machine.single.latency_ps + 5);
    EXPECT_EQ(latency_of(Large::mpi, 1), machine.node.latency_ps);
    EXPECT_EQ(latency_of(Large::mpi, 3), machine.node.latency_ps + 2 * 70);
    EXPECT_FALSE(with_shared_memory(machine, Large::shared, {.processes_a_core = 3}).node_large);
}

TEST(Predict, NothingHidesWhereProcessesShareCores)
{
    const Machine machine{.node = {1, 2, 1000, 3, 1, 0}, .block_ps = 0};
    Layout layout{.one_node = true};
    const Work work{.phases = 1, .messages = 5, .bytes = 70};
    EXPECT_EQ(predict(machine, layout, work), 1 + 1000 + 70 * 3 + 2 + 4 * 1);
    layout.processes_a_core = 3;
    EXPECT_EQ(predict(machine, layout, work), 1000 + 3 * (5 * (1 + 2) + 70 * 3));
}

TEST(Tune, AMachineSurvivesItsText)
{
    Machine machine;
    machine.network.latency_ps = 123'456'789;
    machine.node.switch_ps = machine.network.switch_ps = 0;
    machine.injection_byte_ps = 7;
    EXPECT_EQ(parse_tune(to_text(machine), "x").machine, machine);
    EXPECT_EQ(parse_tune("# nothing but words\n\n  \n", "x"), Tune{});
    EXPECT_EQ(parse_tune("block_ps 17\n", "x").machine.block_ps, 17);
    // Bytes without a word of copying: the cores move them all, in that link alone.
    EXPECT_EQ(parse_tune("shared.byte_ps 900\n", "x").machine.shared.copy_ps, 900);
    EXPECT_EQ(parse_tune("shared.byte_ps 900\n", "x").machine.network, Machine{}.network);
    EXPECT_EQ(parse_tune("shared.copy_ps 3\nshared.byte_ps 900\n", "x").machine.shared.copy_ps, 3);
}

TEST(Tune, SaysWhetherItTellsOfTheNetwork)
{
    EXPECT_TRUE(parse_tune("network.byte_ps 100\n", "file").tells_of_network);
    EXPECT_TRUE(parse_tune("injection_byte_ps 100\n", "file").tells_of_network);
    EXPECT_FALSE(parse_tune("node.byte_ps 100\n", "file").tells_of_network);
    EXPECT_FALSE(parse_tune("", "file").tells_of_network);
}

TEST(Tune, ChoicesAreKept)
{
    const CallSpecification specification{.collective = Collective::alltoall, .block_bytes = 1 << 20};
    const PlannerContext context = moore(torus);
    Planner untuned(context, {});
    const std::string usual = chosen(untuned, specification);
    ASSERT_NE(usual, "alltoall_combining");
    const std::string key = key_of(*context.neighborhood, specification);
    const Tune tune = parse_tune("choose " + key + " alltoall_combining\n", "x");
    Planner planner(context, {{}, tune});
    EXPECT_EQ(chosen(planner, specification), "alltoall_combining");
    CallSpecification other = specification;
    other.block_bytes = 2 << 20;
    EXPECT_EQ(chosen(planner, other), usual);
    other = specification;
    other.forwarding = Forwarding::if_bound; // whatever the file says
    EXPECT_EQ(chosen(planner, other), "alltoall_direct");
    EXPECT_NE(key, key_of(*moore(grid::Grid({5, 5, 5}, {1, 1, 0})).neighborhood, specification));
}

TEST(Planner, TheFastestOfThoseTriedIsTaken)
{
    Planner planner(moore(torus), {});
    const std::vector<Measured> measured = {
        {"alltoall_direct", 30}, {"alltoall_grouped", 20}, {"alltoall_combining", 20}};
    const Plan plan = planner.plan(
        {.collective = Collective::alltoall, .block_bytes = 8, .measured = measured});
    EXPECT_EQ(plan.algorithm->name, "alltoall_combining"); // the first of equals
    for (const Candidate& candidate : plan.candidates) {
        if (candidate.algorithm->name == "alltoall_direct") {
            EXPECT_EQ(candidate.measured_ps, 30);
        }
    }
}

TEST(Planner, RoundsAreSpokenOfWhereSizesMayDiffer)
{
    const Planner planner(moore(torus), {});
    const auto why_not = [&](const CallSpecification& specification,
                             const std::vector<std::string>& algorithms) {
        std::vector<WhyNot> result;
        for (const Candidate& candidate : planner.candidates(specification, algorithms))
            if (candidate.algorithm->name == "alltoall_ordered") result.push_back(candidate.why_not);
        return result;
    };
    const CallSpecification regular{.collective = Collective::alltoall, .block_bytes = 8};
    const CallSpecification irregular{.collective = Collective::alltoall, .irregular = true};
    EXPECT_TRUE(why_not(regular, {}).empty());
    EXPECT_TRUE(why_not(regular, {"alltoall_direct"}).empty());
    EXPECT_EQ(why_not(irregular, {}), std::vector{WhyNot::not_persistent});
}

/// A call bound to an algorithm that does not apply to it.
struct Refused {
    WhyNot why_not;
    const char* algorithm;
    PlannerContext context;
    CallSpecification specification;
};

std::vector<Refused> all_refused()
{
    const PlannerContext here = moore(torus);
    PlannerContext no_stencil = here;
    no_stencil.neighborhood.reset();
    PlannerContext unconnected = here;
    unconnected.regular_sizes_agree = unconnected.reduction_sizes_agree = false;
    PlannerContext somewhere = here;
    somewhere.layout.one_node = false;
    PlannerContext on_two = here;
    on_two.layout = {.one_node = false, .nodes = consecutive(torus.points(), {torus.points() / 2})};
    PlannerContext crowded = here;
    crowded.neighborhood->grid = grid::Grid({100, 100, 100}, {1, 1, 1});
    crowded.graph = {};
    crowded.layout = {.one_node = false, .nodes = consecutive(1'000'000, {500'000})};
    const CallSpecification alltoall{.collective = Collective::alltoall, .block_bytes = 8};
    const CallSpecification allreduce{.collective = Collective::allreduce, .block_bytes = 8};
    const auto with = [](CallSpecification specification, auto change) {
        change(specification);
        return specification;
    };
    const CallSpecification irregular = with(alltoall, [](CallSpecification& p) { p.irregular = true; });
    return {
        {WhyNot::not_isomorphic, "alltoall_combining", no_stencil, alltoall},
        {WhyNot::not_isomorphic, "allreduce_grouped", no_stencil, allreduce},
        {WhyNot::counts_may_differ, "alltoall_grouped", unconnected, alltoall},
        {WhyNot::counts_may_differ, "allreduce_combining", unconnected, allreduce},
        {WhyNot::sizes_may_differ, "alltoall_combining", here, irregular},
        {WhyNot::sizes_differ, "alltoall_combining", here,
         with(irregular, [](CallSpecification& p) { p.compared = Compared::different; })},
        {WhyNot::one_node, "alltoall_node_pairs", here, alltoall},
        {WhyNot::nodes_unknown, "alltoall_node_pairs", somewhere, alltoall},
        {WhyNot::too_many_edges, "alltoall_node_pairs", crowded, alltoall},
        {WhyNot::one_size, "alltoall_ordered", here, alltoall},
        {WhyNot::not_persistent, "alltoall_ordered", here, irregular},
        {WhyNot::no_rounds, "alltoall_ordered", here,
         with(irregular, [](CallSpecification& p) { p.persistent = true; })},
        {WhyNot::not_commutative, "allreduce_combining", here,
         with(allreduce, [](CallSpecification& p) { p.commutative = false; })},
        {WhyNot::results_may_differ,
         "reduce_scatter_combining",
         here,
         {.collective = Collective::reduce_scatter, .irregular = true}},
        {WhyNot::regions_differ,
         "halo_node_pairs",
         on_two,
         {.collective = Collective::halo,
          .sizes = {8},
          .halo = std::make_shared<const grid::Halo>(
              grid::make_halo(torus, {grid::ghost_regions(*here.neighborhood)}))}},
        {WhyNot::not_attached, "alltoall_combining", here,
         with(alltoall, [](CallSpecification& p) { p.forwarding = Forwarding::never; })},
    };
}

TEST(WhyNot, EveryReasonIsSaidWhereItHolds)
{
    std::set<std::string_view> met;
    for (const Refused& refused : all_refused()) {
        const std::string reason(refused.why_not.text);
        try {
            Planner(refused.context, {}).plan(refused.specification, {refused.algorithm});
            ADD_FAILURE() << reason;
        } catch (const base::Error& error) {
            EXPECT_TRUE(std::string(error.what())
                            .ends_with(std::string(refused.algorithm) + " does not apply: " + reason))
                << error.what();
        }
        met.insert(refused.why_not.text);
    }
    // These are no errors: who names an algorithm gets it.
    const auto of_combining = [&](Forwarding forwarding, const std::vector<std::string>& algorithms) {
        const CallSpecification specification{
            .collective = Collective::alltoall, .forwarding = forwarding, .block_bytes = 8};
        const Planner planner(moore(torus), {});
        return planner.candidates(specification, algorithms)[1].why_not;
    };
    EXPECT_EQ(of_combining(Forwarding::yes, {"alltoall_direct"}), WhyNot::others_named);
    for (const auto& [forwarding, why_not] : {std::pair(Forwarding::if_bound, WhyNot::may_be_left_alone),
                                              std::pair(Forwarding::verified, WhyNot::verified)}) {
        EXPECT_EQ(of_combining(forwarding, {}), why_not);
        EXPECT_EQ(of_combining(forwarding, {"alltoall_combining"}), WhyNot::nothing);
    }
    met.insert({WhyNot::nothing_to_combine.text, WhyNot::others_named.text, WhyNot::may_be_left_alone.text,
                WhyNot::verified.text});
    EXPECT_EQ(met.size(), std::size(algorithm::common_reasons));
}

TEST(WhyNot, ReasonsAreSentences)
{
    std::set<std::string_view> texts;
    for (const WhyNot& why_not : algorithm::common_reasons) {
        const std::string_view text = why_not.text;
        EXPECT_TRUE(texts.insert(text).second) << text;
        ASSERT_FALSE(text.empty());
        EXPECT_TRUE(text.front() >= 'a' && text.front() <= 'z' && text.back() != '.') << text;
        EXPECT_GT(std::ranges::count(text, ' '), 4) << text;
    }
    for (const Algorithm* const algorithm : all_algorithms())
        EXPECT_TRUE(algorithm->does.find(' ') < 20) << algorithm->name;
}

TEST(Tune, MistakesAreNamed)
{
    for (const char* wrong : {"block_ps", "block_ps -1", "block_ps 1.5", "block_ps 1 2", "blocks_ps 1",
                              "block_ps 99999999999999999999", "block_ps ten", "choose", "choose x",
                              "choose x fast", "choose x alltoall_direct y"}) {
        try {
            parse_tune(std::string("node.send_ps 1\n") + wrong, "a file");
            FAIL() << wrong;
        } catch (const base::Error& error) {
            EXPECT_EQ(error.kind(), base::ErrorKind::info);
            EXPECT_NE(std::string(error.what()).find("line 2 of a file"), std::string::npos);
        }
    }
}

TEST(Planner, HalosForwardIfTheyMay)
{
    Planner planner(moore(torus), {});
    const auto all = std::make_shared<const grid::Halo>(
        grid::make_halo(torus, {grid::ghost_regions(moore(torus).neighborhood.value())}));
    CallSpecification specification{.collective = Collective::halo, .block_bytes = 1LL << 30, .halo = all};
    EXPECT_EQ(chosen(planner, specification), "halo_combining"); // at any size: every byte travels once
    specification.forwarding = Forwarding::if_bound;
    EXPECT_EQ(chosen(planner, specification), "halo_direct");
    // Faces alone are as many messages either way.
    specification.forwarding = Forwarding::yes;
    const auto faces = std::make_shared<const grid::Halo>(
        grid::make_halo(torus, {grid::Stencil(3, {-1, 0, 0, 0, 0, 1})}));
    specification.halo = faces;
    EXPECT_EQ(chosen(planner, specification), "halo_direct");
    specification.collective = Collective::halo_reduce;
    specification.halo = all;
    EXPECT_EQ(chosen(planner, specification), "halo_reduce_combining");
    // What is kept of one halo is not taken for another.
    const auto of_all = planner.plan(specification).schedule;
    EXPECT_EQ(planner.plan(specification).schedule, of_all);
    specification.halo = faces;
    EXPECT_NE(planner.plan(specification).schedule, of_all);
}

TEST(Planner, IrregularSizesAreWeighedOneByOne)
{
    PlannerContext context = moore(torus);
    context.irregular_sizes_agree = true;
    Planner planner(context, {});
    std::vector<std::int64_t> sizes(27, 8);
    const auto chosen_of = [&] {
        return chosen(planner, {.collective = Collective::alltoall, .irregular = true, .sizes = sizes});
    };
    EXPECT_EQ(chosen_of(), "alltoall_combining");
    sizes[13] = 1LL << 40; // the zero offset travels nowhere
    EXPECT_EQ(chosen_of(), "alltoall_combining");
    sizes[4] = 1LL << 40; // a face travels once either way
    EXPECT_EQ(chosen_of(), "alltoall_combining");
    sizes[0] = 1LL << 30; // a corner travels three times
    EXPECT_EQ(chosen_of(), "alltoall_direct");
}

TEST(Planner, DirectWhereSizesMayDiffer)
{
    PlannerContext context = moore(torus);
    Planner regular_only(context, {});
    EXPECT_EQ(chosen(regular_only, {.collective = Collective::alltoall, .irregular = true}),
              "alltoall_direct");
    context.regular_sizes_agree = false;
    Planner neither(context, {});
    EXPECT_EQ(chosen(neither, {.collective = Collective::alltoall, .block_bytes = 4}), "alltoall_direct");
    EXPECT_EQ(chosen(neither, {.collective = Collective::allgather, .block_bytes = 4}), "allgather_direct");
}

TEST(Planner, DirectCountsPartnersNotOffsets)
{
    // On 2 x 2 all offsets name three other processes, and there are two steps: 2 < 3 messages,
    // but 12 blocks directly and 15 combined... of which the planner knows the price.
    const Planner planner(moore(grid::Grid({2, 2}, {1, 1})), {});
    const std::vector<Candidate> candidates = planner.candidates(
        {.collective = Collective::alltoall, .block_bytes = 4}, {"alltoall_direct", "alltoall_combining"});
    EXPECT_EQ(candidates[0].choice.work.messages, 3);
    EXPECT_EQ(candidates[1].choice.work.messages, 2);
}

TEST(Planner, BoundNamesBindTheirOwnCollectiveOnly)
{
    Planner planner(moore(torus), parse_algorithms("alltoall_direct", "ORTHO_ALGORITHM"));
    EXPECT_EQ(chosen(planner, {.collective = Collective::alltoall, .block_bytes = 4}), "alltoall_direct");
    EXPECT_EQ(chosen(planner, {.collective = Collective::allgather, .block_bytes = 4}),
              "allgather_combining");
}

TEST(Planner, ABoundCallThatCannotBeServedIsAnError)
{
    PlannerContext context = moore(torus);
    context.regular_sizes_agree = false;
    Planner planner(context, {{"alltoall_combining"}, {}});
    try {
        planner.plan({.collective = Collective::alltoall, .block_bytes = 4});
        FAIL();
    } catch (const base::Error& error) {
        EXPECT_EQ(error.kind(), base::ErrorKind::algorithm);
        EXPECT_NE(std::string(error.what()).find("alltoall_combining"), std::string::npos);
    }
    EXPECT_NO_THROW(planner.plan({.collective = Collective::allgather}));
}

TEST(Planner, ListsAreParsed)
{
    using Names = std::vector<std::string>;
    EXPECT_EQ(parse_algorithms("", "x").algorithms, Names{});
    EXPECT_EQ(parse_algorithms("auto", "x").algorithms, Names{});
    EXPECT_FALSE(parse_algorithms("auto", "x").measure);
    EXPECT_TRUE(parse_algorithms("measure,alltoall_direct", "x").measure);
    EXPECT_EQ(parse_algorithms("measure,alltoall_direct", "x").algorithms, Names{"alltoall_direct"});
    EXPECT_EQ(parse_algorithms(" alltoall_direct , allgather_combining", "x").algorithms,
              (Names{"alltoall_direct", "allgather_combining"}));
    EXPECT_THROW(parse_algorithms("alltoall_direct,fast", "x"), base::Error);
    EXPECT_THROW(parse_algorithms("alltoall_direct allgather_direct", "x"), base::Error);
}

TEST(Planner, AScheduleIsMadeOnce)
{
    Planner planner(moore(torus), {});
    const auto first = planner.plan({.collective = Collective::alltoall, .block_bytes = 4}).schedule;
    EXPECT_EQ(planner.plan({.collective = Collective::alltoall, .block_bytes = 8}).schedule, first);
    for (int root = 0; root < 125; ++root) planner.plan({.collective = Collective::bcast, .root = root});
    EXPECT_NE(planner.plan({.collective = Collective::bcast, .root = 7}).schedule, nullptr);
}

} // namespace
