// SPDX-License-Identifier: BSD-3-Clause
// A stencil, as one writes it: 'moore:1'.  The programs' options and specifications all have it from here.
// No MPI in this file.
#pragma once

#include <string>
#include <string_view>

#include "grid/stencil.hpp"

namespace tools {

struct NamedStencil {
    ortho::grid::Stencil offsets; ///< as listed: a ball in lexicographic order
    std::string name;             ///< as the pages write it: "moore:1", "box:-1..2 with centre"
};

/// What --help says of it.
inline constexpr const char* stencil_help =
    "moore:DEPTH, manhattan:DEPTH (or neumann:DEPTH), box:N, box:LOW..HIGH, or offsets:1,0;0,-1;…";

/// The offsets of a stencil in so many dimensions:
///
///     moore:DEPTH, manhattan:DEPTH or neumann:DEPTH   a ball without its centre
///     box:LOW..HIGH, box:N                            {LOW..HIGH}^d or {-1..N-2}^d without the zero offset
///     offsets:1,0;0,-1                                point by point
///
/// All but the last may be followed by 'with centre'.  A blank does for the colon.  Throws base::Error (arg).
NamedStencil parse_stencil(std::string_view text, int dimensions);

} // namespace tools
