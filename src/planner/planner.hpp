// SPDX-License-Identifier: BSD-3-Clause
// Chooses an algorithm for a call and keeps its schedule.  No MPI in this file.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "planner/algorithm_list.hpp"
#include "planner/sampled_schedules.hpp"
#include "planner/tune.hpp"

namespace ortho::planner {

using algorithm::Measured;
using algorithm::CallSpecification;
using algorithm::PlannerContext;
using algorithm::WhyNot;

/// What users may say about the choice; equal everywhere.
struct Settings {
    /// A collective that one of these algorithms serves uses no algorithm but these.
    std::vector<std::string> algorithms;
    Tune tune;
    /// Persistent operations try out the algorithms that apply.
    bool measure = false;
    /// What was found of the network (planner/network_kind.hpp); the first one where the tune file tells.
    int network_kind = 0;
};

/// A comma-separated list of algorithms; "auto" and an empty list name none, and "measure" sets `measure`.
/// Throws base::Error (algorithm) for an unknown name; `argument` is whom to blame.
Settings parse_algorithms(const std::string& list, const char* argument);

/// How an algorithm would serve a call, and what that takes.
struct Choice {
    std::int64_t cost_ps = 0;
    /// For algorithms that cross the dimensions in groups.
    algorithm::Groups groups = {};
    /// What the cost is the price of; nothing where there is no choice to make.
    schedule::Work work = {};
};

/// An algorithm that might have served a call.
struct Candidate {
    const Algorithm* algorithm;
    WhyNot why_not; ///< what keeps it from serving this one
    Choice choice;  ///< if nothing does; of cost 0 where nobody asks for the price (`only_to_choose`)
    std::optional<std::int64_t> measured_ps = std::nullopt;
    bool remembered = false; ///< a tune file says that it is the fastest

    bool applies() const { return why_not == WhyNot::nothing; }
};

/// The one that is chosen: the first of those that cost least; nullptr if none can serve.
const Candidate* cheapest(const std::vector<Candidate>& candidates);

/// A schedule, whose idea it was, and what else there would have been.
struct Plan {
    const Algorithm* algorithm;
    Choice choice;
    std::shared_ptr<const schedule::Schedule> schedule;
    std::vector<Candidate> candidates;
};

/// The planner of one communicator.  A pure function of what is equal everywhere decides; the
/// schedules it has made before are kept, and whether one was kept decides nothing.
class Planner {
public:
    Planner(PlannerContext context, Settings settings);

    /// All algorithms for a call of this kind and those it is bound to, each with what keeps it from serving
    /// or what it would take.
    std::vector<Candidate> candidates(const CallSpecification& specification,
                                      const std::vector<std::string>& algorithms) const;

    /// Throws base::Error (algorithm) if the call is bound to algorithms none of which can
    /// serve it: on every process, since every process decides alike.
    Plan plan(const CallSpecification& specification) { return plan(specification, settings_.algorithms); }
    /// The same, bound to other algorithms for this call alone.
    Plan plan(const CallSpecification& specification, const std::vector<std::string>& algorithms);

    /// What `plan` would choose between, without a schedule: of the context's graph nothing is read, so
    /// that it may be empty, and a million processes cost no more than one.
    std::vector<Candidate> candidates(const CallSpecification& specification) const
    {
        return candidates(specification, settings_.algorithms);
    }

    const Settings& settings() const { return settings_; }
    const PlannerContext& context() const { return context_; }

private:
    /// What is known of one way to serve calls.
    struct Kept {
        const Algorithm* algorithm;
        algorithm::Groups groups;
        int root;
        bool in_place;
        std::optional<grid::Halo> halo;
        std::shared_ptr<const schedule::Schedule> schedule = nullptr; ///< of this process, once it is made
        std::optional<SampledSchedules> sampled = std::nullopt;       ///< once a price is asked for
        std::vector<schedule::PhaseCounts> phases = {};               ///< of these, of blocks of size 1
    };

    Kept& kept(const Algorithm& algorithm, const CallSpecification& specification,
               const algorithm::Groups& groups) const;
    std::shared_ptr<const schedule::Schedule> schedule_of(const Plan& plan,
                                                          const CallSpecification& specification);
    /// Do those that cross one dimension after the other send what the direct algorithm sends all at once?
    bool has_nothing_to_combine(Collective collective) const;
    /// The cheapest way, the same everywhere.
    Choice choose(const Algorithm& algorithm, const CallSpecification& specification,
                  const schedule::Machine& machine) const;
    Choice price(const Algorithm& algorithm, const CallSpecification& specification,
                 const schedule::Machine& machine, const algorithm::Groups& groups) const;

    PlannerContext context_;
    Settings settings_;
    // Of the neighborhood, if there is one:
    bool is_star_ = false;
    bool has_repeats_ = false;
    // Whether something was kept decides nothing.
    mutable std::optional<algorithm::KeptDimensionGroups> dimension_groups_; // of isomorphic neighborhoods
    mutable std::list<Kept> kept_;                                           // most recently made last
};

} // namespace ortho::planner
