// SPDX-License-Identifier: BSD-3-Clause
// The object that an ORTHO_Mosaic points to.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "mosaic/patches.hpp"
#include "mpi/comm.hpp"
#include "mpiortho.h"

namespace ortho::patches {

/// A mosaic, and who owns its patches.
struct Mosaic {
    mosaic::Tiles tiles;
    mosaic::Patches patches;        ///< process by process
    std::vector<std::size_t> begin; ///< by rank: the number of its first patch; and behind the last one
    int rank;
    mpi::Comm comm; ///< has the user's error handler

    std::size_t first_here() const { return begin[static_cast<std::size_t>(rank)]; }
    std::size_t number_here() const { return begin[static_cast<std::size_t>(rank) + 1] - first_here(); }
    int owner(std::size_t patch) const
    {
        return static_cast<int>(std::ranges::upper_bound(begin, patch) - begin.begin()) - 1;
    }
};

/// Null if the handle is none.
std::shared_ptr<Mosaic> find_mosaic(ORTHO_Mosaic handle);
/// Throws base::Error (arg) if the handle is none.
std::shared_ptr<Mosaic> mosaic_of(ORTHO_Mosaic handle);

/// A box of the interface: the first d numbers count.
mosaic::Box box_of(int d, const MPI_Count first[], const MPI_Count count[]);
ORTHO_Patch patch_of(int d, int tile, const mosaic::Box& box);
/// Writes the first `most` of some patches, and how many there are.  Throws base::Error (count, arg).
void write_patches(const std::vector<ORTHO_Patch>& all, int most, ORTHO_Patch patches[], const char* name,
                   int* n);

} // namespace ortho::patches

struct ORTHO_Mosaic_s {
    std::shared_ptr<ortho::patches::Mosaic> mosaic; ///< operations have it, too
};
