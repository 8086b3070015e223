// SPDX-License-Identifier: BSD-3-Clause
// The grid colored by node.

#include "plan/place_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/index.hpp"
#include "plan/planned_call.hpp"

namespace plan {

using tools::Anchor;
using tools::Point;
using tools::Svg;

namespace {

constexpr double panel = 560; // as wide or high at most
constexpr double place_margin = 36;
constexpr double gap = 44; // between the panels
constexpr double place_top = 128;
constexpr double slice_gap = 0.9; // between slices, in cells; at least least_gap pixels
constexpr double least_gap = 9;
constexpr double label_height = 15; // above a slice
constexpr double with_numbers = 21; // pixels of a cell with room for numbers
constexpr int most_slices = 16;

using ortho::at;

/// The grid on a page: the last two dimensions are rows and columns, those before them make slices.
struct Page {
    explicit Page(const grid::Grid& grid)
    {
        const int d = grid.dimensions();
        columns = grid.size(d - 1);
        rows = d > 1 ? grid.size(d - 2) : 1;
        all_slices = grid.points() / (rows * columns);
        slices = std::min(all_slices, most_slices);
        // Choose the number of slices in a line that makes the page about square.
        double best = 0;
        for (int n = 1; n <= slices; ++n) {
            const int lines = (slices + n - 1) / n;
            const double size = std::min(panel / (n * (columns + slice_gap)),
                                         panel / (lines * (rows + slice_gap)));
            if (size > best) {
                best = size;
                across = n;
            }
        }
        const int lines = (slices + across - 1) / across;
        const double head = slices > 1 ? label_height : 0;
        cell = std::min({30.0, (panel - (across - 1) * least_gap) / (across * columns),
                         (panel - lines * (least_gap + head)) / (lines * rows)});
        // Whole pixels, since fractions would show seams between the cells of a node.
        cell = std::max(std::floor(cell), 1.0);
        step_x = columns * cell + std::max(least_gap, std::floor(slice_gap * cell));
        step_y = rows * cell + std::max(least_gap, std::floor(slice_gap * cell)) + head;
        width = (across - 1) * step_x + columns * cell;
        height = (lines - 1) * step_y + rows * cell + head;
    }

    /// The corner of a slice.
    Point corner(int slice) const
    {
        return {slice % across * step_x, slice / across * step_y + (slices > 1 ? label_height : 0)};
    }
    /// The number of a point; all grids here are row-major.
    int point(int slice, int row, int column) const { return (slice * rows + row) * columns + column; }

    int columns, rows, slices, all_slices;
    int across = 1; // slices side by side
    double cell, step_x, step_y, width, height;
};

/// A color for each node.  If there are enough colors, nodes that touch, also at a corner or in the next
/// slice, differ.
std::vector<int> color_nodes(const grid::Grid& grid, const std::vector<int>& node_of, int nodes)
{
    std::vector<std::set<int>> touches(at(nodes));
    const int d = grid.dimensions();
    std::vector<int> step(at(d), 0);
    const auto see = [&] {
        for (int point = 0; point < grid.points(); ++point) {
            const int other = grid.neighbor(point, step);
            if (other == grid::Grid::nowhere) continue;
            const int a = node_of[at(point)];
            const int b = node_of[at(other)];
            if (a == b) continue;
            touches[at(a)].insert(b);
            touches[at(b)].insert(a);
        }
    };
    for (int k = 0; k < d; ++k) {
        step[at(k)] = 1;
        see();
        if (k == d - 1 && d > 1) {
            for (const int up : {-1, 1}) {
                step[at(d - 2)] = up;
                see();
            }
            step[at(d - 2)] = 0;
        }
        step[at(k)] = 0;
    }
    std::vector<int> result(at(nodes), -1);
    for (int node = 0; node < nodes; ++node) {
        std::array<int, tools::light_colors.size()> seen{};
        for (const int other : touches[at(node)])
            if (result[at(other)] != -1) ++seen[at(result[at(other)])];
        // Start with another color each time, so that all colors appear.
        int best = -1;
        for (std::size_t i = 0; i < tools::light_colors.size(); ++i) {
            const std::size_t color = (static_cast<std::size_t>(node) * 5 + i) % tools::light_colors.size();
            if (best == -1 || seen[color] < seen[at(best)]) best = static_cast<int>(color);
        }
        result[at(node)] = best;
    }
    return result;
}

class Picture {
public:
    explicit Picture(const Places& places) : places_(places), page_(places.neighborhood.grid) {}

