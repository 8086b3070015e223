// SPDX-License-Identifier: BSD-3-Clause
// Stencil reduction with shared partial results.  No MPI in this file.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "algorithm/conditions.hpp"
#include "algorithm/offset_steps.hpp"
#include "base/index.hpp"
#include "grid/neighborhood.hpp"
#include "schedule/builder.hpp"

namespace ortho::algorithm {

using grid::Grid;
using schedule::Builder;
using schedule::receive_slot;
using schedule::send_slot;
using schedule::Slot;

namespace {

/// A part of a partial result: a child, taken one step back in the group of dimensions, `times` times.
struct Part {
    int step;  ///< number of the step
    int child; ///< number of the partial result, one level down
    int times;

    auto operator<=>(const Part&) const = default;
};

/// A partial result of level j at a process reduces the contributions of a set of processes: those that lie
/// one of a set of offsets back in the first j groups of dimensions.  Level 0 has one: the process's own
/// contribution.  The last level has one: the result.  A partial result of level j+1 reduces parts of level
/// j, each one step back in group j:
///
///     R(r; N) = (+)_a R(r - a; N_a)
///
/// where N_a are the offsets with step a in group j, restricted to the groups before.  Equal N_a are one
/// partial result, whatever the step: this saves messages and work.
///
/// O(t d log t).  Source: design.md, "Combining reduction"; in none of the papers.
class PartialResults {
public:
    PartialResults(const grid::Neighborhood& neighborhood, const Groups& groups);

    int levels() const { return static_cast<int>(levels_.size()); }
    /// The partial results of level j+1, 0 <= j < levels(): the parts of each, by step.
    const std::vector<std::vector<Part>>& after(int j) const { return levels_[at(j)]; }
    /// The number of partial results of level j, 0 <= j <= levels().
    int count(int j) const { return j == 0 ? 1 : static_cast<int>(levels_[at(j - 1)].size()); }

