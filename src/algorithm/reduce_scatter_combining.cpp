// SPDX-License-Identifier: BSD-3-Clause
// Stencil reduction of personal blocks, combined on their way.  No MPI in this file.

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/block_route.hpp"
#include "algorithm/conditions.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using schedule::Buffer;
using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

/// The blocks at this process with the same way before them, and so with one destination: those of the
/// offsets order[begin..end), which agree in the later groups.
struct Heap {
    int begin;
    int end;
    Slot place; ///< of their sum, if it is here
};

/// Reduces the terms into one place: the receive slot, if `last`; else a term that may be written, or a new
/// temporary slot.
Slot sum_up(Builder& out, const std::vector<Slot>& terms, bool last)
{
    // Blocks that have arrived have no other use.  The receive slot comes first if a term is there.
    auto grows = std::ranges::find(terms, receive_slot(0));
    if (grows == terms.end() && !last)
        grows = std::ranges::find(terms, Buffer::temp, [](Slot slot) { return slot.buffer; });
    if (terms.size() == 1 && !last) return terms.front();
    Slot sum{};
    if (grows == terms.end()) {
        grows = terms.begin();
        sum = last ? receive_slot(0) : out.new_temp(0);
        out.copy_afterwards(*grows, sum);
    } else {
        sum = *grows;
    }
    for (auto term = terms.begin(); term != terms.end(); ++term)
        if (term != grows) out.reduce_afterwards(*term, sum);
    return sum;
}

/// Reduces, at every process, the blocks that are sent to it, block i of the sender to the process offset i
/// away, in one phase for each group of dimensions.  Blocks that meet on their way to one process are reduced
/// there and go on as one: the tree of allgather_combining, backwards.
///
/// Shapes    send slots: canonical indices 0..t-1; receive slot 0; temp: one block for each arriving sum.
///           Groups: an ordered partition of the dimensions; the order matters for V.
/// Result    at most #groups phases, and one before them in which equal offsets are summed up; nothing
///           is written where there is no in-edge.
/// Cost      on a torus, per process: C = sum over groups of #{distinct non-zero steps} messages,
///           V = sum over groups j of #{distinct coordinates in the groups from j on, with a step in j}
///           blocks, which is V of the allgather with the groups in opposite order.  With borders: upper
///           bounds.  Checked by tests/unit/algorithm_combining_test.cpp.  O(t d log t) time.
/// Requires  nothing of the grid; a commutative operator; one block size everywhere.
/// Source    the adjoint of J. L. Traff, S. Hunold: Cartesian Collective Communication, ICPP 2019,
///           Algorithm 2; borders: doc/algorithms.md, "Combining on meshes".
schedule::Schedule build_reduce_scatter_combining(const PlannerContext& context,
                                                  const grid::LocalGraph& graph, const CallSpecification&,
                                                  const Groups& groups)
{
    const grid::Neighborhood& neighborhood = *context.neighborhood;
    const BlockRoute route(neighborhood, graph.rank, groups);
    const int m = route.groups();
    Builder out = Builder::on_grid(neighborhood.dimensions());

    // Sorted by the last group's step first, the offsets of a heap are neighbors.
    const std::vector<int> order = route.sorted(true);
    const auto leaf = [&](int position) { return order[static_cast<std::size_t>(position)]; };
    const auto agree_from = [&](int a, int b, int j) {
        for (int g = m; g-- > j;)
            if (route.compare_steps(a, b, g) != 0) return false;
        return true;
    };
    // When the groups before j are done: is some block of the heap here, and does its destination exist?
    const auto is_here = [&](const Heap& heap, int j) {
        if (!route.target_exists(leaf(heap.begin), j)) return false;
        for (int position = heap.begin; position < heap.end; ++position)
            if (route.source_exists(leaf(position), j)) return true;
        return false;
    };

    std::vector<Heap> heaps;
    out.begin_phase();
    for (int begin = 0; begin < neighborhood.size();) {
        std::vector<Slot> terms;
        int end = begin;
        for (; end < neighborhood.size() && agree_from(leaf(begin), leaf(end), 0); ++end)
            terms.push_back(send_slot(leaf(end)));
        Heap heap{begin, end, {}};
        if (is_here(heap, 0)) heap.place = sum_up(out, terms, false);
        heaps.push_back(heap);
        begin = end;
    }

    for (int j = 0; j < m; ++j) {
        out.begin_phase();
        const bool last = j + 1 == m;
        // By step, and then in the heaps' order: both ends of a message must list its blocks alike.
        std::vector<int> moving;
        for (int h = 0; h < static_cast<int>(heaps.size()); ++h)
            if (!route.rests(leaf(heaps[static_cast<std::size_t>(h)].begin), j)) moving.push_back(h);
        const auto first_of = [&](int h) { return leaf(heaps[static_cast<std::size_t>(h)].begin); };
        std::ranges::stable_sort(
            moving, [&](int a, int b) { return route.compare_steps(first_of(a), first_of(b), j) < 0; });
        bool result_arrives = false;
        for (std::size_t k = 0; k < moving.size(); ++k) {
            Heap& heap = heaps[static_cast<std::size_t>(moving[k])];
            if (k == 0 || route.compare_steps(first_of(moving[k - 1]), leaf(heap.begin), j) != 0)
                out.begin_round(route.step(leaf(heap.begin), j));
            if (is_here(heap, j)) out.send(heap.place);
            if (!is_here(heap, j + 1)) continue;
            heap.place = last && !std::exchange(result_arrives, true) ? receive_slot(0) : out.new_temp(0);
            out.receive(heap.place);
        }

        std::vector<Heap> next;
        for (std::size_t begin = 0; begin < heaps.size();) {
            std::vector<Slot> terms;
            std::size_t end = begin;
            for (; end < heaps.size() && agree_from(leaf(heaps[begin].begin), leaf(heaps[end].begin), j + 1);
                 ++end)
                if (is_here(heaps[end], j + 1)) terms.push_back(heaps[end].place);
            Heap heap{heaps[begin].begin, heaps[end - 1].end, {}};
            if (!terms.empty()) heap.place = sum_up(out, terms, last);
            next.push_back(heap);
            begin = end;
        }
        heaps = std::move(next);
    }
    return std::move(out).finish();
}

} // namespace

extern constexpr Algorithm reduce_scatter_combining = {
    .name = "reduce_scatter_combining",
    .collective = Collective::reduce_scatter,
    .does = results_by_dimension,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = results_must_combine,
    .variants = single_dimensions,
    .build = build_reduce_scatter_combining,
};

extern const Algorithm reduce_scatter_grouped = in_groups(reduce_scatter_combining, "reduce_scatter_grouped",
                                                          results_by_groups);
extern const Algorithm reduce_scatter_radix = in_digits(reduce_scatter_combining, "reduce_scatter_radix",
                                                        results_by_digits);

} // namespace ortho::algorithm
