// SPDX-License-Identifier: BSD-3-Clause
// The reasons why an algorithm does not apply to a call.

#include <string_view>

#include "planner_cases.hpp"

using algorithm::Compared;
using algorithm::Forwards;

namespace {

/// A call bound to an algorithm that does not apply to it.
struct Refused {
    WhyNot why_not;
    const char* algorithm;
    PlannerContext context;
    CallSpecification specification;
};

grid::Grid with_land(const grid::Grid& grid)
{
    std::vector<int> ranks(static_cast<std::size_t>(grid.points()), grid::Grid::nowhere);
    ranks[0] = 0;
    return grid.with_ranks(ranks);
}

std::vector<Refused> all_refused()
{
    const PlannerContext here = moore(torus);
    PlannerContext no_stencil = here;
    no_stencil.neighborhood.reset();
    PlannerContext unconnected = here;
    unconnected.regular_sizes_agree = unconnected.reduction_sizes_agree = false;
    PlannerContext apart = here;
    apart.independent = true;
    PlannerContext somewhere = here;
    somewhere.layout.one_node = false;
    PlannerContext on_two = here;
    on_two.layout = {.one_node = false, .nodes = consecutive(torus.points(), {torus.points() / 2})};
    PlannerContext crowded = here;
    crowded.neighborhood->grid = grid::Grid({100, 100, 100}, {1, 1, 1});
    crowded.graph = {};
    crowded.layout = {.one_node = false, .nodes = consecutive(1'000'000, {500'000})};
    const CallSpecification alltoall = a_call(Collective::alltoall, 8);
    const CallSpecification allreduce = a_call(Collective::allreduce, 8);
    const CallSpecification irregular{.collective = Collective::alltoall, .irregular = true};
    const auto halo_on = [&](const grid::Grid& grid) {
        const grid::Halo halo = grid::make_halo(grid, {grid::ghost_regions(*here.neighborhood)});
        return CallSpecification{
            .collective = Collective::halo, .sizes = {8}, .halo = std::make_shared<const grid::Halo>(halo)};
    };
    return {
        {WhyNot::not_isomorphic, "alltoall_combining", no_stencil, alltoall},
        {WhyNot::not_isomorphic, "allreduce_grouped", no_stencil, allreduce},
        {WhyNot::counts_may_differ, "alltoall_grouped", unconnected, alltoall},
        {WhyNot::counts_may_differ, "allreduce_combining", unconnected, allreduce},
        {WhyNot::sizes_may_differ, "alltoall_combining", here, irregular},
        {WhyNot::sizes_differ,
         "alltoall_combining",
         here,
         {.collective = Collective::alltoall, .irregular = true, .compared = Compared::different}},
        {WhyNot::one_node, "alltoall_node_pairs", here, alltoall},
        {WhyNot::nodes_unknown, "alltoall_node_pairs", somewhere, alltoall},
        {WhyNot::too_many_edges, "alltoall_node_pairs", crowded, alltoall},
        {WhyNot::one_size, "alltoall_ordered", here, alltoall},
        {WhyNot::not_persistent, "alltoall_ordered", here, irregular},
        {WhyNot::no_rounds,
         "alltoall_ordered",
         here,
         {.collective = Collective::alltoall, .irregular = true, .persistent = true}},
        {WhyNot::no_weights, "alltoall_rounds", no_stencil, irregular},
        {WhyNot::independent, "alltoall_combining", apart, alltoall},
        {WhyNot::not_commutative,
         "allreduce_combining",
         here,
         {.collective = Collective::allreduce, .commutative = false, .block_bytes = 8}},
        {WhyNot::results_may_differ,
         "reduce_scatter_combining",
         here,
         {.collective = Collective::reduce_scatter, .irregular = true}},
        {WhyNot::regions_differ, "halo_node_pairs", on_two, halo_on(torus)},
        {WhyNot::not_full, "halo_combining", here, halo_on(with_land(torus))},
        {WhyNot::not_attached,
         "alltoall_combining",
         here,
         {.collective = Collective::alltoall, .forwards = Forwards::never, .block_bytes = 8}},
    };
}

TEST(WhyNot, EveryReasonIsSaidWhereItHolds)
{
    std::set<std::string_view> met;
    for (const Refused& refused : all_refused()) {
        const std::string mistake = mistake_in(
            [&] { Planner(refused.context, {}).plan(refused.specification, {refused.algorithm}); });
        const std::string expected = refused.algorithm + std::string(" does not apply: ");
        EXPECT_TRUE(mistake.ends_with(expected + std::string(refused.why_not.text))) << mistake;
        met.insert(refused.why_not.text);
    }
    // These are no errors: a user who names an algorithm gets it.
    const auto of_combining = [&](Forwards forwards, const std::vector<std::string>& algorithms) {
        const CallSpecification specification{
            .collective = Collective::alltoall, .forwards = forwards, .block_bytes = 8};
        const Planner planner(moore(torus), {});
        return planner.candidates(specification, algorithms)[1].why_not;
    };
    EXPECT_EQ(of_combining(Forwards::always, {"alltoall_direct"}), WhyNot::others_named);
    const CallSpecification on_devices{
        .collective = Collective::alltoall, .on_devices = true, .block_bytes = 8};
    EXPECT_EQ(Planner(moore(torus), {}).candidates(on_devices, {})[1].why_not, WhyNot::on_devices);
    EXPECT_EQ(Planner(moore(torus), {}).candidates(on_devices, {"alltoall_combining"})[1].why_not,
              WhyNot::nothing);
    EXPECT_EQ(of_combining(Forwards::if_promised, {}), WhyNot::may_be_left_alone);
    EXPECT_EQ(of_combining(Forwards::if_promised, {"alltoall_combining"}), WhyNot::nothing);
    met.insert({WhyNot::nothing_to_combine.text, WhyNot::others_named.text, WhyNot::may_be_left_alone.text,
                WhyNot::on_devices.text});
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

} // namespace
