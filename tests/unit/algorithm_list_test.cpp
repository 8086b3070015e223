// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of the list by itself, on graphs, stencils, nodes and halos that it may serve.  The
// expected results follow from its collective alone.
#include "planner/algorithm_list.hpp"

#include "algorithm/node_pairs.hpp"
#include "planner/planner.hpp"
#include "threads.hpp"

using namespace ortho::schedule;
using algorithm::Algorithm;
using algorithm::CallSpecification;
using algorithm::PlannerContext;
using algorithm::Slots;
using planner::Collective;

namespace {

/// Keeps the part of a goal for one process.
void only_at(Goal& goal, int process)
{
    for (std::size_t r = 0; r < goal.receive.size(); ++r)
        if (r != at(process)) goal.receive[r].assign(goal.receive[r].size(), {});
}

/// The root's blocks, one for each process that it leads to: the last one of several.
Goal from_root(const cases::Multigraph& graph, int root, bool personal)
{
    Goal goal;
    goal.receive.assign(graph.processes.size(), {std::nullopt});
    const std::vector<int>& targets = graph.processes[at(root)].targets;
    for (int edge = 0; edge < std::ssize(targets); ++edge) {
        const int to = targets[at(edge)];
        if (to == grid::gap || (to == root && !personal)) continue;
        goal.receive[at(to)][0] = Value{{root, personal ? edge : 0}};
    }
    return goal;
}

Goal goal_on(const cases::Multigraph& graph, const CallSpecification& specification)
{
    using enum Collective;
    const Collective collective = specification.collective;
    if (collective == bcast || collective == scatter)
        return from_root(graph, specification.root, collective == scatter);
    Goal goal = cases::delivery(graph, collective == alltoall || collective == reduce_scatter);
    if (collective == barrier) goal.receive.assign(graph.processes.size(), {});
    if (algorithm::reduces(collective)) cases::reduce(goal);
    if (algorithm::has_root(collective)) only_at(goal, specification.root);
    if (specification.in_place) goal.present = {0};
    return goal;
}

bool may_be_in_place(Collective collective)
{
    return collective == Collective::reduce || collective == Collective::allreduce;
}

/// Describes the error of an algorithm; empty if there is none.
std::string fault_of(const Algorithm& a, const World& world, const std::vector<Schedule>& schedules,
                     const Goal& goal)
{
    // Messages of started operations arrive in the order of operations; later phases would break this order.
    const auto has_several = [](const Schedule& schedule) { return schedule.phases.size() > 1; };
    if (!a.forwards && std::ranges::any_of(schedules, has_several)) return "it has several phases";
    return verify(world, schedules, goal).value_or("");
}

std::string on_a_graph(const Algorithm& a, cases::Random& random)
{
    const auto graph = cases::random_graph(random, cases::uniform(random, 1, 7), 30);
    const int p = static_cast<int>(graph.processes.size());
    CallSpecification specification{
        .collective = a.collective,
        .root = algorithm::has_root(a.collective) ? cases::uniform(random, 0, p - 1) : 0,
        .in_place = may_be_in_place(a.collective) && cases::uniform(random, 0, 1) == 1,
        .irregular = a.agree != nullptr,
        .persistent = a.agree != nullptr,
        .extremes = algorithm::Extremes{30, 30 * 99, 0}};
    std::vector<std::optional<algorithm::Agreed>> numbers(at(p));
    PlannerContext context;
    context.may_meet = cases::uniform(random, 0, 2);
    if (a.agree != nullptr) {
        std::vector<std::vector<std::int64_t>> bytes(at(p));
        for (const auto& process : graph.processes)
            for (std::size_t i = 0; i < process.targets.size(); ++i)
                bytes[at(process.rank)].push_back(cases::uniform(random, 0, 99));
        cases::Processes processes(p);
        processes.run([&](int r) {
            PlannerContext here = context;
            here.graph = graph.processes[at(r)];
            const auto gather = [&](const cases::Numbers& mine) {
                cases::Numbers all;
                for (const auto& list : processes.gather(r, mine))
                    all.insert(all.end(), list.begin(), list.end());
                return all;
            };
            numbers[at(r)] = a.agree(here, specification, bytes[at(r)], true, {p, gather});
        });
    }
    std::vector<Schedule> schedules;
    for (const auto& process : graph.processes) {
        if (a.agree != nullptr && !numbers[at(process.rank)]) return "nothing is agreed on";
        if (a.agree != nullptr) {
            specification.agreed = {*numbers[at(process.rank)]};
            specification.agreed.front().algorithm = a.name;
        }
        schedules.push_back(a.build(context, process, specification, {}));
    }
    return fault_of(a, world_of(graph.processes), schedules, goal_on(graph, specification));
}

std::string on_a_stencil(const Algorithm& a, cases::Random& random)
{
    PlannerContext context;
    context.neighborhood = cases::random_neighborhood(random, 4, 48, 9, 3);
    const grid::Grid& grid = context.neighborhood->grid;
    context.layout.nodes = std::make_shared<const grid::Nodes>(cases::random_nodes(random, grid.points()));
    context.regular_sizes_agree = context.reduction_sizes_agree = true;
    const CallSpecification specification{.collective = a.collective,
                                          .in_place = may_be_in_place(a.collective) &&
                                                      cases::uniform(random, 0, 1) == 1};
    if (a.why_not != nullptr && a.why_not(context, specification) != algorithm::WhyNot::nothing)
        return "it never applies";
    algorithm::Groups groups;
    if (a.splits)
        groups = cases::random_steps(random, grid.dimensions(), 4);
    else if (a.variants != nullptr)
        groups = cases::random_groups(random, grid.dimensions());
    std::vector<Schedule> schedules;
    for (int r = 0; r < grid.points(); ++r)
        schedules.push_back(a.build(context, {r, {}, {}}, specification, groups));
    return fault_of(a, world_of(grid), schedules,
                    cases::goal(a, *context.neighborhood, specification.in_place));
}

std::string on_a_halo(const Algorithm& a, cases::Random& random)
{
    const grid::Grid grid = cases::random_grid(random, 4, 48);
    const grid::Halo halo = cases::random_halo(random, grid);
    PlannerContext context;
    context.layout.nodes = std::make_shared<const grid::Nodes>(cases::random_nodes(random, grid.points()));
    std::vector<Schedule> schedules;
    for (int r = 0; r < grid.points(); ++r) schedules.push_back(cases::build(a, halo, r, context));
    return fault_of(a, world_of(grid), schedules, cases::goal(a, halo));
}

/// The rounds of a common stencil, on any lists of edges.
TEST(List, RoundsOfAStencilNeedNoAgreement)
{
    cases::Random random(81);
    for (int repeat = 0; repeat < cases::times(600); ++repeat) {
        PlannerContext context;
        context.neighborhood = cases::random_neighborhood(random, 4, 48, 9, 3);
        context.regular_sizes_agree = true;
        context.may_meet = cases::uniform(random, 0, 2);
        const auto graph = cases::shuffled_graph(random, *context.neighborhood);
        std::vector<Schedule> schedules;
        for (const auto& process : graph.processes) {
            schedules.push_back(algorithm::alltoall_rounds.build(context, process, {}, {}));
            // In a round a process has one partner on each side.
            for (const Phase& phase : schedules.back().phases)
                ASSERT_LE(phase.rounds.size(), std::max(1, context.may_meet));
        }
        ASSERT_EQ(verify(world_of(graph.processes), schedules, cases::delivery(graph, true)).value_or(""), "")
            << "case " << repeat;
    }
}

TEST(List, EveryAlgorithmDeliversWhatItsCollectiveSays)
{
    for (const Algorithm* const a : planner::all_algorithms()) {
        cases::Random random(80);
        for (int repeat = 0; repeat < cases::times(1200); ++repeat) {
            const std::string wrong = a->slots == Slots::edges       ? on_a_graph(*a, random)
                                      : a->slots == Slots::canonical ? on_a_stencil(*a, random)
                                                                     : on_a_halo(*a, random);
            ASSERT_EQ(wrong, "") << a->name << ", case " << repeat;
        }
    }
}

/// The other fields of an algorithm must fit together.
TEST(List, AlgorithmsSayAllAboutThemselves)
{
    for (const Algorithm* const a : planner::all_algorithms()) {
        EXPECT_NE(a->build, nullptr) << a->name;
        EXPECT_FALSE(a->does.empty()) << a->name;
        // Other processes' blocks need agreeing sizes, which is a condition.
        if (a->forwards && a->slots == Slots::canonical) {
            EXPECT_NE(a->why_not, nullptr) << a->name;
        }
        if (a->depends_on_nodes) {
            EXPECT_NE(a->why_not({}, {}), algorithm::WhyNot::nothing) << a->name;
        }
    }
}

} // namespace
