// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan schedule`: what one process does.

#include "plan/schedule.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "plan/course.hpp"
#include "plan/schedule_picture.hpp"
#include "schedule/cost.hpp"
#include "schedule/printer.hpp"

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

std::string rank_text(int rank) { return rank == grid::Grid::nowhere ? "-" : fmt::format("{}", rank); }

/// The offsets that slots belong to, and whom they lead to.
void print_slots(const Course& course)
{
    const tools::Specification& what = course.setting->specification;
    // Slots of combining algorithms are numbered in the order that all processes agree on.
    const grid::Stencil offsets = course.plan.algorithm->canonical
                                      ? grid::canonical(what.grid, what.stencil).neighborhood.offsets
                                      : what.stencil;
    const char* const name = course.plan.algorithm->canonical ? "block" : "edge";
    fmt::print("{:>5}  {:<18} {:>10} {:>12}\n", name, "offset", "to process", "from process");
    for (int i = 0; i < offsets.size(); ++i)
        fmt::print("{:>5}  {:<18} {:>10} {:>12}\n", i, offset_text({offsets[i].begin(), offsets[i].end()}),
                   rank_text(what.grid.neighbor(course.rank, offsets[i])),
                   rank_text(what.grid.neighbor_against(course.rank, offsets[i])));
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
    for (const planner::Candidate& candidate : planner.candidates(setting.problem(what.block_bytes)))
        require(algorithms.size() != 1 || candidate.algorithm->name != algorithms[0] ||
                    candidate.obstacle.empty(),
                ErrorKind::arg, "algorithm", "--algorithm ", options.algorithm,
                " cannot: ", candidate.obstacle);
    const Course course = make_course(setting, planner.plan(setting.problem(what.block_bytes)), rank);
    const planner::Plan& plan = course.plan;
    // Pictures show steps that are the same for all processes.
    require(options.svg.empty() || plan.algorithm->made != planner::Made::for_several_nodes, ErrorKind::arg,
            "svg", "--svg ", options.svg, ": there is no picture of ", plan.algorithm->name,
            " (name another --algorithm)");
    if (!options.svg.empty()) draw_schedule(course).write(options.svg);

    const ortho::schedule::Cost cost = ortho::schedule::cost(*plan.schedule);
    fmt::print("{}\n", setting.headlines());
    fmt::print("{}, {}, predicted {}\n", plan.algorithm->name,
               (plan.choice.groups.empty() ? "" : "dimensions ") +
                   way_text(*plan.algorithm, plan.choice.groups),
               time_text(plan.choice.cost_ps));
    fmt::print("{}: {}\n", course.process_text(), counted(cost.phases, "phase"));
    fmt::print("  out {} with {}, {}\n", counted(cost.messages, "message"), counted(cost.blocks, "block"),
               tools::size_text(planner::times_plus(cost.blocks, what.block_bytes, 0)));
    fmt::print("  in  {} with {}\n", counted(cost.messages_in, "message"), counted(cost.blocks_in, "block"));
    fmt::print("  {}, {}, {}\n\n", counted(cost.copies, "local copy", "local copies"),
               counted(cost.reductions, "reduction"),
               counted(std::ssize(plan.schedule->temp), "temporary slot"));
    print_slots(course);
    fmt::print("\n{}", ortho::schedule::to_text(*plan.schedule));
    if (!options.svg.empty()) fmt::print("\nPicture: {}\n", options.svg);
}

} // namespace plan
