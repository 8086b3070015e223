// SPDX-License-Identifier: BSD-3-Clause
// A schedule on a grid of one or two dimensions, one panel for each phase.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "plan/schedule_picture.hpp"
#include "size_text.hpp"

namespace plan {

using tools::Anchor;
using tools::Point;
using tools::Svg;

namespace {

constexpr int most_cells = 9; // side by side
constexpr double panel_cell = 58;
constexpr double pitch = 100;
constexpr double panels_margin = 40;
constexpr double least_panel = 390; // for the words
// Letters have at least 12 pixels, also if the picture is as wide as README.md on a page.
constexpr double small_size = 13;
constexpr double word_size = 14;
constexpr double panels_top = 150; // of the processes

/// The range of coordinates that one dimension shows, relative to this process.
struct Window {
    int low = 0;
    int high = 0;

    int size() const { return high - low + 1; }
    bool holds(int x) const { return x >= low && x <= high; }
};

std::array<Window, 2> windows_of(const Course& course)
{
    std::array<Window, 2> result;
    const grid::Grid& grid = course.grid();
    for (int k = 0; k < grid.dimensions(); ++k) {
        const auto axis = static_cast<std::size_t>(grid.dimensions() == 1 ? 1 : k);
        Window& window = result[axis];
        window = {-1, 1}; // at least the neighbors
        for (int i = 0; i < course.targets.size(); ++i) {
            window.low = std::min(window.low, course.targets(i, k));
            window.high = std::max(window.high, course.targets(i, k));
        }
        // Not beyond the borders, and no place of a torus twice.
        const int here = grid.coordinate(course.rank, k);
        const int behind = grid.periodic(k) ? (grid.size(k) - 1) / 2 : here;
        const int ahead = grid.periodic(k) ? grid.size(k) / 2 : grid.size(k) - 1 - here;
        window = {std::max(window.low, -behind), std::min(window.high, ahead)};
    }
    return result;
}

/// The blocks of this process that are at another process.
struct Load {
    int arrived = 0;
    int resting = 0;
};

class Panels {
public:
    explicit Panels(const Course& course)
        : course_(course),
          windows_(windows_of(course)),
          panel_width_(std::max(least_panel, windows_[1].size() * pitch + 20)),
          head_room_(bulge()),
          cells_height_(windows_[0].size() * pitch + 2 * head_room_)
    {}

    Svg draw()
    {
        const double count = std::max(1.0, static_cast<double>(course_.stages.size()));
        const double width = std::max(760.0, 2 * panels_margin + count * panel_width_);
        const double height = panels_top + cells_height_ + 190;
        const std::string title = title_of(course_);
        Svg svg(width, height, title,
                "What one process sends in each phase of the schedule, and where its blocks are.");
        svg.text({panels_margin, 38}, title, {.size = 20, .bold = true});
        svg.text(
            {panels_margin, 61},
            fmt::format("{} on {} with {}: {}, blocks of {}", course_.setting->specification.collective_text,
                        course_.setting->specification.grid_text, course_.setting->specification.stencil_text,
                        course_.plan.algorithm->name, tools::size_text(course_.setting->bytes)),
            {.size = word_size, .color = tools::pale_ink});
        for (std::size_t j = 0; j < course_.stages.size(); ++j) {
            left_ = (width - count * panel_width_) / 2 + static_cast<double>(j) * panel_width_;
            if (j > 0)
                svg.line({left_, 92}, {left_, panels_top + cells_height_ + 56}, {.color = tools::hairline});
            draw_panel(svg, j);
        }
        draw_legend(svg, panels_top + cells_height_ + 100);
        return svg;
    }

private:
    /// The row and column of a relative position.
    static std::array<int, 2> on_page(const std::vector<int>& p)
    {
        return p.size() == 1 ? std::array{0, p[0]} : std::array{p[0], p[1]};
    }

