// SPDX-License-Identifier: BSD-3-Clause
// The picture of `ortho-plan predict`.

#include "plan/cost_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plan {

using tools::Anchor;
using tools::Point;
using tools::Svg;

namespace {

constexpr double chart_width = 980;
constexpr double chart_height = 580;
constexpr double chart_left = 84;
constexpr double chart_top = 104;
constexpr double chart_right = 716;
constexpr double chart_bottom = 516;

const char* color_of(std::string_view algorithm)
{
    return algorithm.ends_with("_direct")      ? tools::vermilion
           : algorithm.ends_with("_combining") ? tools::blue
                                               : tools::green;
}

/// Where sizes and times are, both on logarithmic scales.
class Axes {
public:
    explicit Axes(const Curves& curves)
    {
        double least = 1e300;
        double most = 1;
        for (const Curve& curve : curves.curves)
            for (const std::int64_t time : curve.times_ps) {
                least = std::min(least, std::max(1.0, static_cast<double>(time)));
                most = std::max(most, static_cast<double>(time));
            }
        // Some room above and below, and never less than a decade.
        low_ = std::log10(std::min(least, most)) - 0.15;
        high_ = std::max(std::log10(most) + 0.15, low_ + 1);
    }

    double x(std::int64_t bytes) const
    {
        const double octave = std::log2(static_cast<double>(bytes) / static_cast<double>(smallest_size));
        return chart_left + (chart_right - chart_left) * octave /
                                std::log2(static_cast<double>(largest_size / smallest_size));
    }
    double y(std::int64_t picoseconds) const
    {
        const double decade = std::log10(std::max(1.0, static_cast<double>(picoseconds)));
        return chart_bottom - (chart_bottom - chart_top) * (decade - low_) / (high_ - low_);
    }

    void draw(Svg& svg) const
    {
        for (std::int64_t bytes = smallest_size; bytes <= largest_size; bytes *= 4) {
            svg.line({x(bytes), chart_top}, {x(bytes), chart_bottom}, {.color = tools::hairline});
            svg.text({x(bytes), chart_bottom + 18}, tools::size_text(bytes),
                     {.size = 11, .anchor = Anchor::middle});
        }
        // Between decades 2 and 5, where there is room for their words.
        const bool few = high_ - low_ < 5;
        for (int decade = static_cast<int>(std::floor(low_)); decade <= static_cast<int>(high_); ++decade)
            for (const int digit : {1, 2, 5}) {
                if (decade < 0 || (digit > 1 && !few)) continue;
                const auto time = static_cast<std::int64_t>(digit * std::pow(10.0, decade));
                if (y(time) < chart_top || y(time) > chart_bottom) continue;
                svg.line({chart_left, y(time)}, {chart_right, y(time)}, {.color = tools::hairline});
                svg.text({chart_left - 8, y(time) + 4}, tick(digit, decade),
                         {.size = 11, .anchor = Anchor::end});
            }
        svg.rectangle({chart_left, chart_top}, chart_right - chart_left, chart_bottom - chart_top, "none",
                      tools::pale_ink);
        svg.text({(chart_left + chart_right) / 2, chart_bottom + 44}, "size of a block",
                 {.size = 13, .anchor = Anchor::middle});
        svg.text({chart_left - 8, chart_top - 28}, "time", {.size = 13, .anchor = Anchor::end});
    }

private:
    static std::string tick(int digit, int decade)
    {
        constexpr const char* units[] = {"ps", "ns", "\u00b5s", "ms", "s", "ks", "Ms"};
        return fmt::format("{} {}", digit * static_cast<int>(std::pow(10.0, decade % 3)),
                           units[std::min(decade / 3, 6)]);
    }

