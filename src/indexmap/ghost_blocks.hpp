// SPDX-License-Identifier: BSD-3-Clause
// The blocks of an exchange of ghosts: for each partner, elements of all fields.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "call/buffer_blocks.hpp"
#include "engine/binding.hpp"
#include "mpi/datatype.hpp"

namespace ortho::indexmap {

/// Elements of one field that a message has.
struct Piece {
    std::size_t base;  ///< number of the array, in call::Bases
    MPI_Aint offset;   ///< bytes behind where the array begins
    MPI_Datatype type; ///< one element of it is all these elements; the GhostSide owns it
};

/// One side of the call: a block for each partner.
class GhostSide {
public:
    void add_partner() { partners_.emplace_back(); }
    /// Adds elements to the block of the last partner; the type is kept.
    void add(std::size_t base, MPI_Aint offset, mpi::Datatype type);
    /// Likewise, with a type that somebody else keeps.
    void add(std::size_t base, MPI_Aint offset, MPI_Datatype type)
    {
        partners_.back().push_back({base, offset, type});
    }

    /// The blocks of arrays that begin there.  The result is a view of this object, until the next call.
    call::BufferBlocks of(const call::Bases& bases);

private:
    std::vector<std::vector<Piece>> partners_;
    std::vector<mpi::Datatype> types_;
    std::vector<mpi::Datatype> blocks_; ///< datatypes of blocks with elements of several fields
    std::vector<MPI_Count> counts_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Datatype> block_types_;
};

/// Both sides of an exchange.  Each has a block for each partner, with elements of each field.
struct GhostBlocks {
    GhostSide send{}, receive{};

    call::Sides of(const call::Bases& bases) { return {send.of(bases), receive.of(bases), {}}; }
};

/// A committed datatype: the elements of an array at these places, in this order.
mpi::Datatype elements_at(const std::vector<MPI_Count>& places, MPI_Datatype element);

/// Elements whose places follow each other.
struct Stretch {
    MPI_Count first;
    MPI_Count count;
};
std::vector<Stretch> stretches_of(const std::vector<MPI_Count>& places);

} // namespace ortho::indexmap
