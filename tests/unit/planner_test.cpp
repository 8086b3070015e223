// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.hpp"

#include <string_view>

#include "planner_cases.hpp"

using algorithm::Forwards;

namespace {

std::shared_ptr<const Tune> tune_of(const Machine& machine)
{
    return std::make_shared<const Tune>(Tune{machine});
}

constexpr Collective four[] = {Collective::alltoall, Collective::allgather, Collective::allreduce,
                               Collective::reduce_scatter};

/// The reason why an algorithm is not taken; nothing if it is not even looked at.
std::optional<WhyNot> why_not(const Planner& planner, const CallSpecification& call, std::string_view name,
                              const std::vector<std::string>& bound)
{
    for (const Candidate& candidate : planner.candidates(call, bound))
        if (candidate.algorithm->name == name) return candidate.why_not;
    return std::nullopt;
}

TEST(Registry, NamesAreDistinctAndFirstIsDirect)
{
    std::set<std::string_view> names;
    std::set<Collective> seen;
    for (const Algorithm* const a : all_algorithms()) {
        EXPECT_TRUE(names.insert(a->name).second);
        // The first algorithm that serves all calls.
        if (a->by_wires || (a->why_not != nullptr && a->why_not({}, {}) == WhyNot::one_size)) continue;
        if (!seen.insert(a->collective).second) continue;
        EXPECT_TRUE(a->name.ends_with("_direct"));
        EXPECT_EQ(a->why_not, nullptr);
    }
    EXPECT_EQ(seen.size(), 11U);
}

TEST(Planner, TheCutOffOfThePaper)
{
    // m < (alpha/beta) (t-C)/(V-t), A 3.1: 10 000 bytes * (26-6)/(54-26) = 7142.9 bytes, where messages cost
    // only alpha and beta, and only two algorithms exist.
    const Machine linear{.node = {600'000, 400'000, 0, 100, 100}, .block_ps = 0, .reduce_byte_ps = 0};
    Planner planner(moore(torus), {{"alltoall_direct", "alltoall_combining"}, tune_of(linear)});
    const auto at = [&](std::int64_t bytes) { return chosen(planner, a_call(Collective::alltoall, bytes)); };
    EXPECT_EQ(at(0), "alltoall_combining");
    EXPECT_EQ(at(7142), "alltoall_combining");
    EXPECT_EQ(at(7143), "alltoall_direct");
    // Allgather moves no more blocks than direct: it is better at any size.
    EXPECT_EQ(chosen(planner, a_call(Collective::allgather, 1LL << 40)), "allgather_combining");
}

TEST(Planner, SharedMemoryHasPricesOfItsOwn)
{
    Machine machine;
    machine.shared = {7, 11, 13, 2, 2};
    machine.block_ps = 0;
    CallSpecification specification = a_call(Collective::alltoall, 3);
    const auto direct_cost = [&](bool one_node) {
        PlannerContext context = moore(torus);
        context.layout.one_node = one_node;
        return Planner(context, {{"alltoall_direct"}, tune_of(machine)}).plan(specification).choice.cost_ps;
    };
    const std::int64_t by_mpi = direct_cost(true), between_nodes = direct_cost(false);
    specification.shared_memory = true;
    EXPECT_EQ(direct_cost(true), 26 * (7 + 11) + 26 * 3 * 2);
    EXPECT_NE(direct_cost(true), by_mpi);
    EXPECT_EQ(direct_cost(false), between_nodes);
}

TEST(Planner, WhatForwardsMayBeMpis)
{
    // Fewer messages, but each is more expensive than many through shared memory.
    Machine machine;
    machine.shared = {10'000, 10'000, 10'000, 2, 2};
    PlannerContext context = moore(torus);
    context.layout.one_node = true;
    Planner planner(context, {{}, tune_of(machine)});
    CallSpecification specification{
        .collective = Collective::alltoall, .block_bytes = 4, .shared_memory = true};
    EXPECT_NE(chosen(planner, specification), "alltoall_direct");
    specification.forwards_by_mpi = true;
    EXPECT_EQ(chosen(planner, specification), "alltoall_direct");
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
        return Planner(context, {{algorithm}, tune_of(machine)})
            .plan(a_call(Collective::alltoall, 7))
            .choice.cost_ps;
    };
    // 6 of 8 messages leave: 42 of 56 bytes.  168 bytes of all four processes leave, which take 8400, less
    // than 42 x 300.  They travel longer than they keep the core busy: the first one is sent, all bytes go,
    // the last one is received, and half of the others.
    EXPECT_EQ(cost("alltoall_direct"), 1300 + 42 * 300 + 5 * 100);
    // The column leaves; in the row the core is busy: 2 messages of 3 blocks each.
    EXPECT_EQ(cost("alltoall_combining"), 1300 + 42 * 300 + 1 * 100 + (1 + 10 + 2 + 1 + 42 * 3));
    machine.injection_byte_ps = 80; // 168 bytes one after the other
    EXPECT_EQ(cost("alltoall_direct"), 1300 + 168 * 80 + 5 * 100);
    // If the core is busy for longer, that counts: overheads hide latency, and bytes that it need not copy.
    machine.network.copy_ps = 300;
    machine.network.receive_ps = 2000;
    EXPECT_EQ(cost("alltoall_direct"), 2 * 3 + 6 * 2100 + 14 * 2 + 42 * 300);
    // If the nodes are not known, all messages leave, and of one process only.
    context.layout.nodes = nullptr;
    EXPECT_EQ(cost("alltoall_direct"), 8 * 2100 + 56 * 300);
}

TEST(Planner, PairsOfNodesWhereTheyPay)
{
    PlannerContext context = moore(grid::Grid({4, 4}, {1, 1}));
    const std::string pairs = "alltoall_node_pairs";
    const CallSpecification call = a_call(Collective::alltoall, 4);
    EXPECT_EQ(why_not(Planner(context, {}), call, pairs, {}), std::nullopt);
    EXPECT_EQ(why_not(Planner(context, {}), call, pairs, {pairs}), WhyNot::one_node);
    context.layout.one_node = false;
    EXPECT_EQ(why_not(Planner(context, {}), call, pairs, {pairs}), WhyNot::nodes_unknown);
    context.layout.nodes = consecutive(16, {4});
    // Messages between nodes are expensive, as by TCP.
    Machine machine;
    machine.network = {20'000'000, 20'000'000, 100'000'000, 1000, 1000};
    Planner rows(context, {{}, tune_of(machine)});
    EXPECT_EQ(why_not(rows, call, pairs, {}), WhyNot::nothing);
    const auto of = [&](std::int64_t bytes) {
        return chosen(rows,
                      {.collective = Collective::alltoall, .block_bytes = bytes, .shared_memory = true});
    };
    EXPECT_EQ(of(4), pairs);
    EXPECT_EQ(of(1 << 20), "alltoall_direct");
    // A process that has started it may be away while others wait for blocks.
    EXPECT_EQ(
        chosen(rows,
               {.collective = Collective::alltoall, .forwards = Forwards::if_promised, .block_bytes = 4}),
        "alltoall_direct");
}

TEST(Planner, SlowNetworksGetFewerMessages)
{
    PlannerContext context = moore(torus);
    context.layout.one_node = false;
    /// The largest blocks that are combined.
    const auto most = [&](int kind) {
        Planner planner(context, {{"alltoall_direct", "alltoall_combining"}, {}, kind});
        std::int64_t low = 0, high = 1 << 20;
        while (high - low > 1) {
            const std::int64_t middle = (low + high) / 2;
            const CallSpecification call = a_call(Collective::alltoall, middle);
            (chosen(planner, call) == "alltoall_combining" ? low : high) = middle;
        }
        return low;
    };
    EXPECT_GT(most(1), most(0));
    // Bytes are expensive, and those of combined blocks travel several times.
    EXPECT_LT(most(2), most(1));
}

TEST(Planner, NoTrialDecidesHowSumsAreRounded)
{
    PlannerContext context = moore(torus);
    context.layout.one_node = false;
    context.reduction_sizes_agree = true;
    const auto cost_ps = [&](Collective collective, int kind) {
        Planner planner(context, {{}, {}, kind});
        const CallSpecification call = a_call(collective, 800);
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
    Planner planner(moore(torus), {{}, tune_of(linear)});
    const Plan plan = planner.plan(a_call(Collective::alltoall, 5000));
    EXPECT_EQ(plan.algorithm->name, "alltoall_grouped");
    EXPECT_EQ(plan.choice.groups.size(), 2U);
    EXPECT_EQ(plan.choice.cost_ps, 10'000'000 + 42 * 5000 * 100);
    const schedule::Cost cost = schedule::cost(*plan.schedule);
    EXPECT_EQ(cost.messages, 10);
    EXPECT_EQ(cost.blocks, 42);
}

/// A context on a random grid whose neighbors are one dimension away; with repeated neighbors only if wanted.
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
        for (const Collective collective : four) {
            const CallSpecification call = a_call(collective, 8);
            if (repeats && algorithm::reduces(collective)) continue;
            // A user who names them gets them, and they send no less than the direct one.
            const std::vector<Candidate> named = planner.candidates(call, all);
            const Work direct = std::ranges::find_if(named, [](const Candidate& candidate) {
                                    return candidate.algorithm->name.ends_with("_direct");
                                })->choice.work;
            for (const Candidate& candidate : named) {
                if (!candidate.applies() || candidate.algorithm->variants == nullptr) continue;
                if (candidate.algorithm->splits) continue; // in several steps: these may save messages
                ASSERT_GE(candidate.choice.work.messages, direct.messages);
                ASSERT_GE(candidate.choice.work.blocks, direct.blocks);
                ASSERT_GE(candidate.choice.work.phases, direct.phases);
            }
            for (const Candidate& candidate : planner.candidates(call))
                if (candidate.algorithm->variants != nullptr && !candidate.algorithm->splits) {
                    ASSERT_EQ(candidate.why_not, WhyNot::nothing_to_combine);
                }
        }
    }
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
    // A million processes without a list of them.
    PlannerContext context = moore(torus);
    context.neighborhood->grid = grid::Grid({100, 100, 100}, {1, 1, 1});
    context.graph = {};
    context.layout.one_node = false;
    const Machine machine;
    const Planner planner(context, {{}, tune_of(machine)});
    for (const Collective collective : four) {
        const std::vector<Candidate> candidates = planner.candidates(a_call(collective, 400));
        EXPECT_EQ(std::ranges::count(candidates, WhyNot::nothing, &Candidate::why_not), 3);
        for (const Candidate& candidate : candidates) {
            if (!candidate.applies()) continue;
            // Prices are made phase by phase; work of different phases cannot hide behind each other.
            const std::int64_t as_a_whole = predict(machine, context.layout, candidate.choice.work);
            EXPECT_LE(as_a_whole, candidate.choice.cost_ps);
            if (candidate.choice.work.phases == 1) {
                EXPECT_EQ(as_a_whole, candidate.choice.cost_ps);
            }
            EXPECT_EQ(candidate.choice.work.bytes, 400 * candidate.choice.work.blocks);
            EXPECT_GE(candidate.choice.cost_ps, cheapest(candidates)->choice.cost_ps);
        }
    }
    const std::vector<Candidate> alltoall = planner.candidates(a_call(Collective::alltoall, 400));
    EXPECT_EQ(alltoall[0].choice.work, (Work{1, 26, 26, 10400, 0}));
    const auto combining = std::ranges::find(alltoall, "alltoall_combining",
                                             [](const Candidate& c) { return c.algorithm->name; });
    ASSERT_NE(combining, alltoall.end());
    EXPECT_EQ(combining->choice.work, (Work{3, 6, 54, 21600, 0}));
    EXPECT_EQ(planner.candidates(a_call(Collective::allreduce, 400))[1].choice.work,
              (Work{3, 6, 6, 2400, 2400}));
    EXPECT_EQ(cheapest({}), nullptr);
    const std::vector<Candidate> bound = planner.candidates(a_call(Collective::alltoall, 400),
                                                            {"alltoall_direct"});
    EXPECT_EQ(cheapest(bound)->algorithm->name, "alltoall_direct");
    EXPECT_EQ(std::ranges::count(bound, WhyNot::nothing, &Candidate::why_not), 1);
}

