// SPDX-License-Identifier: BSD-3-Clause
// The list of algorithms.  A new one is a file in algorithm/ and a line in registry.cpp.
// No MPI in this file.

#include "planner/registry.hpp"

#include <algorithm>
#include <vector>

#include "algorithm/algorithms.hpp"
#include "algorithm/halo_route.hpp"
#include "algorithm/node_pairs.hpp"

namespace ortho::planner {

namespace {

using algorithm::Groups;
using schedule::Schedule;

// Why not.

WhyNot applies(const Situation&, const Problem&) { return WhyNot::nothing; }

/// The reason that holds unless sizes are equal everywhere.  `sizes_agree`: they are, without being compared.
WhyNot unless(bool sizes_agree, const Problem& problem, WhyNot reason)
{
    switch (problem.compared) {
    case Compared::equal: return WhyNot::nothing;
    case Compared::different: return WhyNot::sizes_differ;
    case Compared::no: break;
    }
    return sizes_agree ? WhyNot::nothing : reason;
}

WhyNot sizes_must_agree(const Situation& situation, const Problem& problem)
{
    if (!situation.neighborhood) return WhyNot::not_isomorphic;
    if (problem.irregular) return unless(situation.irregular_sizes_agree, problem, WhyNot::sizes_may_differ);
    return unless(situation.regular_sizes_agree || situation.irregular_sizes_agree, problem,
                  WhyNot::counts_may_differ);
}

WhyNot nodes_must_be_known(const Situation& situation, const Problem& problem)
{
    if (situation.layout.one_node) return WhyNot::one_node;
    if (situation.layout.nodes == nullptr) return WhyNot::nodes_unknown;
    if (const WhyNot why_not = sizes_must_agree(situation, problem); why_not != WhyNot::nothing)
        return why_not;
    constexpr double most = 1 << 24;
    return algorithm::NodePairs::most_edges(*situation.neighborhood, *situation.layout.nodes) <= most
               ? WhyNot::nothing
               : WhyNot::too_many_edges;
}

WhyNot rounds_must_be_agreed(const Situation&, const Problem& problem)
{
    if (problem.rounds != nullptr) return WhyNot::nothing;
    if (!problem.irregular) return WhyNot::one_size;
    return problem.persistent ? WhyNot::no_rounds : WhyNot::not_persistent;
}

WhyNot results_must_combine(const Situation& situation, const Problem& problem)
{
    if (!situation.neighborhood) return WhyNot::not_isomorphic;
    if (!problem.commutative) return WhyNot::not_commutative;
    if (problem.irregular) return WhyNot::results_may_differ;
    return unless(situation.reduction_sizes_agree || situation.irregular_sizes_agree, problem,
                  WhyNot::counts_may_differ);
}

// Costs.

Choice nothing(const Situation&, const Counts*, const Machine&, const Problem&) { return {}; }

/// What is done in a phase, of `bytes` in all; blocks that leave nodes have the size of the others.
Work work_of(const Crossing& c, std::int64_t bytes, std::int64_t reduced_bytes = 0)
{
    const std::int64_t a_block = bytes / std::max<std::int64_t>(1, c.blocks);
    return {.phases = c.messages > 0 ? 1 : 0,
            .messages = c.messages,
            .blocks = c.blocks,
            .bytes = bytes,
            .reduced_bytes = reduced_bytes,
            .off_phases = c.off.messages > 0 ? 1 : 0,
            .off_messages = c.off.messages,
            .off_bytes = times_plus(c.off.blocks, a_block, 0),
            .node_bytes = times_plus(c.off.node_blocks, a_block, 0)};
}

/// One phase after the other.
Work& operator+=(Work& sum, const Work& work)
{
    sum.phases += work.phases;
    sum.messages += work.messages;
    sum.blocks += work.blocks;
    sum.bytes = times_plus(1, work.bytes, sum.bytes);
    sum.reduced_bytes = times_plus(1, work.reduced_bytes, sum.reduced_bytes);
    sum.off_phases += work.off_phases;
    sum.off_messages += work.off_messages;
    sum.off_bytes = times_plus(1, work.off_bytes, sum.off_bytes);
    sum.node_bytes = times_plus(1, work.node_bytes, sum.node_bytes);
    return sum;
}

/// The same where sizes differ.
Work work_of(const Crossing& c, const Bytes& bytes)
{
    Work work = work_of(c, bytes.all);
    work.off_bytes = bytes.off;
    work.node_bytes = bytes.node;
    return work;
}

/// Phases, each of which is over on all processes before the next one.
Choice choice_of(const Situation& situation, const Machine& machine, std::span<const Work> phases)
{
    Choice choice;
    for (const Work& phase : phases) {
        choice.cost_ps = times_plus(1, predict(machine, situation.layout, phase), choice.cost_ps);
        choice.work += phase;
    }
    return choice;
}

Choice choice_of(const Situation& situation, const Machine& machine, const Work& work)
{
    return choice_of(situation, machine, std::span(&work, 1));
}

Choice alltoall_direct_choice(const Situation& situation, const Counts* counts, const Machine& machine,
                              const Problem& problem)
{
    if (counts == nullptr) return {};
    const Crossing& crossing = counts->directly(true);
    if (problem.sizes.size() > 1)
        return choice_of(situation, machine, work_of(crossing, counts->bytes_directly(problem.sizes)));
    return choice_of(situation, machine,
                     work_of(crossing, times_plus(counts->blocks(), problem.block_bytes, 0)));
}

Choice allgather_direct_choice(const Situation& situation, const Counts* counts, const Machine& machine,
                               const Problem& problem)
{
    if (counts == nullptr) return {};
    return choice_of(
        situation, machine,
        work_of(counts->directly(false), times_plus(counts->partners(), problem.block_bytes, 0)));
}

Choice allreduce_direct_choice(const Situation& situation, const Counts* counts, const Machine& machine,
                               const Problem& problem)
{
    if (counts == nullptr) return {};
    return choice_of(situation, machine,
                     work_of(counts->directly(false), times_plus(counts->partners(), problem.block_bytes, 0),
                             times_plus(counts->offsets(), problem.block_bytes, 0)));
}

Choice reduce_scatter_direct_choice(const Situation& situation, const Counts* counts, const Machine& machine,
                                    const Problem& problem)
{
    if (counts == nullptr) return {};
    return choice_of(situation, machine,
                     work_of(counts->directly(true), times_plus(counts->blocks(), problem.block_bytes, 0),
                             times_plus(counts->offsets(), problem.block_bytes, 0)));
}

/// Bytes of a block; of sizes that differ, the average decides between ways.
std::int64_t usual_bytes(const Problem& problem)
{
    if (problem.sizes.size() < 2) return problem.block_bytes;
    std::int64_t sum = 0;
    for (const std::int64_t size : problem.sizes) sum = times_plus(1, size, sum);
    return sum / static_cast<std::int64_t>(problem.sizes.size());
}

/// The cheapest way to cross the dimensions one by one, or in groups.
template <bool one_by_one>
Choice crossing(const Situation& situation, const Counts* counts, const Machine& machine,
                const Problem& problem)
{
    const Crossings& crossings = counts->crossings(problem.collective);
    const bool reduces = problem.collective == Collective::allreduce ||
                         problem.collective == Collective::reduce_scatter;
    const std::int64_t a_block = usual_bytes(problem);
    const auto crossing_work = [&](const Crossing& c) {
        const std::int64_t bytes = times_plus(c.blocks, a_block, 0);
        return work_of(c, bytes, reduces ? bytes : 0);
    };
    const algorithm::Groups groups = crossings.cheapest(
        [&](const Crossing& c) { return predict(machine, situation.layout, crossing_work(c)); }, one_by_one);
    const std::vector<Crossing> along = crossings.along(groups);
    std::vector<Work> phases;
    for (const Crossing& c : along) phases.push_back(crossing_work(c));
    if (problem.sizes.size() > 1 && problem.collective == Collective::alltoall) {
        const std::vector<Bytes> bytes = crossings.bytes_along(groups, problem.sizes);
        for (std::size_t i = 0; i < along.size(); ++i) phases[i] = work_of(along[i], bytes[i]);
    }
    Choice choice = choice_of(situation, machine, phases);
    choice.groups = groups;
    return choice;
}

template <bool personal>
Choice pairing(const Situation& situation, const Counts* counts, const Machine& machine,
               const Problem& problem)
{
    const std::int64_t a_block = usual_bytes(problem);
    std::vector<Work> phases;
    for (const Crossing& c : counts->by_node_pairs(personal))
        phases.push_back(work_of(c, times_plus(c.blocks, a_block, 0)));
    return choice_of(situation, machine, phases);
}

// Every byte of a halo travels once, whichever way; what differs is the number of messages.

Crossing halo_crossing(const grid::Halo& halo, const algorithm::HaloRoute& route, int phase,
                       const grid::Nodes* nodes)
{
    grid::Stencil steps(halo.grid.dimensions());
    std::vector<std::int64_t> regions;
    Crossing result;
    for (const algorithm::HaloRoute::Bundle& bundle : route.bundles) {
        if (bundle.phase != phase || bundle.stays) continue;
        steps.push_back(bundle.step);
        regions.push_back(std::ssize(bundle.regions));
        ++result.messages;
        result.blocks += regions.back();
    }
    if (nodes != nullptr) result.off = off_node(halo.grid, *nodes, steps, regions, most_looks / route.phases);
    return result;
}

template <algorithm::HaloRoute (*route_of)(const grid::Halo&)>
Choice halo_choice(const Situation& situation, const Counts*, const Machine& machine, const Problem& problem)
{
    const algorithm::HaloRoute route = route_of(*problem.halo);
    std::vector<Crossing> crossings;
    std::int64_t all = 0; // regions that travel
    for (int phase = 0; phase < route.phases; ++phase) {
        crossings.push_back(halo_crossing(*problem.halo, route, phase, situation.layout.nodes.get()));
        all += crossings.back().blocks;
    }
    std::vector<Work> phases;
    for (const Crossing& c : crossings) {
        // How large single regions are is not known here.
        const std::int64_t bytes = times_plus(problem.block_bytes / std::max<std::int64_t>(1, all), c.blocks,
                                              0);
        phases.push_back(work_of(c, bytes, problem.collective == Collective::halo_reduce ? bytes : 0));
    }
    return choice_of(situation, machine, phases);
}

// Builders.

Schedule barrier_direct(const Situation& s, const Problem&, const Groups&)
{
    return algorithm::barrier_direct(s.graph);
}
Schedule bcast_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::bcast_direct(s.graph, p.root);
}
Schedule gather_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::gather_direct(s.graph, p.root);
}
Schedule scatter_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::scatter_direct(s.graph, p.root);
}
Schedule allgather_direct(const Situation& s, const Problem&, const Groups&)
{
    return algorithm::allgather_direct(s.graph);
}
Schedule allgather_combining(const Situation& s, const Problem&, const Groups& groups)
{
    return algorithm::allgather_combining(*s.neighborhood, s.graph.rank, groups);
}
Schedule alltoall_direct(const Situation& s, const Problem&, const Groups&)
{
    return algorithm::alltoall_direct(s.graph);
}
Schedule alltoall_combining(const Situation& s, const Problem&, const Groups& groups)
{
    return algorithm::alltoall_combining(*s.neighborhood, s.graph.rank, groups);
}
Schedule alltoall_ordered(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::alltoall_ordered(s.graph, *p.rounds);
}
Schedule alltoall_node_pairs(const Situation& s, const Problem&, const Groups&)
{
    return algorithm::alltoall_node_pairs(*s.neighborhood, *s.layout.nodes, s.graph.rank);
}
Schedule allgather_node_pairs(const Situation& s, const Problem&, const Groups&)
{
    return algorithm::allgather_node_pairs(*s.neighborhood, *s.layout.nodes, s.graph.rank);
}
Schedule reduce_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::reduce_direct(s.graph, p.root, p.in_place);
}
Schedule allreduce_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::allreduce_direct(s.graph, p.in_place);
}
Schedule allreduce_combining(const Situation& s, const Problem& p, const Groups& groups)
{
    return algorithm::allreduce_combining(*s.neighborhood, s.graph.rank, groups, p.in_place);
}
Schedule reduce_scatter_direct(const Situation& s, const Problem&, const Groups&)
{
    return algorithm::reduce_scatter_direct(s.graph);
}
Schedule reduce_scatter_combining(const Situation& s, const Problem&, const Groups& groups)
{
    return algorithm::reduce_scatter_combining(*s.neighborhood, s.graph.rank, groups);
}

