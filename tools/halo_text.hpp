// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a halo exchange as text: '34x34 depth 1 fields 2 elements 8B'.  No MPI in this file.
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
/// With the meaning of ORTHO_Halo_init: SIZES, such as 34x34, include ghosts.  One D is for all dimensions;
/// depth sets both lower and upper, which are 1 by default.  Throws base::Error (arg).
GhostedFields parse_ghosted_fields(std::string_view text, int dimensions);

/// "2 fields of 34x34 elements of 8 B, depth 1,1"; with different depths below and above, "1,1 and 2,2".
std::string to_text(const GhostedFields& fields);

} // namespace tools
