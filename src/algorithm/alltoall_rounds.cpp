// SPDX-License-Identifier: BSD-3-Clause
// Alltoall on any graph, one message for each partner, a phase for each round.  No MPI in this file.

#include <map>
#include <utility>
#include <vector>

#include "algorithm/agreed_rounds.hpp"
#include "algorithm/algorithm.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

namespace {

WhyNot rounds_must_be_known(const PlannerContext& context, const CallSpecification& specification)
{
    if (context.neighborhood || known_rounds(context, specification) != nullptr) return WhyNot::nothing;
    return specification.persistent ? WhyNot::no_rounds : WhyNot::no_weights;
}

/// The rounds of a common stencil: the messages along one offset, to one process and from one, are a round.
std::vector<int> rounds_by_stencil(const grid::Neighborhood& neighborhood, const grid::LocalGraph& graph)
{
    std::map<int, int> to; // partner -> its first offset
    std::map<int, int> from;
    for (int i = 0; i < neighborhood.size(); ++i) {
        to.emplace(neighborhood.grid.neighbor(graph.rank, neighborhood.offsets[i]), i);
        from.emplace(neighborhood.grid.neighbor_against(graph.rank, neighborhood.offsets[i]), i);
    }
    std::vector<int> numbers;
    for (const int target : graph.targets) numbers.push_back(to[target]);
    for (const int source : graph.sources) numbers.push_back(from[source]);
    return numbers;
}

/// Delivers the blocks as alltoall_ordered does, in phases of one round, or of as many as may meet without
/// loss.  So a process waits for its partners of a phase before it goes on, and no more messages meet at it.
///
/// Shapes    send slots: out-edges; receive slots: in-edges.  Agreed: agree_on_rounds.
/// Result    a phase for each round, or for some; self-edges are copied in the last one.
/// Cost      the messages and blocks of alltoall_direct.  As many rounds as the largest number of messages
///           into, or out of, a process (color_edges), or as the stencil has offsets.
/// Requires  rounds that are the same at both ends: agreed ones, or those of a common stencil.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III, Listing 6, and IV-D.
schedule::Schedule build_alltoall_rounds(const PlannerContext& context, const grid::LocalGraph& graph,
                                         const CallSpecification& specification, const Groups&)
{
    const Agreed* const known = known_rounds(context, specification);
    Builder out = Builder::on_graph();
    out.begin_phase();
    write_rounds(out, graph,
                 known != nullptr ? known->numbers : rounds_by_stencil(*context.neighborhood, graph),
                 rounds_in_a_phase(context));
    return std::move(out).finish();
}

} // namespace

extern const Algorithm alltoall_rounds = {
    .name = "alltoall_rounds",
    .collective = Collective::alltoall,
    .does =
        "sends every out-neighbor its blocks in one message, and no message before those of earlier rounds "
        "have come",
    .forwards = true,
    .in_rounds = true,
    .why_not = rounds_must_be_known,
    .agree = agree_if_heavy,
    .build = build_alltoall_rounds,
};

} // namespace ortho::algorithm
