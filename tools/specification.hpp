// SPDX-License-Identifier: BSD-3-Clause
// A collective on a grid, as one writes it: 'alltoall:torus 4x4:moore 1:1KiB'.  No MPI in this file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "planner/problem.hpp"

namespace tools {

/// What a specification says.
struct Specification {
    ortho::planner::Collective collective = ortho::planner::Collective::alltoall;
    std::string collective_text; ///< as written: reduce_scatter_block is reduce_scatter
    ortho::grid::Grid grid;
    std::string grid_text;
    ortho::grid::Stencil stencil; ///< as listed: a ball in lexicographic order
    std::string stencil_text;
    std::int64_t block_bytes = 0;
};

/// COLLECTIVE:GRID:STENCIL:SIZE
///
///     COLLECTIVE  alltoall, allgather, allreduce, reduce_scatter, reduce_scatter_block
///     GRID        torus 4x4; mesh 4x4; grid 4x4 periods 1,0
///     STENCIL     moore R, manhattan R (neumann R): a ball without its centre; box LOW..HIGH: {LOW..HIGH}^d
///                 without the zero offset; each of them 'with centre'; offsets 1,0;0,-1
///     SIZE        of a block: 400B, 10kB, 1KiB, 4MiB …
///
/// Throws base::Error (arg) that says which part is wrong, and why.
Specification parse_specification(std::string_view text);

/// The offsets of a STENCIL as above, in so many dimensions.  Throws base::Error (arg).
ortho::grid::Stencil parse_stencil(std::string_view text, int dimensions);

/// "4x4" or "36x32": numbers from 1 on, or an empty list for anything else.
std::vector<int> parse_product(std::string_view text);

/// "400 B", "1 KiB", "96.9 KiB": the unit that leaves few digits.
std::string size_text(std::int64_t bytes);

} // namespace tools