TEST(Planner, CombinesWhereItMay)
{
    const PlannerContext here = moore(torus);
    PlannerContext sizes_differ = here;
    sizes_differ.regular_sizes_agree = sizes_differ.reduction_sizes_agree = false;
    PlannerContext twice = with_offsets(torus, grid::Stencil(3, {0, 0, 1, 0, 0, 1})); // one neighbor
    twice.reduction_sizes_agree = true;
    const struct {
        const PlannerContext& context;
        CallSpecification call;
        const char* chosen;
    } rows[] = {
        {here, a_call(Collective::allreduce, 8), "allreduce_combining"},
        {here, a_call(Collective::allreduce, 1 << 30), "allreduce_combining"},
        {here, {.collective = Collective::allreduce, .commutative = false}, "allreduce_direct"},
        {sizes_differ, a_call(Collective::allreduce, 8), "allreduce_direct"},
        {here, a_call(Collective::reduce_scatter, 8), "reduce_scatter_combining"},
        {here, {.collective = Collective::reduce_scatter, .irregular = true}, "reduce_scatter_direct"},
        {twice, a_call(Collective::reduce_scatter, 1 << 20), "reduce_scatter_combining"},
        {here, {.collective = Collective::alltoall, .irregular = true}, "alltoall_direct"},
        {sizes_differ, a_call(Collective::alltoall, 4), "alltoall_direct"},
        {sizes_differ, a_call(Collective::allgather, 4), "allgather_direct"},
    };
    for (const auto& row : rows) {
        Planner planner(row.context, {});
        EXPECT_EQ(chosen(planner, row.call), row.chosen) << &row - rows;
    }
}

