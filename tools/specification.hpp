// SPDX-License-Identifier: BSD-3-Clause
// A collective on a grid as text: 'alltoall:torus 4x4:moore:1:1KiB'.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "halo_text.hpp"
#include "planner/algorithm_list.hpp"

namespace tools {

/// The content of a specification.
struct Specification {
    ortho::planner::Collective collective = ortho::planner::Collective::alltoall;
    std::string collective_text; ///< as written; reduce_scatter_block is reduce_scatter
    ortho::grid::Grid grid;
    std::string grid_text;
    ortho::grid::Stencil stencil;        ///< as listed: a ball in lexicographic order
    std::string stencil_text;            ///< its name on all pages: moore:1, for each spelling
    std::int64_t block_bytes = 0;        ///< 0 for halos
    std::optional<GhostedFields> fields; ///< for halos

    bool is_halo() const
    {
        using enum ortho::planner::Collective;
        return collective == halo || collective == halo_reduce;
    }
};

/// COLLECTIVE:GRID:STENCIL:SIZE
///
///     COLLECTIVE  alltoall, allgather, allreduce, reduce_scatter, reduce_scatter_block, halo, halo_reduce
///     GRID        torus 4x4; mesh 4x4; grid 4x4 periods 1,0
///     STENCIL     moore:1 or moore 1; each text that parse_stencil accepts
///     SIZE        of a block: 400B, 10kB, 1KiB, 4MiB …; for halos, the arrays (parse_ghosted_fields)
///
/// Throws base::Error (arg) with the wrong part and the reason.
Specification parse_specification(std::string_view text);

} // namespace tools
