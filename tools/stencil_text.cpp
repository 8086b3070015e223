// SPDX-License-Identifier: BSD-3-Clause
// A stencil as text.  No MPI in this file.

#include "stencil_text.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "grid/shell.hpp"
#include "split_text.hpp"

namespace tools {

namespace {

namespace grid = ortho::grid;
using ortho::at;

/// More offsets than any stencil has, and few enough to sort.
constexpr std::int64_t most_offsets = 1 << 22;

template <class... Values>
[[noreturn]] void no_stencil(std::string_view text, const Values&... values)
{
    ortho::base::fail(ortho::base::ErrorKind::arg, "stencil", "stencil '", text, "'", values...);
}

grid::Stencil list(const grid::Shell& shell, std::string_view text)
{
    const std::int64_t size = grid::count(shell);
    if (size == grid::too_many || size > most_offsets)
        no_stencil(text, " has more than ", most_offsets, " offsets");
    std::vector<int> offsets(static_cast<std::size_t>(size) * shell.low.size());
    grid::list(shell, offsets);
    return {static_cast<int>(shell.low.size()), std::move(offsets)};
}

grid::Stencil parse_ball(grid::Metric metric, std::string_view radius, bool with_centre, int d,
                         std::string_view text)
{
    const std::optional<int> depth = parse_integer(radius);
    if (!depth || *depth < 0) no_stencil(text, ": '", radius, "' is no depth");
    return list(grid::unbounded_shell(metric, with_centre ? 0 : 1, *depth, d), text);
}

grid::Stencil parse_box(std::string_view range, bool with_centre, int d, std::string_view text)
{
    const std::vector<std::string_view> ends = split(range, "..");
    std::optional<int> low = -1;
    std::optional<int> high = parse_integer(ends.back());
    if (ends.size() == 2)
        low = parse_integer(ends.front());
    else if (high)
        high = *high < 2 ? -2 : *high - 2; // an extent
    if (ends.size() > 2 || !low || !high || *low > *high)
        no_stencil(text, ": '", range, "' is no range such as -1..2, and no extent from 2 on");
    const std::int64_t width = std::int64_t{*high} - *low;
    if (width >= most_offsets) no_stencil(text, " has more than ", most_offsets, " offsets");
    // A shell lies around its centre; the box may be far from it.
    const int depth = static_cast<int>(width);
    const grid::Stencil shifted = list(
        {grid::Metric::chebyshev, 0, depth, std::vector<int>(at(d), 0), std::vector<int>(at(d), depth)},
        text);
    grid::Stencil result(d);
    std::vector<int> offset(at(d));
    for (int i = 0; i < shifted.size(); ++i) {
        std::ranges::transform(shifted[i], offset.begin(), [&](int n) { return n + *low; });
        if (with_centre || std::ranges::any_of(offset, [](int n) { return n != 0; }))
            result.push_back(offset);
    }
    return result;
}

grid::Stencil parse_offsets(std::string_view points, int d, std::string_view text)
{
    grid::Stencil result(d);
    for (const std::string_view point : split(points, ";")) {
        std::vector<int> offset;
        for (const std::string_view number : split(point, ",")) {
            const std::optional<int> n = parse_integer(number);
            if (!n) no_stencil(text, ": '", number, "' in offset '", point, "' is no number");
            offset.push_back(*n);
        }
        if (std::ssize(offset) != d)
            no_stencil(text, ": offset '", point, "' has ", offset.size(), " coordinates on a grid of ", d,
                       " dimensions");
        result.push_back(offset);
    }
    return result;
}

} // namespace

NamedStencil parse_stencil(std::string_view text, int dimensions)
{
    std::string_view rest = trimmed(text);
    const std::size_t end = std::min(rest.find_first_of(" :"), rest.size());
    const std::string_view kind = rest.substr(0, end);
    rest = trimmed(rest.substr(end));
    if (rest.starts_with(':')) rest = trimmed(rest.substr(1));
    if (kind == "offsets") {
        std::string name = "offsets:";
        std::ranges::copy_if(rest, std::back_inserter(name), [](char c) { return c != ' '; });
        return {parse_offsets(rest, dimensions, text), std::move(name)};
    }
    if (kind != "moore" && kind != "manhattan" && kind != "neumann" && kind != "box")
        no_stencil(text, " begins with none of moore, manhattan, neumann, box, offsets");
    const std::string_view argument = take_word(rest);
    const bool with_centre = rest == "with centre" || rest == "with center";
    if (!rest.empty() && !with_centre) no_stencil(text, " goes on with '", rest, "', not with centre");
    if (argument.empty())
        no_stencil(text, kind == "box" ? " lacks a range" : " lacks a depth", ", as in ", kind,
                   kind == "box" ? ":-1..2" : ":1");
    NamedStencil result{kind == "box"
                            ? parse_box(argument, with_centre, dimensions, text)
                            : parse_ball(kind == "moore" ? grid::Metric::chebyshev : grid::Metric::manhattan,
                                         argument, with_centre, dimensions, text),
                        ortho::base::text(kind, ':', argument, with_centre ? " with centre" : "")};
    if (result.offsets.size() == 0) no_stencil(text, " has no offsets");
    return result;
}

} // namespace tools
