// SPDX-License-Identifier: BSD-3-Clause
// A stencil as text: 'moore:1'.  All programs' options and specifications use it.  No MPI in this file.
#pragma once

#include <string>
#include <string_view>

#include "grid/stencil.hpp"

namespace tools {

struct NamedStencil {
    ortho::grid::Stencil offsets; ///< as listed; a ball in lexicographic order
    std::string name;             ///< as on the pages: "moore:1", "box:-1..2 with centre"
};

/// The words of --help.
inline constexpr const char* stencil_help =
    "moore:DEPTH, manhattan:DEPTH (or neumann:DEPTH), box:N, box:LOW..HIGH, or offsets:1,0;0,-1;…";

/// The offsets of a stencil in `dimensions` dimensions:
///
///     moore:DEPTH, manhattan:DEPTH or neumann:DEPTH   a ball without its centre
///     box:LOW..HIGH, box:N                            {LOW..HIGH}^d or {-1..N-2}^d without the zero offset
///     offsets:1,0;0,-1                                point by point
///
/// All but the last form may end with 'with centre'.  A blank may replace the colon.  Throws base::Error
/// (arg).
NamedStencil parse_stencil(std::string_view text, int dimensions);

} // namespace tools
