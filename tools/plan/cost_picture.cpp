// SPDX-License-Identifier: BSD-3-Clause
// The picture of `ortho-plan predict`.

#include "plan/cost_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "plan/cost_panels.hpp"
#include "size_text.hpp"

namespace plan {

using tools::Anchor;
using tools::Svg;

namespace {

constexpr double chart_width = 1000;
constexpr double chart_height = 690;
constexpr double chart_left = 92;
constexpr double chart_right = 730;
constexpr double choices_top = 120;
constexpr double choices_height = 22;
constexpr double ratios_top = 186;
constexpr double ratios_bottom = 470;
constexpr double times_top = 514;
constexpr double times_bottom = 622;

double ratio_to(const planner::Candidate& best, const planner::Candidate& candidate)
{
    return static_cast<double>(std::max<std::int64_t>(1, candidate.choice.cost_ps)) /
           static_cast<double>(std::max<std::int64_t>(1, best.choice.cost_ps));
}

std::string verdict(const planner::Candidate& best, const planner::Candidate& candidate)
{
    if (&candidate == &best) return ", chosen";
    const bool as_good = candidate.choice.cost_ps == best.choice.cost_ps;
    return as_good ? ", as fast" : fmt::format(", {:.2f} times the best", ratio_to(best, candidate));
}

/// A title like "alltoall_combining is the fastest up to 3 KiB, alltoall_direct from there on".
std::string title_of(const Curves& curves)
{
    const Reign& first = curves.reigns.front();
    const Reign& last = curves.reigns.back();
    switch (curves.reigns.size()) {
    case 1: return fmt::format("{} is the fastest at all sizes", first.algorithm);
    case 2:
        return fmt::format("{} is the fastest below {}, {} from there on", first.algorithm,
                           tools::size_text(last.first), last.algorithm);
    default:
        return fmt::format("{} is the fastest below {}, {} from {} on", first.algorithm,
                           tools::size_text(first.last + 1), last.algorithm, tools::size_text(last.first));
    }
}

void draw_legend(Svg& svg, const Setting& setting, const std::vector<planner::Candidate>& candidates,
                 bool is_clipped)
{
    const planner::Candidate* const best = cheapest(candidates);
    const double x = chart_right + 28;
    double y = choices_top + 16;
    svg.text({x, y}, fmt::format("With {} of {}:", setting.bytes_of(), tools::size_text(setting.bytes)),
             {.bold = true});
    y += 28;
    for (const planner::Candidate& candidate : candidates) {
        const bool applies = candidate.applies();
        tools::LineStyle line = line_of(candidate.algorithm->name);
        if (!applies) line.color = tools::hairline;
        svg.line({x, y - 4}, {x + 22, y - 4}, line);
        svg.text({x + 30, y}, candidate.algorithm->name, {.size = 12, .bold = &candidate == best});
        y += 17;
        const auto say = [&](const std::string& words) {
            svg.text({x + 30, y}, words, {.size = 11, .color = tools::pale_ink});
            y += 16;
        };
        if (applies) {
            const ortho::schedule::Work& work = candidate.choice.work;
            say(time_text(candidate.choice.cost_ps, in_a_picture) + verdict(*best, candidate));
            say(fmt::format("{}, {}", counted(work.phases, "phase"), counted(work.messages, "message")));
            say(counted(work.blocks, "block"));
            if (!candidate.choice.groups.empty()) say("dimensions " + groups_text(candidate.choice.groups));
        } else {
            say("does not apply to this call");
        }
        y += 14;
    }
    if (is_clipped)
        svg.text({x, y + 4}, "\u25b2 goes beyond the scale there", {.size = 11, .color = tools::pale_ink});
}

/// Marks the wanted size through all panels, and the algorithms at that size.
void draw_mark(Svg& svg, std::int64_t bytes, const std::vector<planner::Candidate>& candidates,
               const LogScale& x, const LogScale& ratios, const LogScale& times)
{
    const planner::Candidate& best = *cheapest(candidates);
    const double at = x(static_cast<double>(bytes));
    for (const auto& [top, bottom] :
         {std::pair(choices_top - 18, choices_top), std::pair(choices_top + choices_height, times_bottom)})
        svg.line({at, top}, {at, bottom}, {.color = tools::ink, .width = 1.2, .dashes = "5 4"});
    svg.text({at, choices_top - 24}, tools::size_text(bytes),
             {.size = 13, .anchor = Anchor::middle, .bold = true});
    const auto mark = [&](const planner::Candidate& candidate) {
        const double ratio = ratio_to(best, candidate);
        if (candidate.applies() && ratios.holds(ratio))
            svg.circle({at, ratios(ratio)}, 4.5, line_of(candidate.algorithm->name).color, tools::ground);
    };
    for (const planner::Candidate& candidate : candidates) mark(candidate);
    mark(best); // on top of equal ones
    const double time = times(std::max(1.0, static_cast<double>(best.choice.cost_ps)));
    svg.circle({at, time}, 4.5, tools::ink, tools::ground);
    const bool has_room = at > chart_left + 90; // on the left, where the curve is lower
    svg.text({at + (has_room ? -8 : 8), std::max(time - 7, times_top + 14)},
             time_text(best.choice.cost_ps, in_a_picture),
             {.size = 12, .anchor = has_room ? Anchor::end : Anchor::start, .bold = true, .halo = true});
}

} // namespace

Svg draw_costs(const Setting& setting, const std::vector<planner::Candidate>& candidates,
               const Curves& curves)
{
    const tools::Specification& what = setting.specification;
    const std::string title = title_of(curves);
    Svg svg(chart_width, chart_height, title,
            "Over sizes, on logarithmic scales: which algorithm is chosen, the algorithms' predicted times "
            "relative to the least, and the least time.");
    svg.text({40, 36}, title, {.size = 18, .bold = true});
    svg.text({40, 59},
             fmt::format("{} on {} with {}: predicted times of {} on {}{}", what.collective_text,
                         what.grid_text, what.stencil_text,
                         counted(what.grid.points(), "process", "processes"), setting.nodes_text,
                         what.fields ? "; " + to_text(*what.fields) : ""),
             {.size = 13, .color = tools::pale_ink});

    const LogScale x(smallest_size, largest_size, chart_left, chart_right);
    const LogScale ratios = scale_of_ratios(curves, ratios_top, ratios_bottom);
    draw_choices(svg, curves, x, choices_top, choices_height);
    draw_ratios(svg, curves, x, ratios);
    const LogScale times = draw_least_times(svg, curves, x, times_top, times_bottom);
    draw_sizes(svg, x, times_bottom, setting.halo ? "ghosts of a process, all fields" : "size of a block");
    if (setting.bytes >= smallest_size && setting.bytes <= largest_size)
        draw_mark(svg, setting.bytes, candidates, x, ratios, times);
    svg.text({chart_left, ratios_top - 14}, "Time of each algorithm / time of the fastest",
             {.bold = true, .halo = true});
    svg.text({chart_left, times_top - 12}, "Time of the fastest", {.bold = true, .halo = true});
    draw_legend(svg, setting, candidates, goes_beyond(ratios, curves));
    return svg;
}

} // namespace plan
