// SPDX-License-Identifier: BSD-3-Clause
// Alltoall on any graph, one message for each partner, in rounds.  No MPI in this file.

#include <iterator>
#include <utility>
#include <vector>

#include "algorithm/agreed_rounds.hpp"
#include "algorithm/algorithm.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;

namespace {

WhyNot order_must_be_agreed(const PlannerContext&, const CallSpecification& specification)
{
    if (!specification.irregular) return WhyNot::one_size;
    if (agreed_numbers(specification, "alltoall_ordered") != nullptr) return WhyNot::nothing;
    return specification.persistent ? WhyNot::no_rounds : WhyNot::not_persistent;
}

/// Delivers send block i along out-edge i, each into the slot of its in-edge, as alltoall_direct does.
/// Messages go out in the order of their rounds; in a round a process sends and receives at most one message.
///
/// All rounds are in one phase: no process waits for a round to end, but only for its partners.
///
/// Shapes    send slots: out-edges; receive slots: in-edges.  Agreed: agree_on_rounds.
/// Result    one phase; self-edges are copied meanwhile.
/// Cost      that of alltoall_direct.
/// Requires  rounds that are the same at both ends.  Without any, messages go in the order of edges.
/// Source    T. Hoefler, J. L. Traff: Sparse Collective Operations for MPI, III-A, IV-D.
schedule::Schedule build_alltoall_ordered(const PlannerContext&, const grid::LocalGraph& graph,
                                          const CallSpecification& specification, const Groups&)
{
    std::vector<int> numbers;
    if (const auto* const agreed = agreed_numbers(specification, "alltoall_ordered"))
        numbers = *agreed;
    else
        for (const auto* const list : {&graph.targets, &graph.sources})
            for (int edge = 0; edge < std::ssize(*list); ++edge) numbers.push_back(edge);
    Builder out = Builder::on_graph();
    out.begin_phase();
    write_rounds(out, graph, numbers, all_in_a_phase);
    return std::move(out).finish();
}

} // namespace

extern const Algorithm alltoall_ordered = {
    .name = "alltoall_ordered",
    .collective = Collective::alltoall,
    .does = "sends every out-neighbor its blocks in one message, large messages first, and no two of a round "
            "to one process",
    .why_not = order_must_be_agreed,
    .agree = agree_if_heavy,
    .build = build_alltoall_ordered,
};

} // namespace ortho::algorithm
