// SPDX-License-Identifier: BSD-3-Clause
// Chooses an algorithm for a call and keeps its schedule.  No MPI in this file.

#include "planner/planner.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/list.hpp"
#include "base/nearest.hpp"

namespace ortho::planner {

namespace {

/// Rooted calls have a schedule for each root; a loop over all roots must not keep them all.
constexpr std::size_t most_kept = 64;

/// What keeps an algorithm that forwards from serving the call.  `named`: somebody has named the algorithms
/// for it, and so has promised what they take.
WhyNot why_not_forward(const Problem& problem, bool named)
{
    switch (problem.forwarding) {
    case Forwarding::never: return WhyNot::not_attached;
    case Forwarding::if_bound: return named ? WhyNot::nothing : WhyNot::may_be_left_alone;
    case Forwarding::verified: return named ? WhyNot::nothing : WhyNot::verified;
    case Forwarding::yes: break;
    }
    return WhyNot::nothing;
}

} // namespace

std::vector<std::string> parse_algorithms(const std::string& list, const char* argument)
{
    std::vector<std::string> result;
    for (const std::string_view name : base::items_of(list)) {
        if (name.empty() || name == "auto") continue;
        base::require(name == measure || !is_unknown(name), base::ErrorKind::algorithm, argument, argument,
                      " names an unknown algorithm '", name, "'", base::did_you_mean(name, all_names()));
        result.emplace_back(name);
    }
    return result;
}

Planner::Planner(Situation situation, Settings settings)
    : situation_(std::move(situation)),
      settings_(std::move(settings))
{
    if (situation_.neighborhood) counts_.emplace(*situation_.neighborhood, situation_.layout.nodes);
}

std::vector<Candidate> Planner::candidates(const Problem& problem,
                                           const std::vector<std::string>& algorithms) const
{
    const auto serves = [&](const Algorithm& a) { return a.collective == problem.collective; };
    const auto bound = [&](const Algorithm& a) {
        return std::ranges::find(algorithms, a.name) != algorithms.end();
    };
    const auto made_for = [&](Made made) {
        return made == Made::for_irregular_calls ? problem.irregular
               : made == Made::for_several_nodes ? situation_.layout.nodes != nullptr
                                                 : true;
    };
    const bool any_bound = std::ranges::any_of(registry(),
                                               [&](const Algorithm& a) { return serves(a) && bound(a); });

    std::string_view remembered;
    if (situation_.neighborhood && problem.block_bytes > 0) {
        const auto found = settings_.tune.choices.find(key_of(*situation_.neighborhood, problem));
        if (found != settings_.tune.choices.end()) remembered = found->second;
    }

    const Machine& whole = settings_.tune.machine;
    const Machine machine = problem.shared_memory ? with_shared_memory(whole) : whole;
    std::vector<Candidate> result;
    for (const Algorithm& algorithm : registry()) {
        if (!serves(algorithm) || (!bound(algorithm) && !made_for(algorithm.made))) continue;
        Candidate candidate{&algorithm, WhyNot::nothing, {}};
        if (any_bound && !bound(algorithm)) candidate.why_not = WhyNot::others_named;
        if (candidate.applies()) candidate.why_not = algorithm.why_not(situation_, problem);
        if (candidate.applies() && algorithm.forwards)
            candidate.why_not = why_not_forward(problem, any_bound);
        for (const Measured& measured : problem.measured)
            if (measured.algorithm == algorithm.name) candidate.measured_ps = measured.time_ps;
        if (candidate.applies())
            candidate.choice = algorithm.choose(situation_, counts_ ? &*counts_ : nullptr, machine, problem);
        candidate.remembered = algorithm.name == remembered;
        result.push_back(std::move(candidate));
    }
    return result;
}

const Candidate* cheapest(const std::vector<Candidate>& candidates)
{
    // What was tried now goes before what was tried once, and that before what is predicted.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const bool any_measured = std::ranges::any_of(
        candidates, [](const Candidate& c) { return c.measured_ps.has_value(); });
    const auto price = [&](const Candidate& candidate) {
        if (any_measured) return candidate.measured_ps.value_or(most);
        return candidate.remembered ? -most : candidate.choice.cost_ps;
    };
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates)
        if (candidate.applies() && (best == nullptr || price(candidate) < price(*best))) best = &candidate;
    return best;
}

Plan Planner::plan(const Problem& problem, const std::vector<std::string>& algorithms)
{
    Plan plan{nullptr, {}, nullptr, candidates(problem, algorithms)};
    const Candidate* const best = cheapest(plan.candidates);
    if (best == nullptr) {
        std::string reasons;
        for (const Candidate& candidate : plan.candidates)
            if (candidate.why_not != WhyNot::others_named)
                reasons += base::text(reasons.empty() ? "" : "; ", candidate.algorithm->name,
                                      " does not apply: ", text_of(candidate.why_not));
        base::fail(base::ErrorKind::algorithm, "comm",
                   "none of the algorithms that are named for this call applies: ", reasons);
    }
    plan.algorithm = best->algorithm;
    plan.choice = best->choice;
    plan.schedule = schedule_of(plan, problem);
    return plan;
}

std::shared_ptr<const schedule::Schedule> Planner::schedule_of(const Plan& plan, const Problem& problem)
{
    const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
        return kept.algorithm == plan.algorithm && kept.groups == plan.choice.groups &&
               kept.root == problem.root && kept.in_place == problem.in_place &&
               (problem.halo == nullptr ? !kept.halo : kept.halo == *problem.halo);
    });
    if (found != kept_.end() && problem.rounds == nullptr) return found->schedule;

    auto schedule = std::make_shared<const schedule::Schedule>(
        plan.algorithm->build(situation_, problem, plan.choice.groups));
    if (problem.rounds != nullptr) return schedule; // one call's own
    if (kept_.size() == most_kept) kept_.erase(kept_.begin());
    kept_.push_back({plan.algorithm, plan.choice.groups, problem.root, problem.in_place,
                     problem.halo == nullptr ? std::nullopt : std::optional(*problem.halo), schedule});
    return schedule;
}

} // namespace ortho::planner