    int steps(int j) const { return static_cast<int>(steps_[at(j)].size()); }
    /// A step of group j, in all dimensions.
    const std::vector<int>& step(int j, int number) const { return steps_[at(j)][at(number)]; }
    bool rests(int j, int number) const { return number == zero_[at(j)]; }

private:
    std::vector<std::vector<std::vector<Part>>> levels_;
    std::vector<std::vector<std::vector<int>>> steps_;
    std::vector<int> zero_;
};

PartialResults::PartialResults(const grid::Neighborhood& neighborhood, const Groups& groups)
{
    const grid::Stencil& offsets = neighborhood.offsets;
    const OffsetSteps along(neighborhood, groups);
    std::vector<std::vector<int>> number; // by group and offset: the number of the step
    for (const std::vector<int>& columns : along.columns) {
        OffsetTuples tuples = number_tuples(along.steps, columns);
        auto& steps = steps_.emplace_back(at(tuples.distinct),
                                          std::vector<int>(at(neighborhood.dimensions()), 0));
        for (int i = 0; i < offsets.size(); ++i)
            for (const int column : columns)
                steps[at(tuples.number[at(i)])][at(along.dimension[at(column)])] = along.steps(i, column);
        zero_.push_back(tuples.zero);
        number.push_back(std::move(tuples.number));
    }

    // Sorted by the last group's step first, offsets with one place of a partial result lie together.
    const int m = static_cast<int>(groups.size());
    std::vector<int> order(at(offsets.size()));
    std::iota(order.begin(), order.end(), 0);
    const auto agree_after = [&](int a, int b, int j) {
        for (int g = m; --g > j;)
            if (number[at(g)][at(a)] != number[at(g)][at(b)]) return false;
        return true;
    };
    std::ranges::sort(order, [&](int a, int b) {
        for (int g = m; g-- > 0;)
            if (number[at(g)][at(a)] != number[at(g)][at(b)])
                return number[at(g)][at(a)] < number[at(g)][at(b)];
        return false;
    });

    struct Place {
        int offset; // any offset that shares it
        Part part;  // of the partial result of the next level
    };
    std::vector<Place> places;
    for (const int i : order) {
        if (!places.empty() && agree_after(places.back().offset, i, -1))
            ++places.back().part.times;
        else
            places.push_back({i, {0, 0, 1}});
    }
    for (int j = 0; j < m; ++j) {
        std::map<std::vector<Part>, int> numbers;
        std::vector<Place> next;
        for (std::size_t begin = 0; begin < places.size();) {
            std::vector<Part> parts;
            std::size_t end = begin;
            for (; end < places.size() && agree_after(places[begin].offset, places[end].offset, j); ++end) {
                parts.push_back(places[end].part);
                parts.back().step = number[at(j)][at(places[end].offset)];
            }
            const auto [entry, is_new] = numbers.try_emplace(std::move(parts),
                                                             static_cast<int>(numbers.size()));
            next.push_back({places[begin].offset, {0, entry->second, 1}});
            begin = end;
        }
        auto& level = levels_.emplace_back(numbers.size());
        while (!numbers.empty()) {
            auto node = numbers.extract(numbers.begin());
            level[at(node.mapped())] = std::move(node.key());
        }
        places = std::move(next);
    }
}

/// The partial results that one process needs and has.  On a grid with borders, a part whose process is off
/// the grid contributes nothing, and a partial result whose user is off the grid is not needed.  The former
/// depends on coordinates in earlier groups, the latter on those in later groups.  A dimension may be in
/// both.  So a process asks of the process at the other end of a step what that one asks of itself.
class Presence {
public:
    Presence(const PartialResults& partials, const Grid& grid, int rank)
        : partials_(partials),
          grid_(grid),
          here_(grid.coordinates(rank)),
          stay_(here_.size())
    {
        const int m = partials.levels();
        crossed_.resize(at(m));
        for (int j = 0; j < m; ++j) {
            for (int k = 0; k < grid.dimensions(); ++k)
                for (int s = 0; s < partials.steps(j) && !grid.periodic(k); ++s)
                    if (partials.step(j, s)[at(k)] != 0) {
                        crossed_[at(j)].push_back(k);
                        break;
                    }
            auto& users = users_.emplace_back(at(partials.count(j)));
            for (int f = 0; f < partials.count(j + 1); ++f)
                for (const Part& part : partials.after(j)[at(f)])
                    users[at(part.child)].push_back({part.step, f});
        }
    }

    /// Does any process contribute to the partial result of level j at this process?
    bool exists(int j, int number) const { return exists(j, number, stay_); }
    bool needed(int j, int number) const { return needed(j, number, stay_); }
    /// Does the part come from a process on the grid, and is it not empty?
    bool contributes(int j, const Part& part) const { return contributes(j, part, stay_); }
    /// Does the process one step ahead need the partial result `number`, which this part is for?
    bool is_needed_ahead(int j, const Part& part, int number) const
    {
        return is_needed_ahead(j, {part.step, number}, stay_);
    }

private:
    /// A process, by the way to it from this one; 0 in dimensions that do not matter.
    using Way = std::vector<int>;
    struct User {
        int step;
        int number;
    };
    /// Answers that were found before, by level, partial result and process.
    using Found = std::map<std::tuple<int, int, Way>, bool>;

    bool exists(int j, int number, const Way& way) const
    {
        return j == 0 || found(exists_, j, number, way, [&] {
                   return std::ranges::any_of(partials_.after(j - 1)[at(number)], [&](const Part& part) {
                       return contributes(j - 1, part, way);
                   });
               });
    }
    bool needed(int j, int number, const Way& way) const
    {
        return j == partials_.levels() || found(needed_, j, number, way, [&] {
                   return std::ranges::any_of(users_[at(j)][at(number)], [&](const User& user) {
                       return is_needed_ahead(j, user, way);
                   });
               });
    }
    bool contributes(int j, const Part& part, const Way& way) const
    {
        const Way from = moved(way, j, part.step, -1, 0, j);
        return is_on_grid(way, j, part.step, -1) && exists(j, part.child, from);
    }
    bool is_needed_ahead(int j, const User& user, const Way& way) const
    {
        const Way to = moved(way, j, user.step, +1, j + 1, partials_.levels());
        return is_on_grid(way, j, user.step, +1) && needed(j + 1, user.number, to);
    }