    Point center(const std::vector<int>& position) const
    {
        const auto [row, column] = on_page(position);
        const double indent = (panel_width_ - windows_[1].size() * pitch) / 2;
        return {left_ + indent + (column - windows_[1].low + 0.5) * pitch,
                panels_top + head_room_ + (row - windows_[0].low + 0.5) * pitch};
    }

    /// The distance of an arrow's middle from the straight way, where other arrows are.  Longer arrows keep a
    /// larger distance.
    static double bend(const std::vector<int>& from, const std::vector<int>& to)
    {
        int common = 0;
        double across = 0; // |dx| + |dy|, and the length: they tell the width of a cell seen from here
        double length = 0;
        for (std::size_t k = 0; k < from.size(); ++k) {
            common = std::gcd(common, to[k] - from[k]);
            across += std::abs(to[k] - from[k]);
            length = std::hypot(length, to[k] - from[k]);
        }
        // In two dimensions there are cells beside the arrows.
        const double between = from.size() == 1 ? 20 : 13;
        return common > 1 ? panel_cell / 2 * across / length + 6 + between * (common - 2) : 0;
    }

    /// Room for arrows outside the cells.
    double bulge() const
    {
        double most = 0;
        for (int i = 0; i < course_.targets.size(); ++i)
            for (int j = 0; j < static_cast<int>(course_.stages.size()); ++j)
                most = std::max(most, bend(course_.position(i, j), course_.position(i, j + 1)));
        return std::max(0.0, most - (pitch - panel_cell) / 2);
    }

    void arrow(Svg& svg, const std::vector<int>& from, const std::vector<int>& to,
               const tools::LineStyle& style, const std::string& label) const
    {
        Point a = center(from);
        Point b = center(to);
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        const double dx = (b.x - a.x) / length;
        const double dy = (b.y - a.y) / length;
        const double bent = bend(from, to);
        // From edge to edge of the two squares; bent arrows begin beside the middles.
        const double aside = std::min(0.42 * panel_cell, 0.3 * bent);
        const auto exit = [&](double side) {
            const double half = panel_cell / 2 + 3;
            const double along_x = dx == 0 ? pitch
                                           : (half - side * aside * dy * (dx > 0 ? 1 : -1)) / std::abs(dx);
            const double along_y = dy == 0 ? pitch
                                           : (half + side * aside * dx * (dy > 0 ? 1 : -1)) / std::abs(dy);
            return std::min(along_x, along_y);
        };
        a = {a.x + exit(1) * dx + aside * dy, a.y + exit(1) * dy - aside * dx};
        b = {b.x - exit(-1) * dx + aside * dy, b.y - exit(-1) * dy - aside * dx};
        svg.arc(a, b, bent > 0 ? bent - aside : 0, style);
        if (label.empty()) return;
        const double beside = bent > 0 ? bent - aside + 2 : 10;
        svg.text(
            {(a.x + b.x) / 2 + beside * dy, (a.y + b.y) / 2 - beside * dx + 4.5}, label,
            {.size = word_size, .anchor = Anchor::middle, .color = tools::blue, .bold = true, .halo = true});
    }

    std::map<std::vector<int>, Load> loads(int stages_over) const
    {
        std::map<std::vector<int>, Load> result;
        const int all = static_cast<int>(course_.stages.size());
        for (int i = 0; i < course_.targets.size(); ++i) {
            const std::vector<int> here = course_.position(i, stages_over);
            (here == course_.position(i, all) ? result[here].arrived : result[here].resting) += 1;
        }
        // A block for all exists everywhere.
        if (course_.shares_one_block())
            for (auto& [position, load] : result) load = {load.arrived > 0 ? 1 : 0, load.arrived > 0 ? 0 : 1};
        return result;
    }

