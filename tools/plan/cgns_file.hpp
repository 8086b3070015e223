// SPDX-License-Identifier: BSD-3-Clause
// Block-structured grids in files of CGNS.
#pragma once

#include <string>
#include <vector>

#include "mosaic/contact.hpp"

namespace plan {

/// Zones are tiles, 1-to-1 interfaces are contacts.
struct BlockGrid {
    int dimensions = 0;
    std::vector<std::string> names; ///< of zones
    std::vector<ortho::mosaic::Index> sizes;
    std::vector<ortho::mosaic::Contact> contacts; ///< an interface is there once or twice, as in the file
    int left_out = 0;                             ///< interfaces that are not 1-to-1
};

/// Reads the first base of a file.  Throws base::Error (arg) if that has no structured grid, or if this
/// program was built without CGNS.
BlockGrid read_cgns(const std::string& file);

} // namespace plan
