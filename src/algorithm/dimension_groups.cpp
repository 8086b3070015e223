// SPDX-License-Identifier: BSD-3-Clause
// The dimensions to cross together, and their order.  No MPI in this file.

#include "algorithm/dimension_groups.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "algorithm/algorithm.hpp"
#include "base/index.hpp"
#include "base/saturating_math.hpp"
#include "schedule/price.hpp"

namespace ortho::algorithm {

using base::times_plus;
using schedule::OffNode;
using schedule::PhaseCounts;

namespace {

/// A torus of the grid's sizes: processes far from all borders act as on a torus, where all send alike.
grid::Neighborhood wrapped(const grid::Neighborhood& neighborhood)
{
    const grid::Grid& grid = neighborhood.grid;
    std::vector<int> sizes;
    for (int k = 0; k < grid.dimensions(); ++k) sizes.push_back(grid.size(k));
    return {grid::Grid(sizes, std::vector<char>(sizes.size(), 1), grid.order()), neighborhood.offsets};
}

std::vector<int> dimensions_in(std::uint32_t set)
{
    std::vector<int> result;
    for (int k = 0; set >> k != 0; ++k)
        if ((set >> k & 1U) != 0) result.push_back(k);
    return result;
}

std::uint32_t set_of(const std::vector<int>& dimensions)
{
    std::uint32_t result = 0;
    for (const int k : dimensions) result |= std::uint32_t{1} << k;
    return result;
}

std::vector<int> all_but(int d, const std::vector<int>& dimensions)
{
    std::vector<int> result;
    for (int k = 0; k < d; ++k)
        if (std::ranges::find(dimensions, k) == dimensions.end()) result.push_back(k);
    return result;
}

/// The number of pairs of sets of dimensions with different costs of crossing the one after the other; 0 if
/// there are too many to count.
std::int64_t pairs_of_sets(int dimensions, bool any_before)
{
    constexpr int most_dimensions = 10;
    if (dimensions > most_dimensions) return 0;
    std::int64_t pairs = 1;
    for (int k = 0; k < dimensions; ++k) pairs *= any_before ? 2 : 3;
    return pairs;
}

bool can_count_all(const grid::Neighborhood& neighborhood, bool any_before)
{
    constexpr std::int64_t most = std::int64_t{1} << 21;
    const std::int64_t pairs = pairs_of_sets(neighborhood.dimensions(), any_before);
    return pairs > 0 && pairs * std::max(1, neighborhood.size()) <= most;
}

/// For the offsets of each number in `outer`, their multiset of numbers in `inner`; equal multisets have
/// equal numbers.
std::vector<int> number_quotients(const std::vector<int>& outer, const std::vector<int>& inner)
{
    std::vector<int> order(outer.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int i) { return std::pair(outer[at(i)], inner[at(i)]); });
    std::map<std::vector<int>, int> numbers;
    std::vector<int> result(outer.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::vector<int> quotient;
        std::size_t end = begin;
        for (; end < order.size() && outer[at(order[end])] == outer[at(order[begin])]; ++end)
            quotient.push_back(inner[at(order[end])]);
        const int number =
            numbers.try_emplace(std::move(quotient), static_cast<int>(numbers.size())).first->second;
        for (; begin < end; ++begin) result[at(order[begin])] = number;
    }
    return result;
}

} // namespace

DimensionGroups::DimensionGroups(const grid::Neighborhood& neighborhood, Collective collective,
                                 std::shared_ptr<const grid::Nodes> nodes)
    : torus_(wrapped(neighborhood)),
      grid_(neighborhood.grid),
      nodes_(std::move(nodes)),
      collective_(collective),
      complete_(can_count_all(neighborhood, collective == Collective::alltoall))
{
    const int d = torus_.dimensions();
    looks_ = schedule::most_looks /
             std::max<std::int64_t>(1, complete_ ? pairs_of_sets(d, collective == Collective::alltoall) : d);
    if (complete_) {
        const Set all = (Set{1} << torus_.dimensions()) - 1;
        for (Set before = 0; before < all; ++before) {
            const Set rest = all & ~before;
            for (Set group = rest; group != 0; group = (group - 1) & rest) {
                const auto [entry, is_new] = counted_.try_emplace(key(before, group));
                if (is_new) entry->second = count(dimensions_in(before), dimensions_in(group));
            }
        }
        return;
    }
    usual_ = by_distinct_coordinates(torus_);
    if (collective_ == Collective::allreduce || collective_ == Collective::reduce_scatter)
        std::ranges::reverse(usual_);
    along_usual_ = along(usual_);
}

std::pair<DimensionGroups::Set, DimensionGroups::Set> DimensionGroups::key(Set before, Set group) const
{
    // In an alltoall every block travels by itself, wherever it has been.
    return {collective_ == Collective::alltoall ? 0 : before, group};
}

