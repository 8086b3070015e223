// SPDX-License-Identifier: BSD-3-Clause
// `book_bench counts`: messages and blocks of the combining algorithms on stencils {-1..n-2}^d.
#pragma once

#include <vector>

namespace plan {

/// Prints Table 1 of Traeff and Hunold's Cartesian Collective Communication for these d and n, with columns
/// that the papers lack: reductions, and dimensions in groups.  Throws base::Error (arg) if a stencil is too
/// large.
void print_counts(const std::vector<int>& dimensions, const std::vector<int>& widths);

} // namespace plan
