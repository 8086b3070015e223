// SPDX-License-Identifier: BSD-3-Clause
// The columns of a printed table: names, widths and explanations, in one place.  No MPI in this file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bench {

/// A column without explanation does not compile.
struct Column {
    consteval Column(std::string_view its_name, int its_width, std::string_view what)
        : name(its_name),
          width(its_width),
          explanation(what)
    {
        if (name.empty() || explanation.empty()) throw "a column needs a name and an explanation";
    }

    std::string_view name;
    int width; ///< negative: words begin on the left
    std::string_view explanation;
};

/// The text of a cell, or of a name above cells.
template <class Value>
std::string aligned(const Column& column, const Value& value)
{
    return column.width < 0 ? fmt::format("{:<{}}", value, -column.width)
                            : fmt::format("{:>{}}", value, column.width);
}

/// Prints a line "#   NAME  explanation" for each column.
inline void print_explanations(std::span<const Column> columns)
{
    std::size_t longest = 0;
    for (const Column& column : columns) longest = std::max(longest, column.name.size());
    fmt::print("# columns:\n");
    for (const Column& column : columns)
        fmt::print("#   {:<{}}  {}\n", column.name, longest, column.explanation);
}

/// Prints the line of names.
inline void print_names(std::span<const Column> columns)
{
    std::string line;
    for (const Column& column : columns) line += (line.empty() ? "" : " ") + aligned(column, column.name);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
}

/// Prints a line with a cell for each column, and notes at its end.
template <std::size_t n, class... Cells>
requires(sizeof...(Cells) == n) void print_row(const std::array<Column, n>& columns, const std::string& notes,
                                               const Cells&... cells)
{
    std::string line;
    const auto add = [&line](const Column& column, const auto& cell) {
        line += (line.empty() ? "" : " ") + aligned(column, cell);
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) { (add(columns[i], cells), ...); }
    (std::make_index_sequence<n>());
    fmt::print("{}{}\n", line.substr(0, line.find_last_not_of(' ') + 1), notes);
    std::fflush(stdout);
}

/// A number with `digits` digits after the point.
inline std::string fixed(double number, int digits) { return fmt::format("{:.{}f}", number, digits); }

} // namespace bench
