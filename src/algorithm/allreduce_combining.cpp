// SPDX-License-Identifier: BSD-3-Clause
// Stencil reduction with shared partial results.  No MPI in this file.

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/partial_results.hpp"
#include "base/index.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using grid::Grid;
using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

using Flags = std::vector<char>;

/// The partial results that one process needs and has.  On a grid with borders, a part whose process is off
/// the grid contributes nothing, and a partial result whose user is off the grid is not needed.  The former
/// depends on coordinates in earlier groups, the latter on those in later groups.  A step in group j changes
/// neither, so both ends of a message find equal lists.
class Presence {
public:
    Presence(const PartialResults& partials, const Grid& grid, int rank)
    {
        const int m = partials.levels();
        const std::vector<int> here = grid.coordinates(rank);
        for (int j = 0; j < m; ++j) {
            forward_.emplace_back();
            backward_.emplace_back();
            for (int s = 0; s < partials.steps(j); ++s) {
                forward_.back().push_back(on_grid(grid, here, partials.step(j, s), +1));
                backward_.back().push_back(on_grid(grid, here, partials.step(j, s), -1));
            }
        }
        exists_.emplace_back(1, 1);
        for (int j = 0; j < m; ++j) {
            Flags& level = exists_.emplace_back();
            for (const auto& parts : partials.after(j))
                level.push_back(std::ranges::any_of(parts, [&](const Part& p) { return contributes(j, p); }));
        }
        needed_.resize(at(m + 1));
        needed_[at(m)].assign(at(partials.count(m)), 1);
        for (int j = m; j-- > 0;) {
            needed_[at(j)].assign(at(partials.count(j)), 0);
            for (int f = 0; f < partials.count(j + 1); ++f)
                for (const Part& part : partials.after(j)[at(f)])
                    if (needed(j + 1, f) && goes_on(j, part.step)) needed_[at(j)][at(part.child)] = 1;
        }
    }

    /// Is the process one step ahead, or back, in group j on the grid?
    bool goes_on(int j, int step) const { return forward_[at(j)][at(step)] != 0; }
    bool comes_from(int j, int step) const { return backward_[at(j)][at(step)] != 0; }
    /// Does any process contribute to the partial result of level j at this process?
    bool exists(int j, int number) const { return exists_[at(j)][at(number)] != 0; }
    bool needed(int j, int number) const { return needed_[at(j)][at(number)] != 0; }
    /// Does the part come from a process on the grid, and is it not empty?
    bool contributes(int j, const Part& part) const
    {
        return comes_from(j, part.step) && exists(j, part.child);
    }

private:
    static char on_grid(const Grid& grid, const std::vector<int>& here, const std::vector<int>& step,
                        int sign)
    {
        for (int k = 0; k < grid.dimensions(); ++k)
            if (grid.wrap(k, here[at(k)] + std::int64_t{sign} * step[at(k)]) == Grid::nowhere) return 0;
        return 1;
    }

    std::vector<Flags> forward_, backward_; // by group and step
    std::vector<Flags> exists_, needed_;    // by level and partial result
};

/// The partial result `child` of the process one step back, which arrives in a phase.
struct Arrival {
    Slot place{};
    int uses = 0;
};

