// SPDX-License-Identifier: BSD-3-Clause
// The panels of the picture of `ortho-plan predict`.

#include "plan/cost_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "size_text.hpp"

namespace plan {

using tools::Anchor;
using tools::Point;
using tools::Svg;

namespace {

constexpr double most_ratio = 20; // with a larger ratio there is no real choice
constexpr double usual_ratios[] = {1, 1.2, 1.5, 2, 3, 5, 10, 20};

double positive(std::int64_t time_ps) { return std::max(1.0, static_cast<double>(time_ps)); }

double least_time(const Curves& curves, std::size_t i)
{
    double result = positive(curves.curves.front().times_ps[i]);
    for (const Curve& curve : curves.curves) result = std::min(result, positive(curve.times_ps[i]));
    return result;
}

double ratio_of(const Curves& curves, const Curve& curve, std::size_t i)
{
    return positive(curve.times_ps[i]) / least_time(curves, i);
}

double greatest_ratio(const Curves& curves, const Curve& curve)
{
    double result = 1;
    for (std::size_t i = 0; i < curves.sizes.size(); ++i)
        result = std::max(result, ratio_of(curves, curve, i));
    return result;
}

void draw_frame(Svg& svg, const LogScale& x, double top, double bottom)
{
    for (std::int64_t bytes = smallest_size; bytes <= largest_size; bytes *= 4) {
        const double at = x(static_cast<double>(bytes));
        svg.line({at, top}, {at, bottom}, {.color = tools::hairline});
    }
    svg.rectangle({x.from(), top}, x.to() - x.from(), bottom - top, "none", tools::pale_ink);
}

/// A line across the panel, with words on its left.
void draw_tick(Svg& svg, const LogScale& x, double y, const std::string& words)
{
    svg.line({x.from(), y}, {x.to(), y}, {.color = tools::hairline});
    svg.text({x.from() - 8, y + 4}, words, {.size = 11, .anchor = Anchor::end});
}

/// A text like "2 \u00b5s".
std::string round_time(int digit, int decade)
{
    constexpr const char* units[] = {"ps", "ns", "\u00b5s", "ms", "s", "ks", "Ms"};
    return fmt::format("{} {}", digit * static_cast<int>(std::pow(10.0, decade % 3)),
                       units[std::min(decade / 3, 6)]);
}

/// The short name: "alltoall_direct" is "direct" among others of alltoall.
std::string_view short_name(std::string_view algorithm, const Curves& curves)
{
    std::size_t common = algorithm.size();
    for (const Curve& curve : curves.curves) {
        const auto [here, there] = std::ranges::mismatch(algorithm, curve.algorithm);
        common = std::min(common, static_cast<std::size_t>(here - algorithm.begin()));
    }
    const std::size_t end = algorithm.substr(0, common).rfind('_');
    return end == std::string_view::npos ? algorithm : algorithm.substr(end + 1);
}

/// Draws the pieces of a curve that are on the scale; a triangle marks where it leaves the scale.
class ClippedCurve {
public:
    ClippedCurve(Svg& svg, const LogScale& x, const LogScale& y, const tools::LineStyle& style)
        : svg_(svg),
          x_(x),
          y_(y),
          style_(style)
    {}
    void add(double size, double ratio)
    {
        const Point here{x_(size), y_(ratio)};
        const bool in = y_.holds(ratio);
        if (any_ && in != was_in_) {
            const double share = (y_.to() - last_.y) / (here.y - last_.y);
            const Point edge{last_.x + share * (here.x - last_.x), y_.to()};
            points_.push_back(edge);
            mark(edge);
            if (!in) flush();
        }
        if (in) points_.push_back(here);
        if (!any_ && !in) mark({here.x, y_.to()});
        any_ = true;
        was_in_ = in;
        last_ = here;
    }
    void flush()
    {
        if (points_.size() > 1) svg_.polyline(points_, style_);
        points_.clear();
    }

private:
    void mark(Point p)
    {
        svg_.polygon({{p.x - 5, p.y + 1}, {p.x + 5, p.y + 1}, {p.x, p.y - 8}}, style_.color);
    }