    double low_;
    double high_;
};

void draw_legend(Svg& svg, const Setting& setting, const std::vector<planner::Candidate>& candidates)
{
    const planner::Candidate* const best = cheapest(candidates);
    const double x = chart_right + 28;
    double y = chart_top + 4;
    svg.text({x, y}, fmt::format("Of blocks of {}:", tools::size_text(setting.specification.block_bytes)),
             {.bold = true});
    y += 28;
    for (const planner::Candidate& candidate : candidates) {
        const bool can = candidate.obstacle.empty();
        const char* const color = color_of(candidate.algorithm->name);
        svg.line({x, y - 4}, {x + 22, y - 4},
                 {.color = can ? color : tools::hairline,
                  .width = candidate.algorithm->name.ends_with("_grouped") ? 7.0 : 2.5,
                  .opacity = candidate.algorithm->name.ends_with("_grouped") ? 0.45 : 1});
        svg.text({x + 30, y}, candidate.algorithm->name, {.size = 12, .bold = &candidate == best});
        y += 17;
        const auto say = [&](const std::string& words) {
            svg.text({x + 30, y}, words, {.size = 11, .color = tools::pale_ink});
            y += 16;
        };
        if (can) {
            const planner::Work& work = candidate.choice.work;
            say(time_text(candidate.choice.cost_ps, in_a_picture) + (&candidate == best ? ", chosen" : ""));
            say(fmt::format("{}, {}", counted(work.phases, "phase"), counted(work.messages, "message")));
            say(counted(work.blocks, "block"));
            if (!candidate.choice.groups.empty()) say("dimensions " + groups_text(candidate.choice.groups));
        } else {
            say("cannot serve this call");
        }
        y += 14;
    }
    y += 4;
    for (const char* words : {"The ground has the color of", "the algorithm that is chosen."}) {
        svg.text({x, y}, words, {.size = 11, .color = tools::pale_ink});
        y += 16;
    }
}

} // namespace

Svg draw_costs(const Setting& setting, const std::vector<planner::Candidate>& candidates,
               const Curves& curves)
{
    const tools::Specification& what = setting.specification;
    const std::string title = fmt::format("{} on {} with {}", what.collective_text, what.grid_text,
                                          what.stencil_text);
    Svg svg(chart_width, chart_height, title,
            "Predicted times of the algorithms over the size of a block, on logarithmic scales.");
    svg.text({chart_left, 34}, title, {.size = 18, .bold = true});
    svg.text({chart_left, 56},
             fmt::format("Predicted time of an operation, {} on {}",
                         counted(what.grid.points(), "process", "processes"), setting.nodes_text),
             {.size = 13, .color = tools::pale_ink});

    const Axes axes(curves);
    for (const Reign& reign : curves.reigns) {
        const double from = axes.x(reign.first);
        const double to = reign.last == largest_size ? chart_right : axes.x(reign.last + 1);
        svg.rectangle({from, chart_top}, to - from, chart_bottom - chart_top, color_of(reign.algorithm),
                      "none", 0, 0.10);
    }
    axes.draw(svg);

    // The grouped one lies on others where it is one of them: wide, and under them.
    for (const bool grouped : {true, false})
        for (const Curve& curve : curves.curves) {
            if (curve.algorithm.ends_with("_grouped") != grouped) continue;
            std::vector<Point> points;
            for (std::size_t i = 0; i < curves.sizes.size(); ++i)
                points.push_back({axes.x(curves.sizes[i]), axes.y(curve.times_ps[i])});
            svg.polyline(points, {.color = color_of(curve.algorithm),
                                  .width = grouped ? 7.0 : 2.5,
                                  .opacity = grouped ? 0.45 : 1});
        }
    const std::int64_t bytes = what.block_bytes;
    if (bytes >= smallest_size && bytes <= largest_size) {
        svg.line({axes.x(bytes), chart_top - 6}, {axes.x(bytes), chart_bottom},
                 {.color = tools::ink, .width = 1.2, .dashes = "5 4"});
        svg.text({axes.x(bytes), chart_top - 12}, tools::size_text(bytes),
                 {.size = 13, .anchor = Anchor::middle, .bold = true});
        const auto mark = [&](const planner::Candidate& candidate) {
            svg.circle({axes.x(bytes), axes.y(candidate.choice.cost_ps)}, 4.5,
                       color_of(candidate.algorithm->name), "#FFFFFF");
        };
        for (const planner::Candidate& candidate : candidates)
            if (candidate.obstacle.empty()) mark(candidate);
        mark(*cheapest(candidates)); // on top of its equals
    }
    draw_legend(svg, setting, candidates);
    return svg;
}

} // namespace plan
