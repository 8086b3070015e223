// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides of a grid: those at its border, in dimensions that are not periodic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "call/call.hpp"
#include "collectives/halo_arguments.hpp"
#include "memory/kind.hpp"
#include "mpi/type_signature.hpp"
#include "transport/packing.hpp"

namespace ortho::collectives {

/// Reads what the fields say of their sides.  Throws base::Error unless it is right by itself.
void check_boundaries(CheckedFields& checked, const HaloArguments& arguments, const grid::Grid& grid);

/// The ghosts of one field on one process.
///
/// Dimensions of the array are padded one after the other.  So the constant of a later dimension takes the
/// place of an earlier one, and mirrors show what lies in the ghosts of other dimensions.  No ghost beyond a
/// closed side is read: the mirrors of all sides that a ghost lies beyond lead to one element that is there.
class ClosedSides {
public:
    /// Throws base::Error (arg) where mirrors lead to elements that this process does not have.
    ClosedSides(const grid::Grid& grid, int rank, const CheckedFields& checked, std::size_t f,
                const FieldNames& names);

    std::size_t bytes() const { return row_.size(); }

    // In this order:
    void begin(void* base);
    void fill();
    void wait();

private:
    std::optional<mpi::SignedNumbers> numbers_;
    /// Elements, and the ghosts that get them.  Behind these are those that get constants.
    transport::Parts from_, to_;
    std::vector<std::byte> row_;                               ///< of all that ghosts get
    std::size_t copied_ = 0;                                   ///< bytes of it that are no constants
    std::vector<std::pair<std::size_t, std::size_t>> negated_; ///< bytes of it, from a first one on
    std::intptr_t base_ = 0;                                   ///< where the parts take the array to begin
    std::vector<std::pair<std::intptr_t, std::unique_ptr<memory::Transfer>>> transfers_; ///< by base
    memory::Transfer* transfer_ = nullptr; ///< null if the array lies in memory of the host
};

/// The end of an exchange of all these fields.
call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names);

} // namespace ortho::collectives
