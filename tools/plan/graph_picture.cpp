// SPDX-License-Identifier: BSD-3-Clause
// A picture of the data that each node sends to each other one.

#include "plan/graph_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "size_text.hpp"

namespace plan {

namespace {

constexpr double square = 512; // of all nodes
constexpr double corner_x = 70;
constexpr double corner_y = 110;
constexpr int most_squares = 64; // in a row

} // namespace

tools::Svg draw_traffic(const Traffic& traffic, const ortho::grid::Nodes& nodes, const std::string& title)
{
    const int group = (nodes.count() + most_squares - 1) / most_squares;
    const int squares = (nodes.count() + group - 1) / group;
    std::vector<std::int64_t> bytes(ortho::at(squares * squares));
    for (const auto& [pair, amount] : traffic.node_bytes)
        bytes[ortho::at(pair.first / group * squares + pair.second / group)] += amount;
    const std::int64_t most = std::max<std::int64_t>(1, *std::ranges::max_element(bytes));

    tools::Svg svg(corner_x + square + 190, corner_y + square + 50, title,
                   "A matrix of nodes: what each sends to each other one.");
    svg.text({40, 36}, title, {.size = 18, .bold = true});
    svg.text({40, 59},
             fmt::format("{} messages between nodes, or {} wires, where each element crosses once",
                         traffic.off_messages.all, traffic.wires.all),
             {.size = 13, .color = tools::pale_ink});
    const double side = square / squares;
    svg.rectangle({corner_x, corner_y}, square, square, "none", tools::pale_ink);
    // Shades by the logarithm: each step is twice as much.
    const double steps = std::max(1.0, std::log2(static_cast<double>(most)));
    const auto shade = [&](std::int64_t amount) {
        return 0.08 + 0.92 * std::log2(static_cast<double>(std::max<std::int64_t>(1, amount))) / steps;
    };
    for (int i = 0; i < squares * squares; ++i)
        if (bytes[ortho::at(i)] > 0)
            svg.rectangle({corner_x + i % squares * side, corner_y + i / squares * side}, side, side,
                          tools::blue, "none", 0, shade(bytes[ortho::at(i)]));
    const std::string what = group == 1 ? "nodes" : fmt::format("groups of {} nodes", group);
    svg.text({corner_x, corner_y - 12}, fmt::format("to {}, from 0 to {}", what, squares - 1));
    svg.text({corner_x - 10, corner_y + 13}, "from", {.anchor = tools::Anchor::end});
    const double x = corner_x + square + 30;
    for (int i = 0; i < 5; ++i) {
        const auto amount = static_cast<std::int64_t>(std::exp2(steps * (4 - i) / 4));
        svg.rectangle({x, corner_y + 26 * i}, 22, 18, tools::blue, "none", 0, shade(amount));
        svg.text({x + 32, corner_y + 26 * i + 14}, tools::size_text(amount));
    }
    return svg;
}

} // namespace plan
