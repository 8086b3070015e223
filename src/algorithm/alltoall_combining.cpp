// SPDX-License-Identifier: BSD-3-Clause
// Stencil alltoall by message combining.  No MPI in this file.

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

/// Delivers block i of every process to the process offset i away, in one phase for each group of dimensions.
/// All blocks that take one step travel in one message.
///
/// A block on its way rests in a temporary slot of its own; its last step ends in its receive slot.
/// Temporary slots are made in the order of arrival, so that blocks that arrive together and go on lie
/// together.  On a grid with borders, a process also forwards blocks whose index has neither a source nor a
/// target here, and receive slots without a source are not touched.
///
/// Shapes    send, receive slots: canonical indices 0..t-1.  Groups: an ordered partition
///           of the dimensions; one_by_one() is the papers' algorithm, a single group of all
///           dimensions is a direct exchange.
/// Result    at most #groups phases; zero offsets are copied meanwhile.
/// Cost      on a torus, per process, with one dimension in each group: C = sum over k of #{distinct non-zero
///           coordinates k} messages, V = sum over i of #{non-zero coordinates of offset i} blocks; temp sum
///           over i of max(0, that - 1) blocks.
///           With borders: these are upper bounds.
///           Checked by tests/unit/algorithm_combining_test.cpp.  O(t d log t) time.
/// Requires  nothing of the grid; equal block sizes for equal indices everywhere.
/// Source    J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019,
///           3.1 and Algorithm 1; borders: doc/algorithms.md, "Combining on meshes".
schedule::Schedule build_alltoall_combining(const PlannerContext& context, const grid::LocalGraph& graph,
                                            const CallSpecification&, const Groups& groups)
{
    const grid::Neighborhood& neighborhood = *context.neighborhood;
    const BlockRoute route(neighborhood, graph.rank, groups);
    const auto t = static_cast<std::size_t>(neighborhood.size());
    Builder out = Builder::on_grid(neighborhood.dimensions());

    std::vector<Slot> place(t); // where this process has the block of index i
    for (std::size_t i = 0; i < t; ++i) place[i] = send_slot(static_cast<int>(i));

    for (int j = 0; j < route.groups(); ++j) {
        out.begin_phase();
        if (j == 0) {
            for (int i = 0; i < neighborhood.size(); ++i)
                if (route.stays(i)) out.copy_meanwhile(send_slot(i), receive_slot(i));
        }

        std::vector<int> moving = route.moving(j);
        // Both ends of a message must list its blocks alike: by step, then blocks that go on first.
        std::ranges::stable_sort(moving, [&](int a, int b) {
            const auto steps = route.compare_steps(a, b, j);
            return steps != 0 ? steps < 0 : route.arrives(a, j) < route.arrives(b, j);
        });

        std::vector<Slot> next = place; // a phase sends the old blocks while new ones arrive
        for (std::size_t m = 0; m < moving.size(); ++m) {
            const int i = moving[m];
            if (m == 0 || route.compare_steps(moving[m - 1], i, j) != 0) out.begin_round(route.step(i, j));
            const auto index = static_cast<std::size_t>(i);
            if (route.source_exists(i, j) && route.target_exists(i, j)) out.send(place[index]);
            if (route.source_exists(i, j + 1) && route.target_exists(i, j + 1)) {
                next[index] = route.arrives(i, j) ? receive_slot(i) : out.new_temp(i);
                out.receive(next[index]);
            }
        }
        place = std::move(next);
    }
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm alltoall_combining = {
    .name = "alltoall_combining",
    .collective = Collective::alltoall,
    .does = blocks_by_dimension,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = sizes_must_agree,
    .variants = single_dimensions,
    .build = build_alltoall_combining,
};

extern const Algorithm alltoall_grouped = in_groups(alltoall_combining, "alltoall_grouped", blocks_by_groups);
extern const Algorithm alltoall_radix = in_digits(alltoall_combining, "alltoall_radix", blocks_by_digits);

} // namespace ortho::algorithm
