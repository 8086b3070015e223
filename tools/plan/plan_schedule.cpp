// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan schedule`: the schedule of one process.

#include "plan/plan_schedule.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "plan/call_memory.hpp"
#include "plan/schedule_course.hpp"
#include "plan/schedule_picture.hpp"
#include "plan/schedule_text.hpp"
#include "plan/slot_table.hpp"
#include "schedule/work.hpp"
#include "size_text.hpp"

namespace plan {

using ortho::base::ErrorKind;
using ortho::base::require;

namespace {

int middle_of(const grid::Grid& grid)
{
    std::vector<int> coordinates;
    for (int k = 0; k < grid.dimensions(); ++k) coordinates.push_back(grid.size(k) / 2);
    return grid.rank(coordinates);
}

} // namespace

void print_schedule(const ScheduleOptions& options)
{
    const Setting setting = make_setting(options.specification, options.machine);
    const tools::Specification& what = setting.specification;
    const int rank = options.rank.value_or(middle_of(what.grid));
    require(rank >= 0 && rank < what.grid.points(), ErrorKind::arg, "rank", "--rank ", rank, " is none of ",
            what.grid_text, ", whose ranks are 0 to ", what.grid.points() - 1);
    const std::vector<std::string> algorithms = planner::parse_algorithms(options.algorithm, "--algorithm");
    for (const std::string& name : algorithms)
        require(planner::serves(name, what.collective), ErrorKind::arg, "algorithm", "--algorithm ", name,
                " does no ", what.collective_text);

    planner::Planner planner = setting.planner(rank, algorithms);
    for (const planner::Candidate& candidate : planner.candidates(setting.call()))
        require(algorithms.size() != 1 || candidate.algorithm->name != algorithms[0] || candidate.applies(),
                ErrorKind::arg, "algorithm", "--algorithm ", options.algorithm,
                " does not apply: ", candidate.why_not.text);
    const Course course = make_course(setting, planner.plan(setting.call()), rank);
    const planner::Plan& plan = course.plan;
    // Pictures show steps that are equal on all processes, and blocks of one size.
    require(options.svg.empty() || !setting.halo, ErrorKind::arg, "svg", "--svg ", options.svg,
            ": there is no picture of the schedule of a halo exchange");
    require(options.svg.empty() || !plan.algorithm->depends_on_nodes, ErrorKind::arg, "svg", "--svg ",
            options.svg, ": there is no picture of ", plan.algorithm->name, " (name another --algorithm)");
    if (!options.svg.empty()) draw_schedule(course).write(options.svg);

    const ortho::schedule::Cost cost = ortho::schedule::cost(*plan.schedule);
    fmt::print("{}\n", setting.headlines());
    fmt::print("{}, {}, predicted {}\n", plan.algorithm->name,
               (plan.choice.groups.empty() ? "" : "dimensions ") +
                   way_text(*plan.algorithm, plan.choice.groups),
               time_text(plan.choice.cost_ps));
    fmt::print("{}: {}\n", course.process_text(), counted(cost.phases, "phase"));
    fmt::print("  out {} with {}, {}\n", counted(cost.messages, "message"), counted(cost.blocks, "block"),
               tools::size_text(sent_bytes(course)));
    fmt::print("  in  {} with {}\n", counted(cost.messages_in, "message"), counted(cost.blocks_in, "block"));
    fmt::print("  {}, {}, {}\n\n", counted(cost.copies, "local copy", "local copies"),
               counted(cost.reductions, "reduction"),
               counted(std::ssize(plan.schedule->temp), "temporary slot"));
    print_slots(course);
    fmt::print("\n{}", ortho::schedule::to_text(*plan.schedule));
    if (options.memory) print_memory(course);
    if (!options.svg.empty()) fmt::print("\nPicture: {}\n", options.svg);
}

} // namespace plan
