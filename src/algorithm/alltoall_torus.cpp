// SPDX-License-Identifier: BSD-3-Clause
// Alltoall between all processes along the dimensions of a torus.  No MPI in this file.

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_route.hpp"
#include "algorithm/conditions.hpp"
#include "base/index.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

constexpr WhyNot not_complete{"it is for communicators on which every process has every process as a "
                              "neighbor once, and whose processes "
                              "are a torus: full ones, or graphs like them",
                              true};

WhyNot graph_must_be_complete(const PlannerContext& context, const CallSpecification& specification)
{
    const auto& neighborhood = context.neighborhood;
    if (!neighborhood || !neighborhood->grid.is_torus() ||
        neighborhood->size() != neighborhood->grid.points())
        return not_complete;
    if (grid::has_repeats(neighborhood->offsets)) return not_complete;
    return sizes_must_agree(context, specification);
}

/// Delivers a block of every process to every process, in one phase for each group of dimensions of the
/// torus.  All blocks that take one step travel in one message.
///
/// A block rests at the place of its index in one of two buffers: the receive buffer or a temporary one.
/// Each step takes it from one buffer to the other, so a phase sends from places where nothing arrives.  The
/// first buffer is chosen such that the last step ends in the receive buffer.  Blocks without a step stay
/// where they lie.  So nothing is packed or copied: a message is a datatype with a regular pattern.
///
/// Shapes    send, receive slots: canonical indices 0..p-1, one for each process.  Groups: an ordered
///           partition of the dimensions.
/// Result    one phase for each group; the process's own block is copied meanwhile.
/// Cost      with p = f_1 ... f_d: C = sum over j of (f_j - 1) messages, V = sum over j of p (1 - 1/f_j)
///           blocks; temp: one block for each index that takes several steps.  Checked by
///           tests/unit/algorithm_combining_test.cpp.
/// Requires  a torus of p processes, and each offset once; one block size everywhere.
/// Errors    none of its own.
/// Source    J. L. Traff: arXiv 2605.29970; groups of dimensions are our own.
schedule::Schedule build_alltoall_torus(const PlannerContext& context, const grid::LocalGraph& graph,
                                        const CallSpecification&, const Groups& groups)
{
    const grid::Neighborhood& neighborhood = *context.neighborhood;
    const BlockRoute route(neighborhood, graph.rank, groups);
    Builder out = Builder::on_grid(neighborhood.dimensions());

    const int p = neighborhood.size();
    std::vector<Slot> place; // where this process has the block of index i
    std::vector<Slot> next;  // the place after the next step
    std::vector<Slot> then;  // the place after the step behind that
    for (int i = 0; i < p; ++i) {
        int steps = 0;
        for (int j = 0; j < route.groups(); ++j) steps += route.rests(i, j) ? 0 : 1;
        place.push_back(send_slot(i));
        next.push_back(receive_slot(i));
        then.push_back(steps > 1 ? out.new_temp(i) : receive_slot(i));
        if (steps % 2 == 0) std::swap(next.back(), then.back()); // the last step ends in the receive buffer
    }

    for (int j = 0; j < route.groups(); ++j) {
        out.begin_phase();
        for (int i = 0; i < p; ++i)
            if (j == 0 && route.stays(i)) out.copy_meanwhile(send_slot(i), receive_slot(i));
        std::vector<int> moving = route.moving(j);
        std::ranges::stable_sort(moving, [&](int a, int b) { return route.compare_steps(a, b, j) < 0; });
        for (std::size_t m = 0; m < moving.size(); ++m) {
            const int i = moving[m];
            if (m == 0 || route.compare_steps(moving[m - 1], i, j) != 0) out.begin_round(route.step(i, j));
            out.send(place[at(i)]);
            out.receive(next[at(i)]);
        }
        for (const int i : moving) {
            place[at(i)] = next[at(i)];
            std::swap(next[at(i)], then[at(i)]);
        }
    }
    return std::move(out).finish();
}

} // namespace

extern const Algorithm alltoall_torus = {
    .name = "alltoall_torus",
    .collective = Collective::alltoall,
    .does =
        "sends blocks along the dimensions of a torus of all processes, those that take the same step in one "
        "message, from where they lie",
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = graph_must_be_complete,
    .variants = any_groups,
    .build = build_alltoall_torus,
};

} // namespace ortho::algorithm