/// Reduces, at every process, the contributions of all processes r - n, n an offset, in one phase for each
/// group of dimensions.  Partial results that several offsets share are computed once, and travel once.
///
/// In phase j each process sends its partial results of level j to the processes one step of group j ahead,
/// one message for each step.  From its own and those that arrive it makes the ones of level j+1.
///
/// Shapes    send slot 0, receive slot 0; temp: one block for each arriving partial result.  Groups: an
///           ordered partition of the dimensions; the order matters for V.
/// Result    at most #groups phases; nothing is written where there is no in-edge.  Repeated offsets
///           count as often as they occur.
/// Cost      on a torus, per process: C = sum over groups of #{distinct non-zero steps} messages,
///           V = sum over groups of #{distinct (partial result, non-zero step)} blocks.  For {-1,0,1}^d
///           both are 2d.  With borders: upper bounds.
///           Checked by tests/unit/algorithm_reduction_test.cpp.  O(t d log t) time.
/// Requires  nothing of the grid; a commutative operator; one block size everywhere.
/// Errors    none of its own.
/// Source    design.md, "Combining reduction"; in none of the papers.
schedule::Schedule build_allreduce_combining(const PlannerContext& context, const grid::LocalGraph& graph,
                                             const CallSpecification& specification, const Groups& groups)
{
    const grid::Neighborhood& neighborhood = *context.neighborhood;
    const PartialResults partials(neighborhood, groups);
    const Presence presence(partials, neighborhood.grid, graph.rank);
    const int m = partials.levels();
    Builder out = Builder::on_grid(neighborhood.dimensions());

    if (specification.in_place) out.part(send_slot(0), receive_slot(0));
    std::vector<Slot> own{send_slot(0)}; // the places of this process's partial results of the level
    for (int j = 0; j < m; ++j) {
        out.begin_phase();
        const bool last = j + 1 == m;
        const auto& results = partials.after(j);

        // By step, then by number: both ends of a message must list its blocks alike.
        std::map<std::pair<int, int>, Arrival> shipments;
        const auto arrival = [&](const Part& part) -> Arrival& { return shipments[{part.step, part.child}]; };
        const auto is_wanted = [&](int f) { return presence.needed(j + 1, f) && presence.exists(j + 1, f); };
        for (int f = 0; f < partials.count(j + 1); ++f) {
            if (!presence.needed(j + 1, f)) continue;
            for (const Part& part : results[at(f)])
                if (!partials.rests(j, part.step))
                    arrival(part).uses += presence.contributes(j, part) ? 1 : 0;
        }

        // The result's place may be the place where one of its parts arrives, if nothing else needs that
        // part.  An operation in place must not write the result before the contribution has left.
        const auto may_grow = [&](const Part& part) {
            return !partials.rests(j, part.step) && presence.contributes(j, part) && part.times == 1 &&
                   arrival(part).uses == 1;
        };
        if (last && partials.count(m) > 0 && !specification.in_place) {
            const auto part = std::ranges::find_if(results[0], may_grow);
            if (part != results[0].end()) arrival(*part).place = receive_slot(0);
        }

        int round = -1;
        for (auto& [key, arriving] : shipments) {
            const auto [step, child] = key;
            if (step != std::exchange(round, step)) out.begin_round(partials.step(j, step));
            if (presence.goes_on(j, step) && presence.exists(j, child)) out.send(own[at(child)]);
            if (!presence.comes_from(j, step) || !presence.exists(j, child)) continue;
            if (arriving.place != receive_slot(0)) arriving.place = out.new_temp(0);
            out.receive(arriving.place);
        }

        std::vector<Slot> next(results.size());
        for (int f = 0; f < partials.count(j + 1); ++f) {
            if (!is_wanted(f)) continue;
            std::vector<Slot> terms;
            std::size_t grows = 0; // the term that becomes the sum; if none may, the first one is copied
            bool copies = true;
            for (const Part& part : results[at(f)]) {
                if (!presence.contributes(j, part)) continue;
                const Slot place = partials.rests(j, part.step) ? own[at(part.child)] : arrival(part).place;
                if (copies && may_grow(part)) {
                    grows = terms.size();
                    copies = false;
                }
                terms.insert(terms.end(), at(part.times), place);
            }
            Slot& sum = next[at(f)];
            sum = terms[grows];
            if (copies && (terms.size() > 1 || (last && !specification.in_place))) {
                sum = last && !specification.in_place ? receive_slot(0) : out.new_temp(0);
                out.copy_afterwards(terms[grows], sum);
            }
            for (std::size_t i = 0; i < terms.size(); ++i)
                if (i != grows) out.reduce_afterwards(terms[i], sum);
            if (last && specification.in_place && sum != send_slot(0))
                out.copy_afterwards(sum, receive_slot(0));
        }
        own = std::move(next);
    }
    return std::move(out).finish();
}

} // namespace

extern const Algorithm allreduce_combining = {
    .name = "allreduce_combining",
    .collective = Collective::allreduce,
    .does = results_by_dimension,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = results_must_combine,
    .variants = single_dimensions,
    .build = build_allreduce_combining,
};

/// allreduce_combining with several dimensions in a group: fewer phases and shorter ways, but more messages.
/// Messages and blocks lie between those of allreduce_direct and of allreduce_combining.  The choice of
/// groups is our own (DimensionGroups).
extern const Algorithm allreduce_grouped = {
    .name = "allreduce_grouped",
    .collective = Collective::allreduce,
    .does = results_by_groups,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = results_must_combine,
    .variants = any_groups,
    .build = build_allreduce_combining,
};

} // namespace ortho::algorithm
