// SPDX-License-Identifier: BSD-3-Clause
// Stencil allgather by message combining along a tree.  No MPI in this file.

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_route.hpp"
#include "algorithm/conditions.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

/// A node of the tree: the offsets order[begin..end) that agree in all groups so far.  Their common part
/// leads from another process to this one; `place` holds the block of that process.
struct Node {
    int begin;
    int end;
    Slot place;
};

/// An edge of the tree: `child` is `parent` plus a step that is not zero.
struct Edge {
    Slot from;
    std::size_t child;
    int leaf; // any offset below the child: its step in this group is the edge's
    bool send, receive;
    bool ends; // the child is an offset of the stencil
};

/// Delivers the block of every process to all processes that its offsets lead to, in one phase for each group
/// of dimensions, along the tree of the offsets' common prefixes.
///
/// All processes run the tree at once.  A node u of the tree stands for the block of the process u before
/// this one: it is sent on by each step to one of u's children.  A node that is an offset of the stencil is
/// received in its receive slot, any other in a temporary slot.
///
/// Shapes    send slot 0; receive slots: canonical indices 0..t-1.  Groups: an ordered
///           partition of the dimensions; the order matters for V.
/// Result    at most #groups phases; zero offsets are copied meanwhile, repeated ones at the
///           end of the phase in which their block arrives.
/// Cost      on a torus, per process, with one dimension in each group: C = sum over k of #{distinct non-zero
///           coordinates k} messages, V = #{edges of the tree with a step that is not zero} blocks.  With
///           borders: upper bounds; each edge that is used has a living leaf below it.  Checked by
///           tests/unit/algorithm_combining_test.cpp.  O(t d log t) time.
/// Requires  nothing of the grid; one block size everywhere.
/// Source    J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019,
///           3.2 and Algorithm 2; borders: doc/algorithms.md, "Combining on meshes".
schedule::Schedule build_allgather_combining(const PlannerContext& context, const grid::LocalGraph& graph,
                                             const CallSpecification&, const Groups& groups)
{
    const grid::Neighborhood& neighborhood = *context.neighborhood;
    const BlockRoute route(neighborhood, graph.rank, groups);
    Builder out = Builder::on_grid(neighborhood.dimensions());

    // Sorted by the groups' steps, the offsets below a node are neighbors.
    const std::vector<int> order = route.sorted(false);
    const auto leaf = [&](int position) { return order[static_cast<std::size_t>(position)]; };

    std::vector<Node> level;
    if (!order.empty()) level.push_back({0, static_cast<int>(order.size()), send_slot(0)});
    for (int j = 0; j < route.groups(); ++j) {
        out.begin_phase();
        if (j == 0) {
            for (int i = 0; i < neighborhood.size(); ++i)
                if (route.stays(i)) out.copy_meanwhile(send_slot(0), receive_slot(i));
        }

        std::vector<Node> next;
        std::vector<Edge> edges;
        for (const Node& parent : level) {
            for (int begin = parent.begin; begin < parent.end;) {
                int end = begin + 1;
                while (end < parent.end && route.compare_steps(leaf(begin), leaf(end), j) == 0) ++end;
                next.push_back({begin, end, parent.place});
                if (!route.rests(leaf(begin), j)) {
                    Edge edge{parent.place, next.size() - 1, leaf(begin), false, false, false};
                    for (int position = begin; position < end; ++position) {
                        const int i = leaf(position);
                        edge.send |= route.source_exists(i, j) && route.target_exists(i, j);
                        edge.receive |= route.source_exists(i, j + 1) && route.target_exists(i, j + 1);
                        edge.ends |= route.arrives(i, j);
                    }
                    edges.push_back(edge);
                }
                begin = end;
            }
        }

        // Both ends of a message must list its blocks alike: by step, then blocks that only go on first.
        std::ranges::stable_sort(edges, [&](const Edge& a, const Edge& b) {
            const auto steps = route.compare_steps(a.leaf, b.leaf, j);
            return steps != 0 ? steps < 0 : a.ends < b.ends;
        });
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const Edge& edge = edges[e];
            if (e == 0 || route.compare_steps(edges[e - 1].leaf, edge.leaf, j) != 0)
                out.begin_round(route.step(edge.leaf, j));
            if (edge.send) out.send(edge.from);
            if (!edge.receive) continue;

            Node& child = next[edge.child];
            if (!edge.ends) child.place = out.new_temp(0);
            bool first = true;
            for (int position = child.begin; edge.ends && position < child.end; ++position) {
                const int i = leaf(position);
                if (!route.arrives(i, j)) continue;
                if (first)
                    child.place = receive_slot(i);
                else
                    out.copy_afterwards(child.place, receive_slot(i));
                first = false;
            }
            out.receive(child.place);
        }
        level = std::move(next);
    }
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm allgather_combining = {
    .name = "allgather_combining",
    .collective = Collective::allgather,
    .does = blocks_by_dimension,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = sizes_must_agree,
    .variants = single_dimensions,
    .build = build_allgather_combining,
};

extern const Algorithm allgather_grouped = in_groups(allgather_combining, "allgather_grouped",
                                                     blocks_by_groups);
extern const Algorithm allgather_radix = in_digits(allgather_combining, "allgather_radix", blocks_by_digits);

} // namespace ortho::algorithm
