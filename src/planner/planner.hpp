// SPDX-License-Identifier: BSD-3-Clause
// Chooses an algorithm for a call and keeps its schedule.  No MPI in this file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "planner/registry.hpp"

namespace ortho::planner {

/// What users may say about the choice; equal everywhere.
struct Settings {
    /// Registry names; a collective that one of them serves uses no algorithm but these.
    std::vector<std::string> algorithms;
    Machine machine;
};

/// The registry names in a comma-separated list ("auto" and an empty list name none).
/// Throws base::Error (algorithm) for an unknown name; `argument` is whom to blame.
std::vector<std::string> parse_algorithms(const std::string& list, const char* argument);

/// A schedule, and whose idea it was.
struct Plan {
    const Algorithm* algorithm;
    std::shared_ptr<const schedule::Schedule> schedule;
};

/// The planner of one communicator.  A pure function of what is equal everywhere decides; the
/// schedules it has made before are kept, and whether one was kept decides nothing.
class Planner {
public:
    Planner(Situation situation, Settings settings);

    /// Throws base::Error (algorithm) if the call is bound to algorithms none of which can
    /// serve it: on every process, since every process decides alike.
    Plan plan(const Problem& problem);

    const Situation& situation() const { return situation_; }
    /// All zero if the neighborhoods are not isomorphic.
    const Figures& figures() const { return figures_; }

private:
    const Algorithm& choose(const Problem& problem) const;

    struct Kept {
        const Algorithm* algorithm;
        int root;
        bool in_place;
        std::shared_ptr<const schedule::Schedule> schedule;
    };

    Situation situation_;
    Settings settings_;
    Figures figures_;
    std::vector<Kept> kept_; // most recently made last
};

} // namespace ortho::planner
