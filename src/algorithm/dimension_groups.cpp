// SPDX-License-Identifier: BSD-3-Clause
// The dimensions to cross together, and their order.  No MPI in this file.

#include "algorithm/dimension_groups.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "algorithm/algorithm.hpp"
#include "base/arithmetic.hpp"
#include "base/index.hpp"

namespace ortho::algorithm {

using base::times_plus;
using schedule::PhaseCounts;

namespace {

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

/// The number of pairs of sets of steps with different costs of taking the one after the other.  `steps`:
/// those of each dimension.
std::int64_t pairs_of_sets(const std::vector<std::uint32_t>& steps, bool any_before)
{
    std::int64_t pairs = 1;
    for (const std::uint32_t set : steps) {
        // None or the next one, after each number of steps, and before the first one all.
        const int here = std::popcount(set);
        pairs *= (any_before ? 1 : 1 + here) + here + (here > 1 ? 1 : 0);
    }
    return pairs;
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
                                 std::shared_ptr<const grid::Nodes> nodes, const Groups& crossed)
    : along_(neighborhood, crossed.empty() ? one_by_one(neighborhood.dimensions()) : crossed),
      grid_(neighborhood.grid),
      nodes_(std::move(nodes)),
      collective_(collective)
{
    const int columns = along_.steps.dimensions();
    const bool is_split = columns > neighborhood.dimensions();
    looks_ = schedule::most_looks / std::max(1, columns);
    constexpr int most_columns = 10;
    if (columns <= most_columns) {
        // The dimensions as a whole are counted, too.
        const std::int64_t most = std::int64_t{1} << (is_split ? 18 : 21);
        steps_of_.resize(at(neighborhood.dimensions()));
        for (int c = 0; c < columns; ++c) steps_of_[at(along_.dimension[at(c)])] |= Set{1} << c;
        const std::int64_t pairs = pairs_of_sets(steps_of_, collective == Collective::alltoall);
        complete_ = pairs * std::max(1, neighborhood.size()) <= most;
        if (complete_) looks_ = schedule::most_looks / pairs;
    }
    if (!complete_) {
        usual_ = by_distinct_coordinates(along_.steps);
        if (collective_ == Collective::allreduce || collective_ == Collective::reduce_scatter)
            std::ranges::reverse(usual_);
        return;
    }
    const Set all = (Set{1} << columns) - 1;
    for (Set before = 0; before < all; ++before) {
        const Set rest = all & ~before;
        for (Set group = rest; group != 0; group = (group - 1) & rest) {
            if (!may_follow(before, group)) continue;
            const auto [entry, is_new] = counted_.try_emplace(key(before, group));
            if (is_new) entry->second = count(dimensions_in(before), dimensions_in(group));
        }
    }
}

bool DimensionGroups::may_follow(Set before, Set group) const
{
    return std::ranges::all_of(steps_of_, [&](Set steps) {
        const Set left = steps & ~before;
        const Set next = left & -left;
        const Set here = steps & group;
        return (left == 0 || (steps & before) < next) && (here == 0 || here == next || here == steps);
    });
}

std::pair<DimensionGroups::Set, DimensionGroups::Set> DimensionGroups::key(Set before, Set group) const
{
    // In an alltoall every block travels by itself, wherever it has been.
    return {collective_ == Collective::alltoall ? 0 : before, group};
}

PhaseCounts DimensionGroups::count(const std::vector<int>& before, const std::vector<int>& group) const
{
    const grid::Stencil& offsets = along_.steps;
    const OffsetTuples steps = number_tuples(offsets, group);
    const auto numbers_in = [&](const std::vector<int>& dimensions) {
        return number_tuples(offsets, dimensions).number;
    };

    // Offsets that share a block when the group is crossed have one number.
    std::vector<int> block(at(offsets.size()));
    switch (collective_) {
    case Collective::allgather: block = numbers_in(before); break;
    case Collective::reduce_scatter: block = numbers_in(all_but(offsets.dimensions(), before)); break;
    case Collective::allreduce:
        if (!before.empty())
            block = number_quotients(numbers_in(all_but(offsets.dimensions(), before)), numbers_in(before));
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

schedule::OffNode DimensionGroups::count_off_node(const OffsetTuples& steps, const std::vector<int>& group,
                                                  const std::vector<std::int64_t>& along) const
{
    std::vector<int> offset_of(at(steps.distinct)); // any offset that takes this step
    for (int i = 0; i < along_.steps.size(); ++i) offset_of[at(steps.number[at(i)])] = i;
    grid::Stencil taken(grid_.dimensions());
    std::vector<std::int64_t> blocks;
    for (int s = 0; s < steps.distinct; ++s) {
        if (s == steps.zero) continue;
        std::vector<int> step(at(grid_.dimensions()));
        for (const int c : group) step[at(along_.dimension[at(c)])] += along_.steps(offset_of[at(s)], c);
        taken.push_back(step);
        blocks.push_back(along[at(s)]);
    }
    return schedule::off_node(grid_, *nodes_, taken, blocks, looks_);
}

std::vector<PhaseCounts> DimensionGroups::along(const Groups& groups) const
{
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
    const Set all = (Set{1} << along_.steps.dimensions()) - 1;
    std::vector<Best> best(std::size_t{all} + 1);
    best[0].cost = 0;
    for (Set before = 0; before < all; ++before) {
        if (before != 0 && best[before].last == 0) continue;
        const Set rest = all & ~before;
        for (Set group = rest; group != 0; group = (group - 1) & rest) {
            if (one_by_one && (group & (group - 1)) != 0) continue;
            if (!may_follow(before, group)) continue;
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

Groups DimensionGroups::dimensions_of(const Groups& groups) const
{
    Groups result;
    for (const std::vector<int>& group : groups) {
        std::vector<int>& its = result.emplace_back();
        for (const int c : group)
            if (std::ranges::find(its, along_.dimension[at(c)]) == its.end())
                its.push_back(along_.dimension[at(c)]);
    }
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

const std::vector<Groups>& KeptDimensionGroups::splits()
{
    if (!splits_) splits_ = algorithm::splits(neighborhood_);
    return *splits_;
}

const std::vector<DimensionGroups>& KeptDimensionGroups::split(Collective collective)
{
    const auto [found, is_new] = kept_splits_.try_emplace(collective);
    if (is_new)
        for (const Groups& crossed : splits())
            found->second.emplace_back(neighborhood_, collective, nodes_, crossed);
    return found->second;
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

auto price_of(const PlannerContext& context, const CallSpecification& specification, const Pricing& pricing)
{
    const std::int64_t block_bytes = usual_bytes(specification);
    return [&context, &pricing, block_bytes](const PhaseCounts& phase) {
        return predict(pricing.machine, context.layout, work_of(phase, block_bytes));
    };
}

std::vector<Groups> cheapest_groups(const PlannerContext& context, const CallSpecification& specification,
                                    const Pricing& pricing, bool one_by_one)
{
    return {pricing.dimension_groups.of(specification.collective)
                .cheapest(price_of(context, specification, pricing), one_by_one)};
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

std::vector<Groups> split_groups(const PlannerContext& context, const CallSpecification& specification,
                                 const Pricing& pricing)
{
    std::vector<Groups> result;
    for (const DimensionGroups& split : pricing.dimension_groups.split(specification.collective))
        result.push_back(
            split.dimensions_of(split.cheapest(price_of(context, specification, pricing), false)));
    return result.empty() ? any_groups(context, specification, pricing) : result;
}

} // namespace ortho::algorithm