PhaseCounts DimensionGroups::count(const std::vector<int>& before, const std::vector<int>& group) const
{
    const grid::Stencil& offsets = torus_.offsets;
    const OffsetTuples steps = number_tuples(offsets, group);
    const auto numbers_in = [&](const std::vector<int>& dimensions) {
        return number_tuples(offsets, dimensions).number;
    };

    // Offsets that share a block when the group is crossed have one number.
    std::vector<int> block(at(offsets.size()));
    switch (collective_) {
    case Collective::allgather: block = numbers_in(before); break;
    case Collective::reduce_scatter: block = numbers_in(all_but(torus_.dimensions(), before)); break;
    case Collective::allreduce:
        if (!before.empty())
            block = number_quotients(numbers_in(all_but(torus_.dimensions(), before)), numbers_in(before));
        break;
    default: std::iota(block.begin(), block.end(), 0);
    }

    std::vector<std::pair<int, int>> sent;
    for (int i = 0; i < offsets.size(); ++i)
        if (steps.number[at(i)] != steps.zero) sent.emplace_back(block[at(i)], steps.number[at(i)]);
    std::ranges::sort(sent);
    sent.erase(std::ranges::unique(sent).begin(), sent.end());
    const std::int64_t blocks = std::ssize(sent);
    const bool reduces = collective_ == Collective::allreduce || collective_ == Collective::reduce_scatter;
    PhaseCounts crossing{.messages = steps.distinct - (steps.zero >= 0 ? 1 : 0),
                         .blocks = blocks,
                         .amount = blocks,
                         .reduced = reduces ? blocks : 0};
    if (nodes_ == nullptr) return crossing;
    std::vector<std::int64_t> blocks_along(at(steps.distinct));
    for (const auto& [its_block, step] : sent) ++blocks_along[at(step)];
    crossing.off = count_off_node(steps, group, blocks_along);
    return crossing;
}

OffNode DimensionGroups::count_off_node(const OffsetTuples& steps, const std::vector<int>& group,
                                        const std::vector<std::int64_t>& along) const
{
    std::vector<int> offset_of(at(steps.distinct)); // any offset that takes this step
    for (int i = 0; i < torus_.size(); ++i) offset_of[at(steps.number[at(i)])] = i;
    grid::Stencil taken(torus_.dimensions());
    std::vector<std::int64_t> blocks;
    std::vector<int> step(at(torus_.dimensions()));
    for (int s = 0; s < steps.distinct; ++s) {
        if (s == steps.zero) continue;
        for (const int k : group) step[at(k)] = torus_.offsets(offset_of[at(s)], k);
        taken.push_back(step);
        blocks.push_back(along[at(s)]);
    }
    return schedule::off_node(grid_, *nodes_, taken, blocks, looks_);
}

std::vector<PhaseCounts> DimensionGroups::along(const Groups& groups) const
{
    if (!complete_ && groups == usual_ && !along_usual_.empty()) return along_usual_;
    std::vector<PhaseCounts> result;
    std::vector<int> before;
    for (const auto& group : groups) {
        result.push_back(complete_ ? counted_.at(key(set_of(before), set_of(group))) : count(before, group));
        before.insert(before.end(), group.begin(), group.end());
    }
    return result;
}

Groups DimensionGroups::cheapest(const std::function<std::int64_t(const PhaseCounts&)>& cost,
                                 bool one_by_one) const
{
    if (!complete_) return usual_;
    struct Best {
        std::int64_t cost = std::numeric_limits<std::int64_t>::max();
        Set last = 0;
    };
    const Set all = (Set{1} << torus_.dimensions()) - 1;
    std::vector<Best> best(std::size_t{all} + 1);
    best[0].cost = 0;
    for (Set before = 0; before < all; ++before) {
        const Set rest = all & ~before;
        for (Set group = rest; group != 0; group = (group - 1) & rest) {
            if (one_by_one && (group & (group - 1)) != 0) continue;
            const std::int64_t total = times_plus(1, cost(counted_.at(key(before, group))),
                                                  best[before].cost);
            Best& there = best[before | group];
            if (total < there.cost || there.last == 0) there = {total, group};
        }
    }
    Groups result;
    for (Set done = all; done != 0; done &= ~best[done].last)
        result.push_back(dimensions_in(best[done].last));
    std::ranges::reverse(result);
    return result;
}

KeptDimensionGroups::KeptDimensionGroups(grid::Neighborhood neighborhood,
                                         std::shared_ptr<const grid::Nodes> nodes)
    : neighborhood_(std::move(neighborhood)),
      nodes_(std::move(nodes))
{}

const DimensionGroups& KeptDimensionGroups::of(Collective collective)
{
    const auto found = kept_.find(collective);
    if (found != kept_.end()) return found->second;
    return kept_.try_emplace(collective, neighborhood_, collective, nodes_).first->second;
}

namespace {

/// The bytes of a block; if sizes differ, their average decides between groups.
std::int64_t usual_bytes(const CallSpecification& specification)
{
    if (specification.sizes.size() < 2) return specification.block_bytes;
    std::int64_t sum = 0;
    for (const std::int64_t size : specification.sizes) sum = times_plus(1, size, sum);
    return sum / std::ssize(specification.sizes);
}

std::vector<Groups> cheapest_groups(const PlannerContext& context, const CallSpecification& specification,
                                    const Pricing& pricing, bool one_by_one)
{
    const std::int64_t block_bytes = usual_bytes(specification);
    const auto price = [&](const PhaseCounts& phase) {
        return predict(pricing.machine, context.layout, work_of(phase, block_bytes));
    };
    return {pricing.dimension_groups.of(specification.collective).cheapest(price, one_by_one)};
}

} // namespace

std::vector<Groups> single_dimensions(const PlannerContext& context, const CallSpecification& specification,
                                      const Pricing& pricing)
{
    return cheapest_groups(context, specification, pricing, true);
}

std::vector<Groups> any_groups(const PlannerContext& context, const CallSpecification& specification,
                               const Pricing& pricing)
{
    return cheapest_groups(context, specification, pricing, false);
}

} // namespace ortho::algorithm
