// SPDX-License-Identifier: BSD-3-Clause
// A collective on a grid as text.  No MPI in this file.

#include "specification.hpp"

#include <limits>
#include <utility>

#include "base/error.hpp"
#include "size_text.hpp"
#include "split_text.hpp"
#include "stencil_text.hpp"

namespace tools {

namespace {

using ortho::planner::Collective;
namespace grid = ortho::grid;

template <class... Values>
[[noreturn]] void fail(const Values&... values)
{
    ortho::base::fail(ortho::base::ErrorKind::arg, "specification", values...);
}

Collective parse_collective(std::string_view text)
{
    constexpr std::pair<std::string_view, Collective> names[] = {
        {"alltoall", Collective::alltoall},
        {"allgather", Collective::allgather},
        {"allreduce", Collective::allreduce},
        {"reduce_scatter", Collective::reduce_scatter},
        {"reduce_scatter_block", Collective::reduce_scatter},
        {"halo", Collective::halo},
        {"halo_reduce", Collective::halo_reduce},
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

} // namespace

Specification parse_specification(std::string_view text)
{
    const std::vector<std::string_view> parts = split(text, ":");
    // A stencil is one part (moore 1) or two (moore:1).
    const bool in_two = parts.size() > 3 && parts[2].find(' ') == std::string_view::npos;
    const std::size_t count = parts.size() - (in_two ? 1 : 0);
    if (count != 4)
        fail("'", text, "' has ", count, count == 1 ? " part" : " parts",
             ", not the four of COLLECTIVE:GRID:STENCIL:SIZE, as in 'alltoall:torus 4x4:moore:1:1KiB'");
    Specification result;
    result.collective = parse_collective(parts[0]);
    result.collective_text = parts[0];
    result.grid = parse_grid(parts[1]);
    result.grid_text = parts[1];
    const std::string_view before_last = parts[parts.size() - 2];
    NamedStencil stencil = parse_stencil({parts[2].data(), before_last.data() + before_last.size()},
                                         result.grid.dimensions());
    result.stencil = std::move(stencil.offsets);
    result.stencil_text = std::move(stencil.name);
    if (result.is_halo())
        result.fields = parse_ghosted_fields(parts.back(), result.grid.dimensions());
    else
        result.block_bytes = parse_size(parts.back());
    return result;
}

} // namespace tools