    Svg draw()
    {
        const double panel_width = std::max(page_.width, 380.0);
        const double width = 2 * place_margin + 2 * panel_width + gap;
        const double height = place_top + page_.height + 46;
        Svg svg(width, height, title(),
                "The grid colored by node, as processes are numbered and as they are placed.");
        svg.text({place_margin, 36}, title(), {.size = 18, .bold = true});
        svg.text({place_margin, 59},
                 fmt::format("{}; {}; at least {} must leave nodes", places_.title, places_.stencil_title,
                             places_.bound),
                 {.size = 13, .color = tools::pale_ink});
        draw_panel(svg, place_margin, places_.proposals.front(), false);
        draw_panel(svg, place_margin + panel_width + gap, places_.chosen(), true);
        std::string note = "A color is a node; nodes that touch have different ones.";
        if (page_.all_slices > page_.slices)
            note += fmt::format(" The first {} of {} slices.", page_.slices, page_.all_slices);
        svg.text({place_margin, height - 16}, note, {.size = 13, .color = tools::pale_ink});
        return svg;
    }

private:
    /// A title like "136 edges leave nodes in place of 280".
    std::string title() const
    {
        const std::int64_t before = places_.proposals.front().cut.total;
        const std::int64_t now = places_.chosen().cut.total;
        const std::string leave = places_.weights.empty()
                                      ? counted(now, "edge leaves nodes", "edges leave nodes")
                                      : fmt::format("A weight of {} leaves nodes", now);
        return now < before ? fmt::format("{} in place of {}", leave, before)
                            : fmt::format("{}, however processes are placed here", leave);
    }

    void draw_panel(Svg& svg, double left, const placement::Proposal& proposal, bool is_chosen) const
    {
        svg.text({left, 92}, is_chosen ? fmt::format("Chosen: {}", proposal.method) : "As numbered",
                 {.size = 15, .bold = true});
        svg.text({left, 112},
                 fmt::format("{} leave nodes, at most {} leave the same node", proposal.cut.total,
                             proposal.cut.of_a_node),
                 {.size = 13, .color = tools::pale_ink});
        const std::vector<int> color = color_nodes(places_.neighborhood.grid, proposal.node_of,
                                                   places_.nodes.count());
        const std::vector<int> process_at = placement::processes_on_points(places_.nodes, proposal.node_of);
        for (int slice = 0; slice < page_.slices; ++slice) {
            const Point corner = page_.corner(slice);
            draw_slice(svg, {left + corner.x, place_top + corner.y}, slice, proposal.node_of, color,
                       process_at);
        }
    }

    void draw_slice(Svg& svg, Point corner, int slice, const std::vector<int>& node_of,
                    const std::vector<int>& color, const std::vector<int>& process_at) const
    {
        const double cell = page_.cell;
        const auto node = [&](int row, int column) { return node_of[at(page_.point(slice, row, column))]; };
        if (page_.slices > 1)
            svg.text({corner.x, corner.y - 4}, slice_text(slice), {.size = 10, .color = tools::pale_ink});
        for (int row = 0; row < page_.rows; ++row)
            for (int column = 0; column < page_.columns;) {
                int end = column + 1;
                while (end < page_.columns && node(row, end) == node(row, column)) ++end;
                svg.rectangle({corner.x + column * cell, corner.y + row * cell}, (end - column) * cell, cell,
                              tools::light_colors[at(color[at(node(row, column))])]);
                column = end;
            }
        if (cell >= 3) draw_borders(svg, corner, node);
        if (cell < with_numbers || places_.nodes.processes() > 10'000) return;
        for (int row = 0; row < page_.rows; ++row)
            for (int column = 0; column < page_.columns; ++column)
                svg.text({corner.x + (column + 0.5) * cell, corner.y + (row + 0.5) * cell + 3.5},
                         fmt::format("{}", process_at[at(page_.point(slice, row, column))]),
                         {.size = 10, .anchor = Anchor::middle});
    }

    /// Draws lines between different nodes, as long as possible, and around the grid.
    template <class NodeAt>
    void draw_borders(Svg& svg, Point corner, NodeAt&& node) const
    {
        const double cell = page_.cell;
        const tools::LineStyle style{.color = "#444444", .width = std::min(1.6, cell / 8)};
        for (int row = 0; row <= page_.rows; ++row)
            for_each_stretch(
                page_.columns,
                [&](int c) { return row == 0 || row == page_.rows || node(row - 1, c) != node(row, c); },
                [&](int begin, int end) {
                    svg.line({corner.x + begin * cell, corner.y + row * cell},
                             {corner.x + end * cell, corner.y + row * cell}, style);
                });
        for (int column = 0; column <= page_.columns; ++column)
            for_each_stretch(
                page_.rows,
                [&](int r) {
                    return column == 0 || column == page_.columns || node(r, column - 1) != node(r, column);
                },
                [&](int begin, int end) {
                    svg.line({corner.x + column * cell, corner.y + begin * cell},
                             {corner.x + column * cell, corner.y + end * cell}, style);
                });
    }

    template <class Is, class Call>
    static void for_each_stretch(int count, Is&& is, Call&& call)
    {
        for (int begin = 0; begin < count;) {
            int end = begin;
            while (end < count && is(end)) ++end;
            if (end > begin) call(begin, end);
            begin = end + 1;
        }
    }

    /// A text like "(3, 0, ., .)".
    std::string slice_text(int slice) const
    {
        const grid::Grid& grid = places_.neighborhood.grid;
        std::string result;
        for (int k = 0; k < grid.dimensions() - 2; ++k)
            result += fmt::format("{}{}", k == 0 ? "" : ", ", grid.coordinate(page_.point(slice, 0, 0), k));
        return fmt::format("({}, ., .)", result);
    }

    const Places& places_;
    Page page_;
};

} // namespace

Svg draw_places(const Places& places) { return Picture(places).draw(); }

} // namespace plan
