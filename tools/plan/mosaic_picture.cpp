// SPDX-License-Identifier: BSD-3-Clause
// A picture of a divided block-structured grid.

#include "plan/mosaic_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/index.hpp"

namespace plan {

using ortho::at;
using ortho::mosaic::Box;
using ortho::mosaic::Index;

namespace {

constexpr double zone_side = 230;  // side of a zone
constexpr double zone_pitch = 260; // of zones in a row
constexpr int zones_in_a_row = 3;
constexpr double ghost_band = 9; // of ghosts

const char* process_color(int process)
{
    return tools::light_colors[at(process) % tools::light_colors.size()];
}

/// A zone's place in the picture.
struct ZoneFrame {
    tools::Point corner; ///< lower left
    double scale;        ///< pixels of a cell

    /// The place of a cell's lower face on a patch: ghosts are in a band inside of its edge.
    double place(std::int64_t cell, const Box& patch, std::size_t k, int layers) const
    {
        const double size = scale * static_cast<double>(patch.count[k]);
        const double wide = std::min(ghost_band, size / 4);
        const double low = scale * static_cast<double>(patch.first[k]) + wide;
        const auto inside = static_cast<double>(
            std::clamp<std::int64_t>(cell - patch.first[k], 0, patch.count[k]));
        const double beyond = static_cast<double>(cell - patch.first[k]) - inside;
        return low + inside * (size - 2 * wide) / static_cast<double>(patch.count[k]) +
               beyond * wide / layers;
    }
    void draw(tools::Svg& svg, const Box& box, const Box& patch, int layers, const char* color) const
    {
        const double left = place(box.first[0], patch, 0, layers);
        const double top = place(box.end(1), patch, 1, layers);
        svg.rectangle({corner.x + left, corner.y - top}, place(box.end(0), patch, 0, layers) - left,
                      top - place(box.first[1], patch, 1, layers), color, tools::ground);
    }
};

} // namespace

tools::Svg draw_mosaic(const DividedGrid& divided)
{
    const int zones = static_cast<int>(divided.grid.sizes.size());
    const int rows = (zones + zones_in_a_row - 1) / zones_in_a_row;
    tools::Svg svg(std::max(2, std::min(zones, zones_in_a_row)) * zone_pitch + 20,
                   80 + rows * (zone_pitch + 10), divided.title,
                   "Zones with their patches, which have the colors of their processes; along their sides "
                   "those that fill their ghosts.");
    svg.text({20, 30}, divided.title, {.size = 16, .bold = true});
    svg.text({20, 52}, "patches, by process; along their sides the processes that fill their ghosts",
             {.size = 12, .color = tools::pale_ink});
    const bool is_flat = divided.grid.dimensions < 2;
    std::vector<ZoneFrame> frames;
    for (int zone = 0; zone < zones; ++zone) {
        const Index& size = divided.grid.sizes[at(zone)];
        const double scale = zone_side / static_cast<double>(std::max(size[0], is_flat ? 4 : size[1]));
        const tools::Point corner{20 + zone_pitch * (zone % zones_in_a_row),
                                  72 + (zone_pitch + 10) * (zone / zones_in_a_row) +
                                      scale * static_cast<double>(size[1])};
        frames.push_back({corner, scale});
        svg.text({corner.x, corner.y + 17},
                 fmt::format("{}, {} x {}", divided.grid.names[at(zone)], size[0], size[1]), {.size = 12});
    }
    const auto is_shown = [](const Box& box) { return box.first[2] <= 0 && box.end(2) > 0; };
    for (const ortho::mosaic::Patch& patch : divided.patches) {
        if (!is_shown(patch.cells)) continue;
        const int owner = divided.owners[at(&patch - divided.patches.data())];
        const ZoneFrame& frame = frames[at(patch.tile)];
        const double x = frame.corner.x + frame.scale * static_cast<double>(patch.cells.first[0]);
        const double y = frame.corner.y - frame.scale * static_cast<double>(patch.cells.end(1));
        const double width = frame.scale * static_cast<double>(patch.cells.count[0]);
        const double height = frame.scale * static_cast<double>(patch.cells.count[1]);
        svg.rectangle({x, y}, width, height, process_color(owner), tools::ink);
        if (std::min(width, height) > 34)
            svg.text({x + width / 2, y + height / 2 + 5}, fmt::format("{}", owner),
                     {.size = 13, .anchor = tools::Anchor::middle});
    }
    for (const ortho::mosaic::Filled& filled : divided.ghosts.filled) {
        const ortho::mosaic::Patch& patch = divided.patches[filled.patch];
        if (is_shown(patch.cells) && is_shown(filled.box))
            frames[at(patch.tile)].draw(svg, filled.box, patch.cells, divided.layers,
                                        process_color(divided.owners[filled.donor]));
    }
    return svg;
}

} // namespace plan