TEST(Planner, StarsShareNothing)
{
    // Von Neumann's stencil: one phase has as many messages as three phases.
    Planner planner(
        with_offsets(torus, grid::Stencil(3, {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1})), {});
    for (const std::int64_t bytes : {1, 1000, 1'000'000})
        for (const Collective collective : four)
            EXPECT_TRUE(chosen(planner, a_call(collective, bytes)).ends_with("_direct"));
}

TEST(Planner, RoundsAreSpokenOfWhereSizesMayDiffer)
{
    const Planner planner(moore(torus), {});
    const CallSpecification regular = a_call(Collective::alltoall, 8);
    const CallSpecification irregular{.collective = Collective::alltoall, .irregular = true};
    EXPECT_EQ(why_not(planner, regular, "alltoall_ordered", {}), std::nullopt);
    EXPECT_EQ(why_not(planner, regular, "alltoall_ordered", {"alltoall_direct"}), std::nullopt);
    EXPECT_EQ(why_not(planner, irregular, "alltoall_ordered", {}), WhyNot::not_persistent);
}

TEST(Planner, HalosForwardIfTheyMay)
{
    Planner planner(moore(torus), {});
    const auto all = std::make_shared<const grid::Halo>(
        grid::make_halo(torus, {grid::ghost_regions(moore(torus).neighborhood.value())}));
    CallSpecification specification{.collective = Collective::halo, .block_bytes = 1LL << 30, .halo = all};
    EXPECT_EQ(chosen(planner, specification), "halo_combining"); // at any size: every byte travels once
    specification.forwards = Forwards::if_promised;
    EXPECT_EQ(chosen(planner, specification), "halo_direct");
    // Faces alone are as many messages either way.
    specification.forwards = Forwards::always;
    const auto faces = std::make_shared<const grid::Halo>(
        grid::make_halo(torus, {grid::Stencil(3, {-1, 0, 0, 0, 0, 1})}));
    specification.halo = faces;
    EXPECT_EQ(chosen(planner, specification), "halo_direct");
    specification.collective = Collective::halo_reduce;
    specification.halo = all;
    EXPECT_EQ(chosen(planner, specification), "halo_reduce_combining");
    // A schedule that was kept for one halo is not used for another one.
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

TEST(Planner, DirectCountsPartnersNotOffsets)
{
    // On 2 x 2 all offsets name three other processes, and there are two steps: 2 < 3 messages, but 12 blocks
    // directly and 15 combined.  The planner knows the price.
    const Planner planner(moore(grid::Grid({2, 2}, {1, 1})), {});
    const std::vector<Candidate> candidates = planner.candidates(a_call(Collective::alltoall, 4),
                                                                 {"alltoall_direct", "alltoall_combining"});
    EXPECT_EQ(candidates[0].choice.work.messages, 3);
    EXPECT_EQ(candidates[1].choice.work.messages, 2);
}

TEST(Planner, BoundNamesBindTheirOwnCollectiveOnly)
{
    Planner planner(moore(torus), {parse_algorithms("alltoall_direct", "ORTHO_ALGORITHM")});
    EXPECT_EQ(chosen(planner, a_call(Collective::alltoall, 4)), "alltoall_direct");
    EXPECT_EQ(chosen(planner, a_call(Collective::allgather, 4)), "allgather_combining");
}

TEST(Planner, ABoundCallThatCannotBeServedIsAnError)
{
    PlannerContext context = moore(torus);
    context.regular_sizes_agree = false;
    Planner planner(context, {{"alltoall_combining"}, {}});
    const std::string mistake = cases::mistake_in([&] { planner.plan(a_call(Collective::alltoall, 4)); },
                                                  base::ErrorKind::algorithm);
    EXPECT_NE(mistake.find("alltoall_combining"), std::string::npos) << mistake;
    EXPECT_NO_THROW(planner.plan({.collective = Collective::allgather}));
}

TEST(Planner, ListsAreParsed)
{
    using Names = std::vector<std::string>;
    EXPECT_EQ(parse_algorithms("", "x"), Names{});
    EXPECT_EQ(parse_algorithms("auto", "x"), Names{});
    EXPECT_EQ(parse_algorithms(" alltoall_direct , allgather_combining", "x"),
              (Names{"alltoall_direct", "allgather_combining"}));
    EXPECT_THROW(parse_algorithms("alltoall_direct,fast", "x"), base::Error);
    EXPECT_THROW(parse_algorithms("alltoall_direct allgather_direct", "x"), base::Error);
}

TEST(Planner, AScheduleIsMadeOnce)
{
    Planner planner(moore(torus), {});
    const auto first = planner.plan(a_call(Collective::alltoall, 4)).schedule;
    EXPECT_EQ(planner.plan(a_call(Collective::alltoall, 8)).schedule, first);
    for (int root = 0; root < 125; ++root) planner.plan({.collective = Collective::bcast, .root = root});
    EXPECT_NE(planner.plan({.collective = Collective::bcast, .root = 7}).schedule, nullptr);
}

} // namespace
