// SPDX-License-Identifier: BSD-3-Clause
// What several algorithms require.  No MPI in this file.

#include "algorithm/conditions.hpp"

#include "algorithm/node_pairs.hpp"

namespace ortho::algorithm {

namespace {

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

} // namespace

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
    return NodePairs::most_edges(*situation.neighborhood, *situation.layout.nodes) <= most
               ? WhyNot::nothing
               : WhyNot::too_many_edges;
}

WhyNot results_must_combine(const Situation& situation, const Problem& problem)
{
    if (!situation.neighborhood) return WhyNot::not_isomorphic;
    if (!problem.commutative) return WhyNot::not_commutative;
    if (problem.irregular) return WhyNot::results_may_differ;
    return unless(situation.reduction_sizes_agree || situation.irregular_sizes_agree, problem,
                  WhyNot::counts_may_differ);
}

} // namespace ortho::algorithm
