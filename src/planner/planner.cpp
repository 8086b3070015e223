// SPDX-License-Identifier: BSD-3-Clause
// Chooses an algorithm for a call and keeps its schedule.  No MPI in this file.

#include "planner/planner.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "algorithm/agreed_rounds.hpp"
#include "algorithm/wires.hpp"
#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "schedule/work.hpp"

namespace ortho::planner {

namespace {

/// Rooted calls have a schedule for each root; a loop over all roots must not keep them all.
constexpr std::size_t most_kept = 64;

/// The reason why an algorithm that forwards does not apply to the call.  `named`: the user has named
/// algorithms, and so promised that processes come back to the operation.
WhyNot why_not_forward(const CallSpecification& specification, bool named)
{
    if (specification.halo && !specification.halo->grid.is_full()) return WhyNot::not_full;
    if (specification.on_devices && !named) return WhyNot::on_devices;
    if (specification.forwards == algorithm::Forwards::never) return WhyNot::not_attached;
    const bool may = named || specification.forwards == algorithm::Forwards::always;
    return may ? WhyNot::nothing : WhyNot::may_be_left_alone;
}

/// Is there a choice to make?
bool has_several(Collective collective)
{
    return std::ranges::count(all_algorithms(), collective, &Algorithm::collective) > 1;
}

/// A hint to known names that are like this one.
std::string hint_for(std::string_view name)
{
    std::string longer;
    for (const std::string_view known : all_names())
        if (known.starts_with(name)) longer += base::text(longer.empty() ? "; so begin " : ", ", known);
    return longer.empty() ? base::did_you_mean(name, all_names()) : longer;
}

} // namespace

std::vector<std::string> parse_algorithms(const std::string& list, const char* argument)
{
    std::vector<std::string> result;
    for (const std::string_view name : base::items_of(list)) {
        if (name.empty() || name == "auto") continue;
        if (is_unknown(name))
            base::fail(base::ErrorKind::algorithm, argument, argument, " names an unknown algorithm '", name,
                       "'", hint_for(name));
        result.emplace_back(name);
    }
    return result;
}

Planner::Planner(PlannerContext context, Settings settings)
    : context_(std::move(context)),
      settings_(std::move(settings))
{
    context_.may_meet = schedule::may_meet(
        with_network(machine_in(settings_.tune.get()), settings_.network_kind));
    if (!context_.neighborhood) return;
    dimension_groups_ = std::make_unique<algorithm::KeptDimensionGroups>(*context_.neighborhood,
                                                                         context_.layout.nodes);
    is_star_ = grid::is_star(context_.neighborhood->offsets);
    has_repeats_ = grid::has_repeats(context_.neighborhood->offsets);
}

std::vector<Candidate> Planner::candidates(const CallSpecification& specification,
                                           const std::vector<std::string>& algorithms) const
{
    const auto serves = [&](const Algorithm* a) { return a->collective == specification.collective; };
    const auto bound = [&](const Algorithm* a) {
        return std::ranges::find(algorithms, a->name) != algorithms.end();
    };
    const bool any_bound = !algorithms.empty() &&
                           std::ranges::any_of(all_algorithms(),
                                               [&](const Algorithm* a) { return serves(a) && bound(a); });

    std::vector<Candidate> result;
    result.reserve(static_cast<std::size_t>(std::ranges::count_if(all_algorithms(), serves)));
    for (const Algorithm* const algorithm : all_algorithms()) {
        if (!serves(algorithm)) continue;
        if (algorithm->splits && !bound(algorithm) && !can_split()) continue;
        if (algorithm->in_rounds && !bound(algorithm) && context_.may_meet == 0) continue;
        Candidate candidate{algorithm, WhyNot::nothing, {}};
        if (algorithm->why_not != nullptr) candidate.why_not = algorithm->why_not(context_, specification);
        if (!bound(algorithm) && candidate.why_not.out_of_scope) continue;
        // This reason goes before others: the direct algorithm sends as few messages.
        if (algorithm->variants != nullptr && !algorithm->splits && !any_bound &&
            has_nothing_to_combine(specification.collective))
            candidate.why_not = WhyNot::nothing_to_combine;
        if (context_.independent && (algorithm->forwards || algorithm->by_wires))
            candidate.why_not = WhyNot::independent;
        if (any_bound && !bound(algorithm)) candidate.why_not = WhyNot::others_named;
        if (candidate.applies() && algorithm->forwards)
            candidate.why_not = why_not_forward(specification, any_bound);
        result.push_back(std::move(candidate));
    }
    // A program must get equal sums in each run, so the trial of the network does not decide about
    // reductions.  Without a stencil all algorithms reduce in the order of in-edges.
    const bool is_order_chosen = algorithm::reduces(specification.collective) && context_.neighborhood;
    const schedule::Machine whole = with_network(machine_in(settings_.tune.get()),
                                                 is_order_chosen ? 0 : settings_.network_kind);
    const schedule::Machine shared = specification.shared_memory
                                         ? with_shared_memory(whole, specification.large, context_.layout)
                                         : whole;
    const bool is_choice = std::ranges::count_if(result, &Candidate::applies) > 1;
    for (Candidate& candidate : result) {
        const Algorithm& algorithm = *candidate.algorithm;
        if (!candidate.applies()) continue;
        if (specification.only_to_choose && !is_choice && algorithm.variants == nullptr) continue;
        const bool by_mpi = specification.forwards_by_mpi && algorithm.forwards;
        candidate.choice = choose(algorithm, specification, by_mpi ? whole : shared);
    }
    return result;
}

bool Planner::can_split() const { return dimension_groups_ && dimension_groups_->can_split(); }

bool Planner::has_nothing_to_combine(Collective collective) const
{
    // A reduction combines the values for a neighbor that occurs twice.
    return is_star_ && !(has_repeats_ && algorithm::reduces(collective));
}

Choice Planner::choose(const Algorithm& algorithm, const CallSpecification& specification,
                       const schedule::Machine& machine) const
{
    // Wires know no stencil: they, and direct messages beside them, have a price by counts.
    const bool is_compared_with_wires = !context_.neighborhood || context_.has_found_grid;
    const algorithm::Agreed* const rounds = specification.collective == Collective::alltoall
                                                ? algorithm::known_rounds(context_, specification)
                                                : nullptr;
    const bool in_rounds = rounds != nullptr && algorithm.in_rounds;
    if (specification.counts && context_.layout.nodes &&
        (algorithm.by_wires || (is_compared_with_wires && (!algorithm.forwards || in_rounds)))) {
        Choice choice{.cost_ps = algorithm::exchange_ps(*specification.counts, algorithm.by_wires, machine,
                                                        context_.layout)};
        // That price says which is faster: rounds take the place of messages at once.
        if (in_rounds)
            choice.cost_ps = std::max<std::int64_t>(0, choice.cost_ps +
                                                           price(rounds->in_rounds, 1, machine).cost_ps -
                                                           price(rounds->at_once, 1, machine).cost_ps);
        return choice;
    }
    if (rounds != nullptr && (in_rounds || !(algorithm.forwards || algorithm.by_wires)))
        return price(in_rounds ? rounds->in_rounds : rounds->at_once, 1, machine);
    if (!context_.neighborhood || !has_several(specification.collective)) return {};
    if (algorithm.variants == nullptr) return price(algorithm, specification, machine, {});
    std::optional<Choice> best;
    for (const algorithm::Groups& groups :
         algorithm.variants(context_, specification, {machine, *dimension_groups_})) {
        Choice choice = price(algorithm, specification, machine, groups);
        if (!best || choice.cost_ps < best->cost_ps) best = std::move(choice);
    }
    return *best;
}

Choice Planner::price(const Algorithm& algorithm, const CallSpecification& specification,
                      const schedule::Machine& machine, const algorithm::Groups& groups) const
{
    Kept& known = kept(algorithm, specification, groups);
    constexpr std::int64_t one[] = {1};
    if (!known.sampled) {
        known.sampled = std::make_unique<SampledSchedules>(algorithm, context_, specification, groups);
        known.phases = known.sampled->phases(one);
    }
    // Blocks of an allgather have one size, whatever the form of the call.
    const bool differ = specification.sizes.size() > 1 && specification.collective != Collective::allgather;
    const auto phases = differ ? known.sampled->phases(specification.sizes) : known.phases;
    const std::int64_t unit_bytes = differ                         ? 1
                                    : !specification.sizes.empty() ? specification.sizes[0]
                                                                   : specification.block_bytes;
    Choice choice = price(phases, unit_bytes, machine);
    choice.groups = groups;
    return choice;
}

Choice Planner::price(std::span<const schedule::PhaseCounts> phases, std::int64_t unit_bytes,
                      const schedule::Machine& machine) const
{
    Choice choice;
    for (const schedule::PhaseCounts& phase : phases) {
        // Each phase is over on all processes before the next one.
        const schedule::Work work = work_of(phase, unit_bytes);
        choice.cost_ps = base::times_plus(1, predict(machine, context_.layout, work), choice.cost_ps);
        choice.work += work;
    }
    return choice;
}

const Candidate* cheapest(const std::vector<Candidate>& candidates)
{
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates)
        if (candidate.applies() && (best == nullptr || candidate.choice.cost_ps < best->choice.cost_ps))
            best = &candidate;
    return best;
}

