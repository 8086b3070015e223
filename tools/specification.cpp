// SPDX-License-Identifier: BSD-3-Clause
// A collective on a grid, as one writes it.  No MPI in this file.

#include "specification.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "grid/ball.hpp"

namespace tools {

namespace {

using ortho::planner::Collective;
namespace grid = ortho::grid;

/// More than anybody's stencil, and little enough to sort.
constexpr std::int64_t most_offsets = 1 << 22;
constexpr std::int64_t largest_block = std::int64_t{1} << 40;

template <class... Values>
[[noreturn]] void fail(const Values&... values)
{
    ortho::base::fail(ortho::base::ErrorKind::arg, "specification", values...);
}

using ortho::at;

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator)
{
    std::vector<std::string_view> result;
    while (true) {
        const std::size_t end = text.find(separator);
        result.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return result;
        text.remove_prefix(end + separator.size());
    }
}

/// The first word; `text` keeps the rest.
std::string_view take_word(std::string_view& text)
{
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

std::optional<int> parse_integer(std::string_view text)
{
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || last != end) return std::nullopt;
    return number;
}

Collective parse_collective(std::string_view text)
{
    constexpr std::pair<std::string_view, Collective> names[] = {
        {"alltoall", Collective::alltoall},
        {"allgather", Collective::allgather},
        {"allreduce", Collective::allreduce},
        {"reduce_scatter", Collective::reduce_scatter},
        {"reduce_scatter_block", Collective::reduce_scatter},
    };
    std::string known;
    for (const auto& [name, collective] : names) {
        if (name == text) return collective;
        known += ortho::base::text(known.empty() ? "" : ", ", name);
    }
    fail("collective '", text, "' is none of ", known);
}

std::vector<char> parse_periods(std::string_view text, std::size_t dimensions, std::string_view whole)
{
    std::vector<char> result;
    for (const std::string_view number : split(text, ",")) {
        if (number != "0" && number != "1")
            fail("grid '", whole, "': period '", number, "' is neither 0 nor 1");
        result.push_back(number == "1" ? 1 : 0);
    }
    if (result.size() != dimensions)
        fail("grid '", whole, "' has ", dimensions, " dimensions and ", result.size(), " periods");
    return result;
}

grid::Grid parse_grid(std::string_view text)
{
    std::string_view rest = text;
    const std::string_view kind = take_word(rest);
    if (kind != "torus" && kind != "mesh" && kind != "grid")
        fail("grid '", text, "' begins with none of torus, mesh, grid");
    const std::string_view product = take_word(rest);
    const std::vector<int> sizes = parse_product(product);
    if (sizes.empty()) fail("grid '", text, "': '", product, "' is no size such as 4x4");
    std::vector<char> periodic(sizes.size(), kind == "torus" ? 1 : 0);
    if (kind == "grid") {
        if (take_word(rest) != "periods")
            fail("grid '", text, "' does not end in periods, such as periods 1,0");
        periodic = parse_periods(rest, sizes.size(), text);
    } else if (!rest.empty()) {
        fail("grid '", text, "' goes on with '", rest, "' after its size");
    }
    std::int64_t points = 1;
    for (const int size : sizes) {
        points *= size;
        if (points > std::numeric_limits<int>::max())
            fail("grid '", text, "' has more than ", std::numeric_limits<int>::max(), " processes");
    }
    return {sizes, periodic};
}

grid::Stencil list(const grid::Shell& shell, std::string_view text)
{
    const std::int64_t size = grid::count(shell);
    if (size == grid::too_many || size > most_offsets)
        fail("stencil '", text, "' has more than ", most_offsets, " offsets");
    std::vector<int> offsets(static_cast<std::size_t>(size) * shell.low.size());
    grid::list(shell, offsets);
    return {static_cast<int>(shell.low.size()), std::move(offsets)};
}

grid::Stencil parse_ball(grid::Metric metric, std::string_view radius, bool with_centre, int d,
                         std::string_view text)
{
    const std::optional<int> depth = parse_integer(radius);
    if (!depth || *depth < 0) fail("stencil '", text, "': '", radius, "' is no radius");
    return list(grid::unbounded_shell(metric, with_centre ? 0 : 1, *depth, d), text);
}

grid::Stencil parse_box(std::string_view range, bool with_centre, int d, std::string_view text)
{
    const std::vector<std::string_view> ends = split(range, "..");
    const std::optional<int> low = ends.size() == 2 ? parse_integer(ends[0]) : std::nullopt;
    const std::optional<int> high = ends.size() == 2 ? parse_integer(ends[1]) : std::nullopt;
    if (!low || !high || *low > *high) fail("stencil '", text, "': '", range, "' is no range such as -1..2");
    const std::int64_t width = std::int64_t{*high} - *low;
    if (width >= most_offsets) fail("stencil '", text, "' has more than ", most_offsets, " offsets");
    // A shell reaches round its centre, which the box may be far from.
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
            if (!n) fail("stencil '", text, "': '", number, "' in offset '", point, "' is no number");
            offset.push_back(*n);
        }
        if (std::ssize(offset) != d)
            fail("stencil '", text, "': offset '", point, "' has ", offset.size(),
                 " coordinates on a grid of ", d, " dimensions");
        result.push_back(offset);
    }
    return result;
}

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};
constexpr std::array<Unit, 7> units{{{"B", 1},
                                     {"kB", 1'000},
                                     {"MB", 1'000'000},
                                     {"GB", 1'000'000'000},
                                     {"KiB", 1 << 10},
                                     {"MiB", 1 << 20},
                                     {"GiB", 1 << 30}}};

std::int64_t parse_size(std::string_view text)
{
    std::int64_t number = -1;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view name = trimmed(text.substr(static_cast<std::size_t>(last - text.data())));
    const auto unit = std::ranges::find(units, name, &Unit::name);
    if (error != std::errc() || number < 0 || unit == units.end())
        fail("size '", text, "' is no number of B, kB, MB, GB, KiB, MiB or GiB, such as 400B");
    if (number > largest_block / unit->bytes) fail("size '", text, "' is more than 1024GiB");
    return number * unit->bytes;
}

} // namespace

grid::Stencil parse_stencil(std::string_view text, int dimensions)
{
    std::string_view rest = text;
    const std::string_view kind = take_word(rest);
    if (kind == "offsets") return parse_offsets(rest, dimensions, text);
    const std::string_view argument = take_word(rest);
    const bool with_centre = rest == "with centre" || rest == "with center";
    const auto known = [&] {
        if (!rest.empty() && !with_centre)
            fail("stencil '", text, "' goes on with '", rest, "', not with centre");
    };
    grid::Stencil result;
    if (kind == "moore") {
        known();
        result = parse_ball(grid::Metric::chebyshev, argument, with_centre, dimensions, text);
    } else if (kind == "manhattan" || kind == "neumann") {
        known();
        result = parse_ball(grid::Metric::manhattan, argument, with_centre, dimensions, text);
    } else if (kind == "box") {
        known();
        result = parse_box(argument, with_centre, dimensions, text);
    } else {
        fail("stencil '", text, "' begins with none of moore, manhattan, neumann, box, offsets");
    }
    if (result.size() == 0) fail("stencil '", text, "' has no offsets");
    return result;
}

std::vector<int> parse_product(std::string_view text)
{
    std::vector<int> result;
    for (const std::string_view part : split(text, "x")) {
        const std::optional<int> number = parse_integer(part);
        if (!number || *number < 1) return {};
        result.push_back(*number);
    }
    return result;
}

Specification parse_specification(std::string_view text)
{
    const std::vector<std::string_view> parts = split(text, ":");
    if (parts.size() != 4)
        fail("'", text, "' has ", parts.size(), parts.size() == 1 ? " part" : " parts",
             ", not the four of COLLECTIVE:GRID:STENCIL:SIZE, as in 'alltoall:torus 4x4:moore 1:1KiB'");
    Specification result;
    result.collective = parse_collective(parts[0]);
    result.collective_text = parts[0];
    result.grid = parse_grid(parts[1]);
    result.grid_text = parts[1];
    result.stencil = parse_stencil(parts[2], result.grid.dimensions());
    result.stencil_text = parts[2];
    result.block_bytes = parse_size(parts[3]);
    return result;
}

std::string size_text(std::int64_t bytes)
{
    constexpr const char* names[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    std::size_t name = 0;
    std::int64_t unit = 1;
    for (; name < 6 && bytes / unit >= 1024; ++name) unit *= 1024;
    const auto exact = static_cast<double>(bytes) / static_cast<double>(unit);
    // Three digits, and no point where there is nothing behind it.
    char digits[32];
    const auto end = exact < 1000
                         ? std::to_chars(digits, digits + sizeof digits, exact, std::chars_format::general, 3)
                         : std::to_chars(digits, digits + sizeof digits, bytes / unit);
    return ortho::base::text(std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)),
                             names[name]);
}

} // namespace tools
