// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan mosaic`: the exchange of ghosts on a block-structured grid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mosaic/ghosts.hpp"
#include "plan/cgns_file.hpp"

namespace plan {

struct MosaicOptions {
    std::string file; ///< CGNS
    int processes = 1;
    std::string most;         ///< cells of a patch, "32x32"; empty: whole zones
    int ghosts = 1;           ///< layers
    std::string bytes = "8B"; ///< of an element
    std::string nodes = "1";  ///< "64" or "4,4,3", as ORTHO_NODES
    bool patches = false;     ///< they are listed
    std::string tune;         ///< as in MachineOptions
    std::string svg;          ///< a file, or empty
};

/// The patches of all processes, and what fills their ghosts.
struct DividedGrid {
    BlockGrid grid;
    std::vector<ortho::mosaic::Patch> patches;
    std::vector<int> owners; ///< of patches
    int layers = 1;          ///< of ghosts
    ortho::mosaic::Ghosts ghosts;
    std::string title; ///< "wing.cgns: 2 zones, 4800 cells, 4 processes"
};

/// Prints patches, messages and a price.  Throws base::Error for a mistake in the options or in the file.
void print_mosaic(const MosaicOptions& options);

} // namespace plan
