// SPDX-License-Identifier: BSD-3-Clause
// A schedule for pictures.

#include "plan/schedule_course.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/index.hpp"

namespace plan {

namespace schedule = ortho::schedule;
using schedule::Round;
using schedule::Schedule;
using schedule::Slot;

namespace {

using ortho::at;

/// The step that an offset takes in a group of dimensions.
std::vector<int> step_in(const ortho::algorithm::OffsetSteps& along, int offset, std::size_t group,
                         int dimensions)
{
    std::vector<int> result(at(dimensions));
    for (const int column : along.columns[group])
        result[at(along.dimension[at(column)])] = along.steps(offset, column);
    return result;
}

/// The step to the partner of a round's message.
std::vector<int> step_of(const Course& course, const Round& round)
{
    const Schedule& schedule = *course.plan.schedule;
    if (schedule.partners == schedule::Partners::grid_steps) {
        const auto step = schedule.steps[round.to != schedule::nobody ? round.to : round.from];
        return {step.begin(), step.end()};
    }
    std::vector<int> step(at(course.grid().dimensions()));
    if (round.to == schedule::nobody) return step;
    course.grid().offset(course.rank, target_of(course, round), step);
    return step;
}

/// For each phase, the number of slots that have been written by then and that a later phase sends.
std::vector<int> resting(const Schedule& schedule)
{
    std::map<Slot, std::size_t> first_written;
    for (std::size_t p = 0; p < schedule.phases.size(); ++p) {
        const schedule::Phase& phase = schedule.phases[p];
        for (const Round& round : schedule.rounds_of(phase))
            for (const Slot slot : schedule.receives(round)) first_written.try_emplace(slot, p);
        for (const schedule::Action& action : schedule.meanwhile(phase))
            first_written.try_emplace(action.to, p);
        for (const schedule::Action& action : schedule.afterwards(phase))
            first_written.try_emplace(action.to, p);
    }
    std::vector<int> result(schedule.phases.size());
    std::set<Slot> wanted; // by later phases
    for (std::size_t p = schedule.phases.size(); p-- > 0;) {
        result[p] = static_cast<int>(std::ranges::count_if(wanted, [&](Slot slot) {
            const auto found = first_written.find(slot);
            return found != first_written.end() && found->second <= p;
        }));
        for (const Round& round : schedule.rounds_of(schedule.phases[p]))
            for (const Slot slot : schedule.receives(round)) wanted.erase(slot);
        for (const Round& round : schedule.rounds_of(schedule.phases[p]))
            for (const Slot slot : schedule.sends(round)) wanted.insert(slot);
    }
    return result;
}

} // namespace

bool Course::shares_one_block() const
{
    using enum planner::Collective;
    return setting->specification.collective == allgather || setting->specification.collective == allreduce;
}

bool Course::reduces() const
{
    using enum planner::Collective;
    return setting->specification.collective == allreduce ||
           setting->specification.collective == reduce_scatter;
}

std::string Course::resting_text(std::size_t stage) const
{
    const int number = stages[stage].resting;
    return reduces() ? fmt::format("holds {} to send on later", counted(number, "partial result"))
                     : fmt::format("holds {} of others to send on later", counted(number, "block"));
}

std::vector<int> Course::position(int target, int stages_over) const
{
    std::vector<int> result(at(grid().dimensions()));
    for (int j = 0; j < stages_over; ++j)
        for (int k = 0; k < grid().dimensions(); ++k) result[at(k)] += stages[at(j)].steps(target, k);
    return result;
}

std::string Course::group_text(std::size_t stage) const
{
    return fmt::format("{} {}", groups[stage].size() == 1 ? "dimension" : "dimensions",
                       fmt::join(groups[stage], " "));
}

std::string Course::process_text() const
{
    return fmt::format("process {} at {}", rank, offset_text(grid().coordinates(rank)));
}

int target_of(const Course& course, const Round& round)
{
    const Schedule& schedule = *course.plan.schedule;
    const auto step = schedule.partners == schedule::Partners::grid_steps
                          ? schedule.steps[round.to]
                          : course.setting->specification.stencil[round.to];
    return course.grid().neighbor(course.rank, step);
}

Course make_course(const Setting& setting, planner::Plan plan, int rank)
{
    const grid::Grid& grid = setting.specification.grid;
    Course course{&setting, std::move(plan), rank, {}, {}, grid::Stencil(grid.dimensions())};
    const auto neighborhood = grid::canonical(grid, setting.specification.stencil).neighborhood;
    const grid::Stencil& offsets = neighborhood.offsets;
    const auto is_target = [&](int i) { return grid.neighbor(rank, offsets[i]) != grid::Grid::nowhere; };
    for (int i = 0; i < offsets.size(); ++i)
        if (is_target(i)) course.targets.push_back(offsets[i]);

    ortho::algorithm::Groups groups = course.plan.choice.groups;
    if (groups.empty()) {
        groups.emplace_back(at(grid.dimensions()));
        std::iota(groups[0].begin(), groups[0].end(), 0);
    }
    const ortho::algorithm::OffsetSteps along(neighborhood, groups);
    std::vector<std::set<std::vector<int>>> steps_of; // each stage
    for (std::size_t j = 0; j < groups.size(); ++j) {
        std::set<std::vector<int>> taken;
        Stage stage{.group = groups[j], .steps = grid::Stencil(grid.dimensions()), .sent = {}};
        for (int i = 0; i < offsets.size(); ++i) {
            const std::vector<int> step = step_in(along, i, j, grid.dimensions());
            if (is_target(i)) stage.steps.push_back(step);
            if (std::ranges::any_of(step, [](int n) { return n != 0; })) taken.insert(step);
        }
        if (taken.empty()) continue;
        course.groups.push_back(groups[j]);
        course.stages.push_back(std::move(stage));
        steps_of.push_back(std::move(taken));
    }

    // The schedule has no phases in which this process does nothing; messages show their steps.
    const Schedule& schedule = *course.plan.schedule;
    const std::vector<int> rest = resting(schedule);
    std::size_t next = 0; // the first stage that is not over
    for (std::size_t p = 0; p < schedule.phases.size(); ++p) {
        Stage* last = nullptr;
        for (const Round& round : schedule.rounds_of(schedule.phases[p])) {
            const std::vector<int> step = step_of(course, round);
            std::size_t s = next;
            while (s < course.stages.size() && course.stages.size() > 1 && !steps_of[s].contains(step)) ++s;
            if (s == course.stages.size()) continue;
            Stage* const stage = &course.stages[s];
            last = stage;
            if (round.to != schedule::nobody)
                stage->sent.push_back({step, grid.neighbor(rank, step), round.sends.size()});
            if (round.from != schedule::nobody) {
                ++stage->messages_in;
                stage->blocks_in += round.receives.size();
            }
        }
        if (last == nullptr) continue;
        last->resting = rest[p];
        next = at(last - course.stages.data()) + (course.stages.size() > 1 ? 1 : 0);
    }
    return course;
}

std::string title_of(const Course& course)
{
    std::int64_t messages = 0;
    for (const Stage& stage : course.stages) messages += std::ssize(stage.sent);
    std::int64_t neighbors = 0;
    for (int i = 0; i < course.targets.size(); ++i)
        neighbors += std::ranges::any_of(course.targets[i], [](int x) { return x != 0; }) ? 1 : 0;
    const std::string sent = counted(messages, "message");
    if (messages == 0) return "No message is sent";
    if (messages < neighbors)
        return fmt::format("{} {} the work of {}", sent, messages == 1 ? "does" : "do", neighbors);
    return fmt::format("{}, one to each neighbor", sent);
}

std::string offset_text(const std::vector<int>& offset)
{
    return fmt::format("({})", fmt::join(offset, ", "));
}

} // namespace plan
