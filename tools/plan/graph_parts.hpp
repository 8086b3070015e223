// SPDX-License-Identifier: BSD-3-Clause
// Cuts a graph into parts.
#pragma once

#include <vector>

#include "graph_text.hpp"

namespace plan {

/// Is METIS part of this program?
bool has_metis();

/// As many rows in a row for each part as for the others, or one more.
std::vector<int> parts_by_rows(int rows, int parts);

/// METIS's k-way parts.  Throws base::Error (arg) without METIS, or if it fails.
std::vector<int> parts_by_metis(const tools::SparseRows& rows, int parts);

} // namespace plan