    void draw_grid(Svg& svg) const
    {
        const grid::Grid& grid = course_.grid();
        std::vector<int> position(static_cast<std::size_t>(grid.dimensions()));
        for (int row = windows_[0].low; row <= windows_[0].high; ++row)
            for (int column = windows_[1].low; column <= windows_[1].high; ++column) {
                if (position.size() == 2) position[0] = row;
                position.back() = column;
                // Lines to the next processes, if they exist.
                for (std::size_t k = 0; k < position.size(); ++k)
                    for (const int side : {-1, 1}) {
                        std::vector<int> offset = position;
                        offset[k] += side;
                        if (grid.neighbor(course_.rank, offset) == grid::Grid::nowhere) continue;
                        const Point from = center(position);
                        const Point to = center(offset);
                        svg.line(from, {(from.x + to.x) / 2, (from.y + to.y) / 2},
                                 {.color = tools::hairline, .width = 1});
                    }
            }
    }

    void draw_cells(Svg& svg, int stages_over) const
    {
        const grid::Grid& grid = course_.grid();
        const auto load = loads(stages_over);
        std::vector<int> position(static_cast<std::size_t>(grid.dimensions()));
        for (int row = windows_[0].low; row <= windows_[0].high; ++row)
            for (int column = windows_[1].low; column <= windows_[1].high; ++column) {
                if (position.size() == 2) position[0] = row;
                position.back() = column;
                const Point c = center(position);
                const bool is_it = row == 0 && column == 0;
                svg.rectangle({c.x - panel_cell / 2, c.y - panel_cell / 2}, panel_cell, panel_cell,
                              is_it ? "#FFF3D6" : "#F7F7F7", is_it ? tools::vermilion : "#BDBDBD", 6);
                const int process = grid.neighbor(course_.rank, position);
                svg.text({c.x, c.y - 12}, fmt::format("{}", fmt::join(grid.coordinates(process), ",")),
                         {.size = small_size,
                          .anchor = Anchor::middle,
                          .color = is_it ? tools::ink : tools::pale_ink,
                          .bold = is_it});
                const auto found = load.find(position);
                if (found != load.end()) draw_load(svg, {c.x, c.y + 10}, found->second);
            }
    }

    static void block(Svg& svg, Point corner, bool arrived)
    {
        svg.rectangle(corner, 9, 9, arrived ? tools::green : tools::ground, tools::green, 1.5);
    }

    /// Draws a few blocks one by one, and many as a number.
    static void draw_load(Svg& svg, Point c, const Load& load)
    {
        const int all = load.arrived + load.resting;
        constexpr int a_row = 4;
        if (all <= 2 * a_row) {
            const int rows = (all + a_row - 1) / a_row;
            for (int i = 0; i < all; ++i) {
                const int in_row = std::min(a_row, all - i / a_row * a_row);
                block(svg, {c.x - in_row * 6.0 + 1.5 + i % a_row * 12.0, c.y - rows * 6.0 + i / a_row * 12.0},
                      i < load.arrived);
            }
            return;
        }
        double y = c.y - (load.arrived > 0 && load.resting > 0 ? 14 : 6);
        for (const bool arrived : {true, false}) {
            const int number = arrived ? load.arrived : load.resting;
            if (number == 0) continue;
            block(svg, {c.x - 16, y}, arrived);
            svg.text({c.x - 3, y + 9}, fmt::format("{}", number), {.size = small_size});
            y += 15;
        }
    }

