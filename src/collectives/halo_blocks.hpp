// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a halo exchange: boxes of elements of the user's arrays.
#pragma once

#include <mpi.h>

#include <map>
#include <span>
#include <vector>

#include "engine/binding.hpp"
#include "engine/context.hpp"
#include "grid/halo.hpp"
#include "mpi/datatype.hpp"
#include "schedule/schedule.hpp"

namespace ortho::collectives {

/// An array of one process, but for where it begins.  Dimensions are those of the grid.
struct Field {
    MPI_Datatype element = MPI_DATATYPE_NULL;
    grid::GhostedArray shape;
    std::vector<MPI_Aint> strides; ///< bytes from one element to the next
    /// The dimensions in the order in which elements travel, the outermost first: as they lie in memory,
    /// where processes agree on that.
    std::vector<int> nesting;
};

/// The dimensions of an array in the order in which they lie in memory, the outermost first.
std::vector<int> nesting_in_memory(const Field& field);

/// A datatype for a box of elements, from its first one; committed.
mpi::Datatype make_box(const Field& field, const std::vector<MPI_Aint>& strides, const grid::Box& box);

/// Datatypes and displacements of all slots that a schedule names; what call::Call::lay
/// returns are views of it.
class HaloBlocks {
public:
    HaloBlocks(grid::Halo halo, std::vector<Field> fields, bool reduces)
        : halo_(std::move(halo)),
          fields_(std::move(fields)),
          reduces_(reduces)
    {}

    /// Arrays begin at these addresses, of their first element, a ghost where there are any.
    call::Sides lay(const schedule::Schedule& schedule, const call::Bases& bases);

private:
    /// One side's blocks.
    struct Side {
        explicit Side(int slots);
        call::BufferBlocks view() const;

        std::vector<MPI_Count> counts;
        std::vector<MPI_Aint> displacements;
        std::vector<MPI_Datatype> types;
    };

    std::span<const int> region_of(int slot) const { return halo_.regions[slot]; }
    const Field& field_of(int slot) const { return fields_[field_index(slot)]; }
    std::size_t field_index(int slot) const
    {
        return static_cast<std::size_t>(halo_.field[static_cast<std::size_t>(slot)]);
    }
    /// The region that a slot that is passed on lies in, the zero vector for the owned cells.
    std::vector<int> via(const schedule::Schedule& schedule, schedule::Slot whole) const;

    void lay_exchange(const schedule::Schedule& schedule, schedule::Slot slot, schedule::Slot whole);
    void lay_reduction(const schedule::Schedule& schedule, schedule::Slot slot, schedule::Slot whole);
    /// Slot `slot` of a side is a box of elements of the array that begins there.
    void put(Side& side, int slot, void* base, const grid::Box& box);
    void put(Side& side, int slot, MPI_Aint begin, const std::vector<MPI_Aint>& strides,
             const grid::Box& box);
    /// A datatype for a box of elements, from its first one.
    MPI_Datatype type_of(const Field& field, const std::vector<MPI_Aint>& strides, const grid::Box& box);

    grid::Halo halo_;
    std::vector<Field> fields_;
    bool reduces_;
    std::span<void* const> bases_; // while laying
    Side send_{0}, receive_{0}, operands_{0};
    /// By what they are made of.
    std::map<std::vector<MPI_Aint>, mpi::Datatype> types_;
};

} // namespace ortho::collectives
