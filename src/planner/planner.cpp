// SPDX-License-Identifier: BSD-3-Clause
// Chooses an algorithm for a call and keeps its schedule.  No MPI in this file.

#include "planner/planner.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace ortho::planner {

namespace {

/// Rooted calls have a schedule for each root; a loop over all roots must not keep them all.
constexpr std::size_t most_kept = 64;

} // namespace

std::vector<std::string> parse_algorithms(const std::string& list, const char* argument)
{
    constexpr std::string_view blanks = " \t\n";
    std::vector<std::string> result;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        std::string_view name = std::string_view(list).substr(begin, end - begin);
        name.remove_prefix(std::min(name.find_first_not_of(blanks), name.size()));
        name = name.substr(0, name.find_last_not_of(blanks) + 1);
        if (!name.empty() && name != "auto") {
            base::require(!is_unknown(name), base::ErrorKind::algorithm, argument, argument,
                          " names an unknown algorithm '", name, "'");
            result.emplace_back(name);
        }
        begin = end + 1;
    }
    return result;
}

Planner::Planner(Situation situation, Settings settings)
    : situation_(std::move(situation)), settings_(std::move(settings))
{
    if (situation_.neighborhood) figures_ = planner::figures(*situation_.neighborhood);
}

const Algorithm& Planner::choose(const Problem& problem) const
{
    const auto bound = [&](const Algorithm& a) {
        return std::ranges::find(settings_.algorithms, a.name) != settings_.algorithms.end();
    };
    const auto serves = [&](const Algorithm& a) { return a.collective == problem.collective; };
    const bool any_bound = std::ranges::any_of(
        registry(), [&](const Algorithm& a) { return serves(a) && bound(a); });

    const Algorithm* best = nullptr;
    std::int64_t best_cost = 0;
    std::string obstacles;
    for (const Algorithm& algorithm : registry()) {
        if (!serves(algorithm) || (any_bound && !bound(algorithm))) continue;
        if (const std::string obstacle = algorithm.obstacle(situation_, problem); !obstacle.empty()) {
            obstacles += base::text(obstacles.empty() ? "" : "; ", algorithm.name, ": ", obstacle);
            continue;
        }
        const std::int64_t cost =
            situation_.neighborhood
                ? algorithm.cost(situation_, figures_, settings_.machine, problem)
                : 0;
        if (best == nullptr || cost < best_cost) {
            best = &algorithm;
            best_cost = cost;
        }
    }
    base::require(best != nullptr, base::ErrorKind::algorithm, "comm",
                  "the call is bound to algorithms that cannot serve it: ", obstacles);
    return *best;
}

Plan Planner::plan(const Problem& problem)
{
    const Algorithm& algorithm = choose(problem);
    const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
        return kept.algorithm == &algorithm && kept.root == problem.root &&
               kept.in_place == problem.in_place;
    });
    if (found != kept_.end()) return {&algorithm, found->schedule};

    auto schedule =
        std::make_shared<const schedule::Schedule>(algorithm.build(situation_, problem));
    if (kept_.size() == most_kept) kept_.erase(kept_.begin());
    kept_.push_back({&algorithm, problem.root, problem.in_place, schedule});
    return {&algorithm, std::move(schedule)};
}

} // namespace ortho::planner
