// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan predict`: the predicted time of every algorithm.

#include "plan/plan_predict.hpp"

#include <fmt/format.h>

#include "plan/cost_picture.hpp"
#include "plan/predicted_times.hpp"

namespace plan {

namespace {

void print_table(const std::vector<planner::Candidate>& candidates)
{
    const planner::Candidate* const best = cheapest(candidates);
    fmt::print("   {:<26} {:>10} {:>7} {:>9} {:>9} {:>12}   {}\n", "algorithm", "predicted", "phases",
               "messages", "blocks", "bytes", "dimensions");
    for (const planner::Candidate& candidate : candidates) {
        const ortho::schedule::Work& work = candidate.choice.work;
        const char* const mark = &candidate == best ? "*" : " ";
        if (!candidate.applies())
            fmt::print(" {} {:<26} does not apply: {}\n", mark, candidate.algorithm->name,
                       candidate.why_not.text);
        else
            fmt::print(" {} {:<26} {:>10} {:>7} {:>9} {:>9} {:>12}   {}\n", mark, candidate.algorithm->name,
                       time_text(candidate.choice.cost_ps), work.phases, work.messages, work.blocks,
                       work.bytes, way_text(*candidate.algorithm, candidate.choice.groups));
    }
}

void print_reigns(const Setting& setting, const Curves& curves)
{
    fmt::print("\nChosen for {} of\n", setting.bytes_of());
    for (const Reign& reign : curves.reigns)
        fmt::print("   {:>8} to {:>8} bytes   {}\n", reign.first, reign.last, reign.algorithm);
}

} // namespace

void print_prediction(const PredictOptions& options)
{
    const Setting setting = make_setting(options.specification, options.machine);
    const planner::Planner planner = setting.planner(std::nullopt);
    const std::vector<planner::Candidate> candidates = planner.candidates(setting.call());
    const Curves curves = make_curves(setting, planner);
    if (!options.svg.empty()) draw_costs(setting, candidates, curves).write(options.svg);

    fmt::print("{}\n", setting.headlines());
    print_table(candidates);
    print_reigns(setting, curves);
    if (!options.svg.empty()) fmt::print("\nPicture: {}\n", options.svg);
}

} // namespace plan
