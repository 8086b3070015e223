// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a halo exchange: boxes of cells of the user's arrays.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "engine/binding.hpp"
#include "grid/halo_geometry.hpp"
#include "mpi/datatype.hpp"
#include "schedule/schedule.hpp"

namespace ortho::collectives {

/// The arrays of one process.
struct Fields {
    std::vector<void*> arrays;
    std::vector<MPI_Datatype> elements;
    grid::GhostedArray shape; ///< of all arrays
    /// How arrays lie in memory: the dimensions, outermost first, and by dimension for how many elements
    /// there is room before the next one outside takes its next step.
    std::vector<int> nesting;
    std::vector<int> room;
};

/// The dimensions of arrays that are laid out as the grid numbers its processes, outermost first.
std::vector<int> nesting_of(const grid::Grid& grid);

/// Datatypes and displacements of all slots that a schedule names; what engine::Call::lay
/// returns are views of it.
class HaloBlocks {
public:
    HaloBlocks(grid::Halo halo, Fields fields, bool reduces)
        : halo_(std::move(halo)),
          fields_(std::move(fields)),
          reduces_(reduces)
    {}

    engine::Sides lay(const schedule::Schedule& schedule);

private:
    /// One side's blocks.
    struct Side {
        explicit Side(int slots);
        engine::Blocks view() const;

        std::vector<int> counts;
        std::vector<MPI_Aint> displacements;
        std::vector<MPI_Datatype> types;
    };

    std::span<const int> region_of(int slot) const { return halo_.regions[slot / halo_.fields]; }
    std::size_t field_of(int slot) const { return static_cast<std::size_t>(slot % halo_.fields); }
    /// The region that a slot that is passed on lies in, the zero vector for the owned cells.
    std::vector<int> via(const schedule::Schedule& schedule, schedule::Slot whole) const;

    void lay_exchange(const schedule::Schedule& schedule, schedule::Slot slot, schedule::Slot whole);
    void lay_reduction(const schedule::Schedule& schedule, schedule::Slot slot, schedule::Slot whole);
    /// Slot `slot` of a side is a box of cells of the user's array.
    void put(Side& side, int slot, const grid::Box& box);
    void put(Side& side, int slot, const std::vector<int>& room, const grid::Box& box);

    grid::Halo halo_;
    Fields fields_;
    bool reduces_;
    Side send_{0}, receive_{0}, operands_{0};
    std::vector<mpi::Datatype> made_;
};

} // namespace ortho::collectives