Plan Planner::plan(const CallSpecification& specification, const std::vector<std::string>& algorithms)
{
    Plan plan{nullptr, {}, nullptr, candidates(specification, algorithms)};
    const Candidate* const best = cheapest(plan.candidates);
    if (best == nullptr) {
        std::string reasons;
        for (const Candidate& candidate : plan.candidates)
            if (candidate.why_not != WhyNot::others_named)
                reasons += base::text(reasons.empty() ? "" : "; ", candidate.algorithm->name,
                                      " does not apply: ", candidate.why_not.text);
        base::fail(base::ErrorKind::algorithm, "comm",
                   "none of the algorithms that are named for this call applies: ", reasons);
    }
    plan.algorithm = best->algorithm;
    plan.choice = best->choice;
    plan.schedule = schedule_of(plan, specification);
    return plan;
}

Planner::Kept& Planner::kept(const Algorithm& algorithm, const CallSpecification& specification,
                             const algorithm::Groups& groups) const
{
    const auto found = std::ranges::find_if(kept_, [&](const Kept& other) {
        return other.algorithm == &algorithm && other.groups == groups && other.root == specification.root &&
               other.in_place == specification.in_place &&
               (other.halo == specification.halo ||
                (other.halo && specification.halo && *other.halo == *specification.halo));
    });
    if (found != kept_.end()) return *found;
    if (kept_.size() == most_kept) kept_.pop_front();
    return kept_.emplace_back(&algorithm, groups, specification.root, specification.in_place,
                              specification.halo);
}

std::shared_ptr<const schedule::Schedule> Planner::schedule_of(const Plan& plan,
                                                               const CallSpecification& specification)
{
    const Algorithm& algorithm = *plan.algorithm;
    const auto make = [&] {
        return std::make_shared<const schedule::Schedule>(
            algorithm.build(context_, context_.graph, specification, plan.choice.groups));
    };
    if (algorithm.agree != nullptr) return make(); // belongs to one call
    Kept& known = kept(algorithm, specification, plan.choice.groups);
    // The edges of sampled processes are in another order; canonical indices do not depend on it.
    if (known.schedule == nullptr && known.sampled && algorithm.slots == algorithm::Slots::canonical)
        known.schedule = known.sampled->of(context_.graph.rank);
    if (known.schedule == nullptr) known.schedule = make();
    return known.schedule;
}

} // namespace ortho::planner