    /// A step on, or back; only dimensions with borders that are crossed in these groups matter.
    Way moved(const Way& way, int j, int step, int sign, int begin, int end) const
    {
        Way result(way.size());
        for (int g = begin; g < end; ++g)
            for (const int k : crossed_[at(g)])
                result[at(k)] = way[at(k)] + sign * partials_.step(j, step)[at(k)];
        return result;
    }
    bool is_on_grid(const Way& way, int j, int step, int sign) const
    {
        return std::ranges::all_of(crossed_[at(j)], [&](int k) {
            const std::int64_t c = std::int64_t{here_[at(k)]} + way[at(k)];
            return grid_.wrap(k, c + std::int64_t{sign} * partials_.step(j, step)[at(k)]) != Grid::nowhere;
        });
    }
    template <class Find>
    static bool found(Found& before, int j, int number, const Way& way, Find find)
    {
        const auto known = before.find({j, number, way});
        if (known != before.end()) return known->second;
        const bool result = find();
        before.emplace(std::tuple(j, number, way), result);
        return result;
    }

    const PartialResults& partials_;
    const Grid& grid_;
    Way here_; // from the first process
    Way stay_;
    std::vector<std::vector<int>> crossed_;             // in each group: dimensions with borders
    std::vector<std::vector<std::vector<User>>> users_; // of the partial results of each level
    mutable Found exists_, needed_;
};

/// The partial result `child`, which is sent in a phase; that of the process one step back arrives.
struct Shipment {
    Slot place{};
    bool leaves = false;
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
///           Checked by tests/unit/algorithm_combining_test.cpp.  O(t d log t) time.
/// Requires  nothing of the grid; a commutative operator; one block size everywhere.
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
        std::map<std::pair<int, int>, Shipment> shipments;
        const auto arrival = [&](const Part& part) -> Shipment& {
            return shipments[{part.step, part.child}];
        };
        const auto is_wanted = [&](int f) { return presence.needed(j + 1, f) && presence.exists(j + 1, f); };
        for (int f = 0; f < partials.count(j + 1); ++f) {
            for (const Part& part : results[at(f)]) {
                if (partials.rests(j, part.step)) continue;
                if (presence.exists(j, part.child) && presence.is_needed_ahead(j, part, f))
                    arrival(part).leaves = true;
                if (presence.needed(j + 1, f) && presence.contributes(j, part)) ++arrival(part).uses;
            }
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
        for (auto& [key, shipment] : shipments) {
            const auto [step, child] = key;
            if (step != std::exchange(round, step)) out.begin_round(partials.step(j, step));
            if (shipment.leaves) out.send(own[at(child)]);
            if (shipment.uses == 0) continue;
            if (shipment.place != receive_slot(0)) shipment.place = out.new_temp(0);
            out.receive(shipment.place);
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

extern constexpr Algorithm allreduce_combining = {
    .name = "allreduce_combining",
    .collective = Collective::allreduce,
    .does = results_by_dimension,
    .slots = Slots::canonical,
    .forwards = true,
    .why_not = results_must_combine,
    .variants = single_dimensions,
    .build = build_allreduce_combining,
};

extern const Algorithm allreduce_grouped = in_groups(allreduce_combining, "allreduce_grouped",
                                                     results_by_groups);
extern const Algorithm allreduce_radix = in_digits(allreduce_combining, "allreduce_radix", results_by_digits);

} // namespace ortho::algorithm
