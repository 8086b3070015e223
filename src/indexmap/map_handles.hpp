// SPDX-License-Identifier: BSD-3-Clause
// The object that an ORTHO_Index_map points to.
#pragma once

#include <memory>

#include "indexmap/index_map.hpp"
#include "mpiortho.h"

struct ORTHO_Index_map_s {
    std::shared_ptr<ortho::indexmap::IndexMap> map; ///< operations have it, too
};

namespace ortho::indexmap {

/// The map of a handle; null if it is no handle of a map.
std::shared_ptr<IndexMap> find_map(ORTHO_Index_map handle);
/// The map of a handle.  Throws base::Error (arg) if it is no handle of a map.
std::shared_ptr<IndexMap> map_of(ORTHO_Index_map handle);

} // namespace ortho::indexmap
