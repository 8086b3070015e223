// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that have come back are reduced into the elements that fill them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "call/buffer_blocks.hpp"
#include "collectives/shown_ghosts.hpp"
#include "indexmap/ghost_reduction.hpp"
#include "patches/memory_boxes.hpp"

namespace ortho::patches {

/// Boxes of ghosts, each in a row of memory of its own, in the order in which they are reduced.
class BoxReduction {
public:
    explicit BoxReduction(MPI_Op op) : op_(op) {}

    /// Adds a box of elements of the array number `base`.  Returns where its row begins in memory().
    MPI_Aint add(std::size_t base, const MemoryBox& box, MPI_Datatype element, int sign);
    /// All have been added.
    void allocate();
    std::byte* memory() const { return memory_.get(); }

    /// Gets ready for these arrays.  Those on devices have no elements with holes.
    void prepare(const call::Bases& bases, BoxTypes& types);
    /// The first of these arrays that lies on a device and has elements with holes; else their number.
    std::size_t find_holes(const call::Bases& bases) const;
    /// All rows have come: reduces them into the elements of these arrays.
    void reduce(const call::Bases& bases);

private:
    struct Part {
        std::size_t base;
        MemoryBox box;
        MPI_Datatype element;
        mpi::Measures measures;
        indexmap::Numbers numbers;
        int sign;
        MPI_Aint row;
        std::unique_ptr<collectives::ShownGhosts> by_row{}; ///< where the array has been on a device
    };

    void reduce(const Part& part, const MemoryBox& box, std::byte* begin);

    MPI_Op op_;
    std::vector<Part> parts_;
    std::size_t bytes_ = 0;
    std::size_t most_ = 0; ///< in a row
    std::unique_ptr<std::byte[]> memory_;
    std::unique_ptr<std::byte[]> summands_; ///< elements of the owner, in a row
};

} // namespace ortho::patches
