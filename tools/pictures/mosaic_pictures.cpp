// SPDX-License-Identifier: BSD-3-Clause
// Draws the pictures of doc/mosaics.md.  Each number in them is the library's own answer: the element that
// fills a ghost.  It is made by hand (make tools/mosaic-pictures), and run so: tools/mosaic-pictures doc

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "mosaic/ghosts.hpp"
#include "plan/svg.hpp"

namespace {

using namespace ortho::mosaic;
using ortho::at;

struct Donor {
    int tile;
    Index element;
    const Filled* filled;
};

/// Tiles that are one patch each, and what fills the ghosts of some fields.
class Whole {
public:
    Whole(std::vector<Index> sizes, const std::vector<Contact>& contacts, std::vector<Field> fields)
        : tiles_(2, std::move(sizes), contacts),
          fields_(std::move(fields)),
          patches_(one_each())
    {
        GhostSearch search(tiles_, patches_, fields_);
        for (std::size_t field = 0; field < fields_.size(); ++field)
            for (std::size_t patch = 0; patch < patches_.number(); ++patch)
                search.add(ghosts_, static_cast<int>(field), patch);
    }
    /// The owner of an element of a tile; nothing: nobody has it.
    std::optional<Donor> donor(int field, int tile, const Index& element) const
    {
        for (const Filled& filled : ghosts_.filled) {
            if (filled.field != field || filled.patch != at(tile)) continue;
            if (common(filled.box, {element, {1, 1, 1, 1}}).is_empty()) continue;
            Donor result{patches_[filled.donor].tile, {}, &filled};
            for (std::size_t j = 0; j < 2; ++j) {
                const std::size_t k = filled.map.source(j);
                const std::int64_t steps = element[k] - filled.box.first[k];
                result.element[j] = filled.map.sign[j] > 0 ? filled.donor_box.first[j] + steps
                                                           : filled.donor_box.end(j) - 1 - steps;
            }
            return result;
        }
        if (common(owned_elements(tiles_, patches_[at(tile)], fields_[at(field)]), {element, {1, 1, 1, 1}})
                .is_empty())
            return std::nullopt;
        return Donor{tile, element, nullptr};
    }

private:
    Patches one_each() const
    {
        std::vector<Patch> all;
        for (int tile = 0; tile < tiles_.number(); ++tile) {
            Patch& whole = all.emplace_back(Patch{tile, {}});
            for (std::size_t k = 0; k < 2; ++k) whole.cells.set(k, 0, tiles_.size(tile)[k]);
        }
        return Patches(std::move(all));
    }