Schedule halo_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::halo_direct(*p.halo, s.graph.rank);
}
Schedule halo_combining(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::halo_combining(*p.halo, s.graph.rank);
}
Schedule halo_reduce_direct(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::halo_reduce_direct(*p.halo, s.graph.rank);
}
Schedule halo_reduce_combining(const Situation& s, const Problem& p, const Groups&)
{
    return algorithm::halo_reduce_combining(*p.halo, s.graph.rank);
}

using enum Collective;

/// One dimension a group, and any groups.
constexpr auto singly = crossing<true>;
constexpr auto grouped = crossing<false>;

// What several of them do.
constexpr const char* blocks_by_dimension = "sends blocks along the grid, one dimension after the other, "
                                            "those that take the same step in one message";
constexpr const char* blocks_by_groups =
    "sends blocks along the grid, several dimensions at a time, those that take the same step in one message";
constexpr const char* blocks_by_nodes =
    "collects blocks on each node, and sends one message to each other node that wants some";
constexpr const char* results_by_dimension =
    "sends partial results along the grid, one dimension after the other, and reduces on the way";
constexpr const char* results_by_groups =
    "sends partial results along the grid, several dimensions at a time, and reduces on the way";

// Between equal costs the first in the list is taken.  A grouped algorithm that comes out with one dimension
// a group costs what the combining one before it does, which is then taken.
constexpr Algorithm algorithms[] = {
    {"barrier_direct", barrier, "sends every out-neighbor an empty message", false, false, applies, nothing,
     barrier_direct},
    {"bcast_direct", bcast, "sends the root's buffer to each of its out-neighbors", false, false, applies,
     nothing, bcast_direct},
    {"gather_direct", gather, "sends the root one message from each of its in-neighbors", false, false,
     applies, nothing, gather_direct},
    {"scatter_direct", scatter, "sends one message from the root to each of its out-neighbors", false, false,
     applies, nothing, scatter_direct},
    {"allgather_direct", allgather, "sends the block to every out-neighbor, all at once", false, false,
     applies, allgather_direct_choice, allgather_direct},
    {"allgather_combining", allgather, blocks_by_dimension, true, true, sizes_must_agree, singly,
     allgather_combining},
    {"allgather_grouped", allgather, blocks_by_groups, true, true, sizes_must_agree, grouped,
     allgather_combining},
    {"allgather_node_pairs", allgather, blocks_by_nodes, true, true, nodes_must_be_known, pairing<false>,
     allgather_node_pairs, Made::for_several_nodes},
    // The same messages as directly, but no two of a round meet at a process: where it can serve it is never
    // worse.
    {"alltoall_ordered", alltoall,
     "sends every out-neighbor its blocks in one message, large messages first, and no two of a round to one "
     "process",
     false, false, rounds_must_be_agreed, alltoall_direct_choice, alltoall_ordered,
     Made::for_irregular_calls},
    {"alltoall_direct", alltoall, "sends every out-neighbor its blocks in one message, all at once", false,
     false, applies, alltoall_direct_choice, alltoall_direct},
    {"alltoall_combining", alltoall, blocks_by_dimension, true, true, sizes_must_agree, singly,
     alltoall_combining},
    {"alltoall_grouped", alltoall, blocks_by_groups, true, true, sizes_must_agree, grouped,
     alltoall_combining},
    {"alltoall_node_pairs", alltoall, blocks_by_nodes, true, true, nodes_must_be_known, pairing<true>,
     alltoall_node_pairs, Made::for_several_nodes},
    {"reduce_direct", reduce, "sends the root one message from each of its in-neighbors, and reduces there",
     false, false, applies, nothing, reduce_direct},
    {"allreduce_direct", allreduce,
     "sends the data to every out-neighbor, all at once, and reduces what arrives", false, false, applies,
     allreduce_direct_choice, allreduce_direct},
    {"allreduce_combining", allreduce, results_by_dimension, true, true, results_must_combine, singly,
     allreduce_combining},
    {"allreduce_grouped", allreduce, results_by_groups, true, true, results_must_combine, grouped,
     allreduce_combining},
    {"reduce_scatter_direct", reduce_scatter,
     "sends every out-neighbor its blocks in one message, all at once, and reduces what arrives", false,
     false, applies, reduce_scatter_direct_choice, reduce_scatter_direct},
    {"reduce_scatter_combining", reduce_scatter, results_by_dimension, true, true, results_must_combine,
     singly, reduce_scatter_combining},
    {"reduce_scatter_grouped", reduce_scatter, results_by_groups, true, true, results_must_combine, grouped,
     reduce_scatter_combining},
    {"halo_direct", halo, "sends every neighbor its cells in one message, all at once", false, false, applies,
     halo_choice<algorithm::direct_route>, halo_direct},
    {"halo_combining", halo,
     "sends cells along the grid, one dimension after the other, so that edges and corners travel with the "
     "faces",
     false, true, applies, halo_choice<algorithm::combining_route>, halo_combining},
    {"halo_reduce_direct", halo_reduce,
     "sends every neighbor its ghosts in one message, all at once, and reduces what arrives", false, false,
     applies, halo_choice<algorithm::direct_route>, halo_reduce_direct},
    {"halo_reduce_combining", halo_reduce,
     "sends ghosts along the grid, one dimension after the other, so that edges and corners travel with the "
     "faces, and reduces on the way",
     false, true, applies, halo_choice<algorithm::combining_route>, halo_reduce_combining},
};

} // namespace

std::span<const Algorithm> registry() { return algorithms; }

bool serves(std::string_view name, Collective collective)
{
    return std::ranges::any_of(
        registry(), [&](const Algorithm& a) { return a.name == name && a.collective == collective; });
}

bool is_unknown(std::string_view name)
{
    return std::ranges::none_of(registry(), [&](const Algorithm& a) { return a.name == name; });
}

std::vector<std::string_view> all_names()
{
    std::vector<std::string_view> result;
    for (const Algorithm& algorithm : registry()) result.push_back(algorithm.name);
    return result;
}

} // namespace ortho::planner