    Svg& svg_;
    const LogScale& x_;
    const LogScale& y_;
    tools::LineStyle style_;
    std::vector<Point> points_;
    bool any_ = false;
    bool was_in_ = false;
    Point last_;
};

} // namespace

tools::LineStyle line_of(std::string_view algorithm)
{
    // The grouped algorithm may be equal to others: its line is wide, and under theirs.
    if (algorithm.ends_with("_grouped")) return {.color = tools::green, .width = 7, .opacity = 0.45};
    if (algorithm.ends_with("_direct")) return {.color = tools::vermilion, .width = 2.5};
    if (algorithm.ends_with("_combining")) return {.color = tools::blue, .width = 2.5, .dashes = "9 4"};
    return {.color = tools::orange, .width = 2.5, .dashes = "2 4"};
}

void draw_choices(Svg& svg, const Curves& curves, const LogScale& x, double top, double height)
{
    svg.text({x.from() - 8, top + height / 2 + 4}, "chosen", {.size = 11, .anchor = Anchor::end});
    double last_words = 0;
    for (const Reign& reign : curves.reigns) {
        const double from = x(static_cast<double>(reign.first));
        const double to = x(static_cast<double>(std::min(reign.last + 1, largest_size)));
        svg.rectangle({from, top}, to - from, height, line_of(reign.algorithm).color, tools::ground);
        const std::string name(short_name(reign.algorithm, curves));
        if (tools::text_width(name, 12) + 8 <= to - from)
            svg.text({(from + to) / 2, top + height / 2 + 4}, name,
                     {.size = 12, .anchor = Anchor::middle, .color = tools::on_color, .bold = true});
        if (reign.first == smallest_size) continue;
        const std::string words = tools::size_text(reign.first);
        if (from - tools::text_width(words, 11) / 2 < last_words) continue;
        svg.text({from, top - 5}, words, {.size = 11, .anchor = Anchor::middle});
        last_words = from + tools::text_width(words, 11) / 2 + 6;
    }
}

LogScale scale_of_ratios(const Curves& curves, double top, double bottom)
{
    double most = 1;
    for (const Curve& curve : curves.curves) most = std::max(most, greatest_ratio(curves, curve));
    most = std::clamp(1.1 * most, 2.0, most_ratio);
    // Some room below 1 for wide lines.
    return {std::pow(most, -0.03), most, bottom, top};
}

bool goes_beyond(const LogScale& ratios, const Curves& curves)
{
    return std::ranges::any_of(
        curves.curves, [&](const Curve& curve) { return !ratios.holds(greatest_ratio(curves, curve)); });
}

void draw_ratios(Svg& svg, const Curves& curves, const LogScale& x, const LogScale& y)
{
    for (const double ratio : usual_ratios)
        if (y.holds(ratio)) draw_tick(svg, x, y(ratio), ratio == 1 ? "1 (best)" : fmt::format("{:g}", ratio));
    draw_frame(svg, x, y.to(), y.from());
    for (const bool grouped : {true, false})
        for (const Curve& curve : curves.curves) {
            if (curve.algorithm.ends_with("_grouped") != grouped) continue;
            ClippedCurve clipped(svg, x, y, line_of(curve.algorithm));
            for (std::size_t i = 0; i < curves.sizes.size(); ++i)
                clipped.add(static_cast<double>(curves.sizes[i]), ratio_of(curves, curve, i));
            clipped.flush();
        }
}

LogScale draw_least_times(Svg& svg, const Curves& curves, const LogScale& x, double top, double bottom)
{
    double least = least_time(curves, 0);
    double most = least;
    std::vector<Point> points;
    for (std::size_t i = 0; i < curves.sizes.size(); ++i) {
        least = std::min(least, least_time(curves, i));
        most = std::max(most, least_time(curves, i));
    }
    const LogScale y(least / 1.4, std::max(1.4 * most, 3 * least), bottom, top);
    // Only decades if there are many; else also the ticks between.
    const bool few = y.most() / y.least() < 100;
    for (int decade = 0; decade <= static_cast<int>(std::log10(y.most())); ++decade)
        for (const int digit : {1, 2, 5}) {
            const double time = digit * std::pow(10.0, decade);
            if (y.holds(time) && (digit == 1 || few)) draw_tick(svg, x, y(time), round_time(digit, decade));
        }
    draw_frame(svg, x, top, bottom);
    for (std::size_t i = 0; i < curves.sizes.size(); ++i)
        points.push_back({x(static_cast<double>(curves.sizes[i])), y(least_time(curves, i))});
    svg.polyline(points, {.color = tools::ink, .width = 2});
    return y;
}

void draw_sizes(Svg& svg, const LogScale& x, double bottom, std::string_view words)
{
    for (std::int64_t bytes = smallest_size; bytes <= largest_size; bytes *= 4)
        svg.text({x(static_cast<double>(bytes)), bottom + 18}, tools::size_text(bytes),
                 {.size = 11, .anchor = Anchor::middle});
    svg.text({(x.from() + x.to()) / 2, bottom + 42}, words, {.size = 13, .anchor = Anchor::middle});
}

} // namespace plan
