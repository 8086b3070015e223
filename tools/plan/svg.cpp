// SPDX-License-Identifier: BSD-3-Clause
// Pictures as SVG files.

#include "plan/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "plan/output_file.hpp"

namespace tools {

namespace {

std::string escaped(std::string_view words)
{
    std::string result;
    for (const char c : words) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        default: result += c;
        }
    }
    return result;
}

std::string list_of(const std::vector<Point>& points)
{
    std::string result;
    for (const Point& p : points) result += fmt::format("{:.1f},{:.1f} ", p.x, p.y);
    return result;
}

/// Rules for readers with a dark ground.
std::string dark_rules()
{
    std::string result = "<style>\n@media (prefers-color-scheme: dark) {\n";
    for (const auto& [light, dark] : all_shades)
        result += fmt::format("[fill=\"{0}\"] {{ fill: {1} }} [stroke=\"{0}\"] {{ stroke: {1} }}\n", light,
                              dark);
    return result + "}\n</style>\n";
}

} // namespace

Svg::Svg(double width, double height, std::string_view title, std::string_view description)
    : head_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
                        "font-family=\"'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif\">\n"
                        "<title>{2}</title>\n<desc>{3}</desc>\n",
                        width, height, escaped(title), escaped(description)))
{
    rectangle({0, 0}, width, height, ground);
}

void Svg::text(Point at, std::string_view words, const TextStyle& style)
{
    constexpr const char* anchors[] = {"start", "middle", "end"};
    const auto write = [&](const char* rim) {
        body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\" "
                             "fill=\"{}\"{}{}>{}</text>\n",
                             at.x, at.y, style.size, anchors[static_cast<int>(style.anchor)], style.color,
                             style.bold ? " font-weight=\"bold\"" : "", rim, escaped(words));
    };
    // Twice, since some programs do not know paint-order.
    if (style.halo)
        write(fmt::format(" stroke=\"{}\" stroke-width=\"4\" stroke-linejoin=\"round\"", ground).c_str());
    write("");
}

std::string Svg::stroke(const LineStyle& style)
{
    std::string result = fmt::format(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\" stroke-linejoin=\"round\"", style.color,
        style.width);
    if (*style.dashes != '\0') result += fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
    if (style.opacity < 1) result += fmt::format(" opacity=\"{:g}\"", style.opacity);
    if (style.arrow) {
        // One head for each color: in some browsers a head does not take its line's color.
        const auto found = std::ranges::find(arrow_colors_, style.color);
        result += fmt::format(" marker-end=\"url(#head{})\"", found - arrow_colors_.begin());
        if (found == arrow_colors_.end()) arrow_colors_.emplace_back(style.color);
    }
    return result;
}

void Svg::line(Point from, Point to, const LineStyle& style)
{
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", from.x,
                         from.y, to.x, to.y, stroke(style));
}

void Svg::arc(Point from, Point to, double bend, const LineStyle& style)
{
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (bend == 0 || length == 0) return line(from, to, style);
    // The middle of a quadratic curve is half as far from the chord as its control point.
    const Point control{(from.x + to.x) / 2 + 2 * bend * (to.y - from.y) / length,
                        (from.y + to.y) / 2 - 2 * bend * (to.x - from.x) / length};
    body_ += fmt::format("<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" {}/>\n", from.x, from.y,
                         control.x, control.y, to.x, to.y, stroke(style));
}

void Svg::polyline(const std::vector<Point>& points, const LineStyle& style)
{
    body_ += fmt::format("<polyline points=\"{}\" {}/>\n", list_of(points), stroke(style));
}

void Svg::polygon(const std::vector<Point>& points, const char* fill)
{
    body_ += fmt::format("<polygon points=\"{}\" fill=\"{}\"/>\n", list_of(points), fill);
}

void Svg::rectangle(Point corner, double width, double height, const char* fill, const char* stroke,
                    double radius, double opacity)
{
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
                         "stroke=\"{}\"{}{}/>\n",
                         corner.x, corner.y, width, height, fill, stroke,
                         radius > 0 ? fmt::format(" rx=\"{:g}\"", radius) : "",
                         opacity < 1 ? fmt::format(" opacity=\"{:g}\"", opacity) : "");
}

void Svg::circle(Point center, double radius, const char* fill, const char* stroke)
{
    body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\" stroke=\"{}\"/>\n",
                         center.x, center.y, radius, fill, stroke);
}

void Svg::write(const std::string& file) const
{
    std::ofstream out(file);
    out << head_ << dark_rules();
    if (!arrow_colors_.empty()) out << "<defs>\n";
    for (std::size_t i = 0; i < arrow_colors_.size(); ++i)
        out << fmt::format("<marker id=\"head{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
                           "markerWidth=\"10\" markerHeight=\"10\" "
                           "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 1L10 5L0 9z\" "
                           "fill=\"{}\"/></marker>\n",
                           i, arrow_colors_[i]);
    if (!arrow_colors_.empty()) out << "</defs>\n";
    out << body_ << "</svg>\n";
    plan::finish_file(out, "svg", file);
}

double text_width(std::string_view words, double size)
{
    // Count the bytes that begin a character in UTF-8.
    const auto characters = std::ranges::count_if(
        words, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    return 0.62 * size * static_cast<double>(characters);
}

} // namespace tools