    Tiles tiles_;
    std::vector<Field> fields_;
    Patches patches_;
    Ghosts ghosts_;
};

std::string label(const Index& element) { return fmt::format("{},{}", element[0], element[1]); }

constexpr tools::TextStyle centred(double size, const char* color)
{
    return {.size = size, .anchor = tools::Anchor::middle, .color = color};
}

// --- A fold ---------------------------------------------------------------------------------------

/// Two rows of a tile below its fold, and a row of ghosts; numbers at centres, faces and corners.
void draw_fold(tools::Svg& svg, double x0, double y0, const char* name, Pivot pivot)
{
    constexpr double width = 80;
    constexpr double height = 52;
    constexpr std::array<Location, 2> locations{Location::centre, Location::upper};
    constexpr const char* inks[] = {tools::ink, tools::blue, tools::vermilion, tools::green}; // t, u, v, f
    const std::vector<Index> sizes{{8, 5, 1, 1}};
    std::vector<Field> fields(4);
    for (std::size_t f = 0; f < 4; ++f) {
        fields[f].location = {locations[f % 2], locations[f / 2]};
        fields[f].upper = {0, 1, 0, 0};
    }
    for (std::size_t f = 1; f < 3; ++f) {
        fields[f].kind = Kind::vector;
        fields[f].component = static_cast<int>(f) - 1;
        fields[f].group = {1, 2, 0, 0};
    }
    const Contact turn = fold(2, sizes, {0, 1, 1}, 0, pivot);
    const Whole whole(sizes, {join(2, sizes, {0, 0, 1}, {0, 0, -1}, {}), turn}, fields);
    const auto place = [&](double i, double j) {
        return tools::Point{x0 + width * i, y0 + height * (6 - j)};
    };

    bool all_change = true;
    for (int j = 3; j <= 5; ++j)
        for (int i = 0; i < 8; ++i) {
            const Index cell = whole.donor(0, 0, {i, j})->element;
            svg.rectangle(place(i, j + 1), width, height, tools::light_colors[at(cell[0])], tools::ground, 0,
                          cell[1] == 4 ? 0.9 : 0.4);
        }
    const auto axis = [&](std::size_t k) {
        return static_cast<double>(turn.map.origin[k]) / 4;
    }; // doubled positions
    svg.line(place(0, 5), place(8, 5), {.color = tools::pale_ink});
    svg.line(place(-0.15, axis(1)), place(8.15, axis(1)), {.color = tools::pale_ink, .dashes = "7 5"});
    for (const double x : {axis(0), axis(0) - 4, axis(0) + 4})
        if (x >= 0 && x <= 8) svg.circle(place(x, axis(1)), 17, "none", tools::ink);
    for (int j = 3; j <= 5; ++j)
        for (int i = 0; i < 8; ++i)
            for (int f = 0; f < 4; ++f) {
                const Donor from = *whole.donor(f, 0, {i, j});
                const tools::Point where = place(i + (f % 2 == 0 ? 0.5 : 1), j + (f / 2 == 0 ? 0.5 : 1));
                svg.text({where.x, where.y + 4}, label(from.element), centred(12, inks[f]));
                if (j == 5 && (f == 1 || f == 2)) all_change = all_change && from.filled->sign == -1;
            }
    svg.text({x0, y0 - 14}, fmt::format("pivot {}{}", name, all_change ? "" : ": no sign changes"),
             {.size = 15, .bold = true});
    for (int j = 3; j <= 5; ++j)
        svg.text({place(0, j + 0.5).x - 14, place(0, j + 0.5).y + 4},
                 j == 5 ? "ghosts" : fmt::format("row {}", j), {.size = 12, .anchor = tools::Anchor::end});
}

void draw_folds(const std::string& file)
{
    constexpr double panel = 220;
    tools::Svg svg(
        760, 74 + 4 * panel, "A fold around each of the four pivots",
        "Two rows of a tile, and above them ghosts with the numbers of the elements that fill them.");
    svg.text({20, 28}, "The ghosts above a fold, and the elements that fill them",
             {.size = 17, .bold = true});
    double x = 20;
    for (const auto& [words, color] : {std::pair{"centres", tools::ink},
                                       {"u, at upper faces of dimension 0", tools::blue},
                                       {"v, of dimension 1", tools::vermilion},
                                       {"corners", tools::green},
                                       {"u and v with the other sign", tools::pale_ink}}) {
        svg.text({x, 50}, words, {.size = 12, .color = color});
        x += tools::text_width(words, 12) + 22;
    }
    constexpr std::pair<const char*, Pivot> pivots[] = {
        {"T", Pivot::T}, {"F", Pivot::F}, {"U", Pivot::U}, {"V", Pivot::V}};
    for (int i = 0; i < 4; ++i) draw_fold(svg, 90, 104 + panel * i, pivots[i].first, pivots[i].second);
    svg.write(file);
}

// --- A cube ---------------------------------------------------------------------------------------

constexpr int n = 3;        // cells of a panel's side
constexpr double side = 32; // of a cell
constexpr double room = 22; // for arrows beyond ghosts
constexpr double pitch = (n + 2) * side + 2 * room;

/// An arrow beyond a side of a panel: it leads where dimension 0 of the next panel leads.
void draw_neighbor(tools::Svg& svg, const Donor& from, tools::Point middle)
{
    const Map& map = from.filled->map;
    const double length = map.sign[0] > 0 ? 9 : -9;
    const bool is_across = map.source(0) == 0;
    const tools::Point step{is_across ? length : 0, is_across ? 0 : -length};
    svg.line({middle.x - step.x, middle.y - step.y}, {middle.x + step.x, middle.y + step.y},
             {.color = tools::ink, .width = 1.5, .arrow = true});
}

void draw_panel(tools::Svg& svg, const Whole& cube, int panel, tools::Point corner)
{
    const auto place = [&](double i, double j) {
        return tools::Point{corner.x + side * i, corner.y - side * j};
    };
    for (int j = -1; j <= n; ++j)
        for (int i = -1; i <= n; ++i) {
            const std::optional<Donor> from = cube.donor(0, panel, {i, j});
            const bool is_ghost = i < 0 || j < 0 || i == n || j == n;
            svg.rectangle(place(i, j + 1), side, side, from ? tools::light_colors[at(from->tile)] : "#DDDDDD",
                          tools::ground, 0, is_ghost ? 0.55 : 1);
            const bool is_middle = i == n / 2 && j == n / 2; // the panel's number is there
            const tools::Point middle = place(i + 0.5, j + 0.5);
            svg.text({middle.x, middle.y + 4},
                     is_middle ? ""
                     : from    ? label(from->element)
                               : "\u2013",
                     centred(12, tools::ink));
        }
    constexpr double half = n / 2.;
    const double out = 1 + room / 2 / side;
    const std::pair<Index, tools::Point> sides[] = {{{-1, 1}, place(-out, half)},
                                                    {{n, 1}, place(n + out, half)},
                                                    {{1, -1}, place(half, -out)},
                                                    {{1, n}, place(half, n + out)}};
    for (const auto& [ghost, where] : sides) draw_neighbor(svg, *cube.donor(0, panel, ghost), where);
    svg.line(place(0, 0), place(n, 0), {.width = 1.5});
    svg.line(place(0, n), place(n, n), {.width = 1.5});
    svg.line(place(0, 0), place(0, n), {.width = 1.5});
    svg.line(place(n, 0), place(n, n), {.width = 1.5});
    const tools::Point middle = place(half, half);
    svg.text({middle.x, middle.y + 11}, fmt::format("{}", panel),
             {.size = 30, .anchor = tools::Anchor::middle, .bold = true, .halo = true});
    for (const int i : {0, n})
        for (const int j : {0, n}) {
            const bool is_owned = cube.donor(1, panel, {i, j}).has_value();
            svg.circle(place(i, j), 5, is_owned ? tools::ink : tools::ground,
                       is_owned ? "none" : tools::vermilion);
            if (!is_owned) svg.circle(place(i, j), 6, "none", tools::vermilion);
        }
}

void draw_cube(const std::string& file)
{
    const std::vector<Index> sizes(6, {n, n, 1, 1});
    Field centres;
    centres.lower = centres.upper = {1, 1, 0, 0};
    Field corners;
    corners.location = {Location::lower, Location::lower};
    corners.upper = {1, 1, 0, 0};
    const Whole cube(sizes, cubed_sphere(2, sizes), {centres, corners});
    tools::Svg svg(4 * pitch + 16, 3 * pitch + 50, "A sphere of six panels",
                   "Six panels with the ghosts around them: the color is the panel that fills a ghost.");
    svg.text({20, 28}, "Six panels, and the cells that fill their ghosts", {.size = 17, .bold = true});
    const char* const words[] = {
        "a ghost has the color of the panel", "and the number of the cell that fills it",
        "\u2192 where dimension 0 of that panel leads", "\u2013 a ghost that nobody fills"};
    double y = 60;
    for (const char* const line : words) svg.text({20, y += 19}, line, {.size = 12});
    svg.circle({25, y + 17}, 5, tools::ink);
    svg.text({38, y + 21}, "a corner that is the lower corner of a cell", {.size = 12});
    svg.circle({25, y + 36}, 5, tools::ground, tools::vermilion);
    svg.circle({25, y + 36}, 6, "none", tools::vermilion);
    svg.text({38, y + 40}, "a corner that is nobody's lower corner", {.size = 12});
    for (int panel = 0; panel < 6; ++panel)
        draw_panel(svg, cube, panel,
                   {8 + pitch * ((panel + 1) / 2) + room + side, 42 + pitch * (3 - panel / 2) - room - side});
    svg.write(file);
}

} // namespace

int main(int argc, char** argv)
{
    const std::string folder = argc > 1 ? argv[1] : ".";
    try {
        draw_folds(folder + "/fold.svg");
        draw_cube(folder + "/cube.svg");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mosaic-pictures: %s\n", error.what());
        return 1;
    }
    return 0;
}