    void draw_panel(Svg& svg, std::size_t j) const
    {
        const Stage& stage = course_.stages[j];
        const double middle = left_ + panel_width_ / 2;
        const auto say = [&](double y, const std::string& words, bool bold = false) {
            svg.text({middle, y}, words,
                     {.size = bold ? 16.0 : word_size,
                      .anchor = Anchor::middle,
                      .color = bold ? tools::ink : tools::pale_ink,
                      .bold = bold});
        };
        say(106,
            course_.stages.size() == 1 ? "All at once"
                                       : fmt::format("Phase {}: {}", j, course_.group_text(j)),
            true);
        std::int64_t blocks = 0;
        bool alike = true;
        for (const Message& message : stage.sent) {
            blocks += message.blocks;
            alike = alike && message.blocks == stage.sent.front().blocks;
        }
        say(127, stage.sent.empty() ? "sends nothing"
                                    : fmt::format("sends {}, {}, in {}", counted(blocks, "block"),
                                                  tools::size_text(blocks * course_.setting->bytes),
                                                  counted(std::ssize(stage.sent), "message")));
        draw_grid(svg);
        draw_carried(svg, static_cast<int>(j));
        draw_cells(svg, static_cast<int>(j) + 1);
        // Equal numbers on many arrows say nothing, and are in the way.
        const bool numbers = stage.sent.size() <= 8 || !alike;
        for (const Message& message : stage.sent)
            if (shown(message.step))
                arrow(svg, std::vector<int>(message.step.size()), message.step,
                      {.color = tools::blue, .width = 2.2, .arrow = true},
                      numbers ? fmt::format("{}", message.blocks) : "");
        const double y = panels_top + cells_height_ + 26;
        say(y, fmt::format("receives {} in {}{}", counted(stage.blocks_in, "block"),
                           counted(stage.messages_in, "message"),
                           numbers || stage.sent.empty()
                               ? ""
                               : fmt::format("; {} in each", counted(stage.sent.front().blocks, "block"))));
        if (j + 1 < course_.stages.size()) say(y + 21, course_.resting_text(j));
    }

    bool shown(const std::vector<int>& position) const
    {
        const auto [row, column] = on_page(position);
        return windows_[0].holds(row) && windows_[1].holds(column);
    }

    /// Draws the ways of this process's blocks through other processes.
    void draw_carried(Svg& svg, int j) const
    {
        std::set<std::pair<std::vector<int>, std::vector<int>>> ways;
        for (int i = 0; i < course_.targets.size(); ++i)
            ways.emplace(course_.position(i, j), course_.position(i, j + 1));
        for (const auto& [from, to] : ways) {
            const bool from_here = std::ranges::all_of(from, [](int x) { return x == 0; });
            if (from != to && !from_here)
                arrow(svg, from, to, {.color = tools::green, .width = 1.2, .dashes = "4 3", .arrow = true},
                      "");
        }
    }

    void draw_legend(Svg& svg, double y) const
    {
        const char* const its = course_.reduces()            ? "its contribution"
                                : course_.shares_one_block() ? "its block"
                                                             : "its blocks";
        int entries = 0;
        const auto entry = [&](const std::string& words, auto draw) {
            const double x = panels_margin + entries % 2 * 300;
            draw(Point{x, y + entries / 2 * 26 - 4});
            svg.text({x + 38, y + entries / 2 * 26}, words, {.size = word_size});
            ++entries;
        };
        entry(course_.process_text(), [&](Point p) {
            svg.rectangle({p.x + 4, p.y - 9}, 18, 18, "#FFF3D6", tools::vermilion, 4);
        });
        entry("its messages, with numbers of blocks", [&](Point p) {
            svg.line(p, {p.x + 27, p.y}, {.color = tools::blue, .width = 2.2, .arrow = true});
        });
        if (course_.stages.size() > 1)
            entry(fmt::format("others send {} on", its), [&](Point p) {
                svg.line(p, {p.x + 27, p.y},
                         {.color = tools::green, .width = 1.2, .dashes = "4 3", .arrow = true});
            });
        entry(fmt::format("{} after the phase, arrived", its), [&](Point p) {
            block(svg, {p.x + 9, p.y - 5}, true);
        });
        if (course_.stages.size() > 1)
            entry(fmt::format("{} after the phase, to be sent on", its), [&](Point p) {
                block(svg, {p.x + 9, p.y - 5}, false);
            });
    }

    const Course& course_;
    std::array<Window, 2> windows_;
    double panel_width_;
    double head_room_;
    double cells_height_;
    double left_ = 0; // of the current panel
};

} // namespace

bool fits_panels(const Course& course)
{
    if (course.grid().dimensions() > 2) return false;
    const std::array<Window, 2> windows = windows_of(course);
    return windows[0].size() <= most_cells && windows[1].size() <= most_cells;
}

Svg draw_panels(const Course& course) { return Panels(course).draw(); }

} // namespace plan
