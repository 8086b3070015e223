// SPDX-License-Identifier: BSD-3-Clause
// Chooses an algorithm for a call and keeps its schedule.  No MPI in this file.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "planner/algorithm_list.hpp"
#include "planner/sampled_schedules.hpp"
#include "planner/tune.hpp"

namespace ortho::planner {

using algorithm::CallSpecification;
using algorithm::PlannerContext;
using algorithm::WhyNot;

/// The user's settings for the choice; equal everywhere.
struct Settings {
    /// If any of these algorithms serves the collective, it uses no others.
    std::vector<std::string> algorithms;
    std::shared_ptr<const Tune> tune = nullptr;
    /// The kind of network that was found (planner/tune.hpp); 0 if the tune file describes it.
    int network_kind = 0;
};

/// Reads a comma-separated list of algorithms.  "auto" and an empty list name none.  Throws base::Error
/// (algorithm) for an unknown name; the error names `argument`.
std::vector<std::string> parse_algorithms(const std::string& list, const char* argument);

/// The variant in which an algorithm would serve a call, and its price.
struct Choice {
    std::int64_t cost_ps = 0;
    /// Only for algorithms that cross the dimensions in groups.
    algorithm::Groups groups = {};
    /// The work that the price is for; nothing where there is no choice to make.
    schedule::Work work = {};
};

/// An algorithm that could serve a call, or the reason why not.
struct Candidate {
    const Algorithm* algorithm;
    WhyNot why_not; ///< the reason why it does not apply
    Choice choice;  ///< if it applies; its cost is 0 if nobody asks for the price (`only_to_choose`)

    bool applies() const { return why_not == WhyNot::nothing; }
};

/// The candidate to choose: the first of those with the least cost; nullptr if none applies.
const Candidate* cheapest(const std::vector<Candidate>& candidates);

/// A schedule, its algorithm, and the other candidates.
struct Plan {
    const Algorithm* algorithm;
    Choice choice;
    std::shared_ptr<const schedule::Schedule> schedule;
    std::vector<Candidate> candidates;
};

/// The planner of one communicator.  The decision is a pure function of arguments that are equal everywhere.
/// The planner keeps its schedules; whether it has kept one decides nothing.
class Planner {
public:
    Planner(PlannerContext context, Settings settings);

    /// All algorithms for a call of this kind, and those that it is bound to.  Each has the reason why it
    /// does not apply, or its price.
    std::vector<Candidate> candidates(const CallSpecification& specification,
                                      const std::vector<std::string>& algorithms) const;

    /// Throws base::Error (algorithm) if the call is bound to algorithms none of which applies.  This happens
    /// on every process, since every process decides alike.
    Plan plan(const CallSpecification& specification) { return plan(specification, settings_.algorithms); }
    /// Plans a call that is bound to other algorithms than the communicator's.
    Plan plan(const CallSpecification& specification, const std::vector<std::string>& algorithms);

    /// The candidates of `plan`, without a schedule.  Reads nothing of the context's graph: it may be empty,
    /// and a million processes cost no more than one.
    std::vector<Candidate> candidates(const CallSpecification& specification) const
    {
        return candidates(specification, settings_.algorithms);
    }

    const Settings& settings() const { return settings_; }
    const PlannerContext& context() const { return context_; }

private:
    /// The knowledge about one way to serve calls.
    struct Kept {
        const Algorithm* algorithm;
        algorithm::Groups groups;
        int root;
        bool in_place;
        std::shared_ptr<const grid::Halo> halo;                       ///< null if it is none
        std::shared_ptr<const schedule::Schedule> schedule = nullptr; ///< of this process, once made
        std::unique_ptr<SampledSchedules> sampled = nullptr;          ///< once a price was asked for
        std::vector<schedule::PhaseCounts> phases = {};               ///< of these, with blocks of size 1
    };

    Kept& kept(const Algorithm& algorithm, const CallSpecification& specification,
               const algorithm::Groups& groups) const;
    std::shared_ptr<const schedule::Schedule> schedule_of(const Plan& plan,
                                                          const CallSpecification& specification);
    /// Do algorithms that cross one dimension after the other send the same messages as the direct one?
    bool has_nothing_to_combine(Collective collective) const;
    /// Do dimensions that are crossed in several steps save messages?
    bool can_split() const;
    /// The cheapest variant, the same everywhere.
    Choice choose(const Algorithm& algorithm, const CallSpecification& specification,
                  const schedule::Machine& machine) const;
    Choice price(const Algorithm& algorithm, const CallSpecification& specification,
                 const schedule::Machine& machine, const algorithm::Groups& groups) const;
    Choice price(std::span<const schedule::PhaseCounts> phases, std::int64_t unit_bytes,
                 const schedule::Machine& machine) const;

    PlannerContext context_;
    Settings settings_;
    // Properties of the neighborhood, if there is one:
    bool is_star_ = false;
    bool has_repeats_ = false;
    // Whether something was kept decides nothing.
    std::unique_ptr<algorithm::KeptDimensionGroups> dimension_groups_; // of isomorphic neighborhoods
    mutable std::list<Kept> kept_;                                     // most recently made last
};

} // namespace ortho::planner
