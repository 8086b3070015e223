// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a halo exchange, as one writes them: '34x34 depth 1 fields 2 elements 8B'.  No MPI in this
// file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "grid/halo.hpp"

namespace tools {

/// The arrays of each process.
struct GhostedFields {
    ortho::grid::GhostedArray shape; ///< of each array
    int fields = 1;
    std::int64_t element_bytes = 8;
};

/// SIZES [depth D,D...] [lower D,D...] [upper D,D...] [fields N] [elements SIZE]
///
/// As ORTHO_Halo_init has them: SIZES, such as 34x34, count ghosts, too.  One D holds for all dimensions;
/// depth says both lower and upper, which are 1 if nothing else is said.  Throws base::Error (arg).
GhostedFields parse_ghosted_fields(std::string_view text, int dimensions);

/// "2 fields of 34x34 elements of 8 B, depth 1,1": the depth below and above, where they differ, "1,1 and
/// 2,2".
std::string to_text(const GhostedFields& fields);

} // namespace tools
