// SPDX-License-Identifier: BSD-3-Clause
// Values of ghosts beyond closed sides of a grid: those at its border, in dimensions that are not periodic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

/// What one process does for one field, after its neighbors' elements have come.
///
/// Dimensions are padded one after the other, in the order of the array's.  So the constant of a later
/// dimension takes the place of an earlier one, and mirrors show what lies in the ghosts of all others.  No
/// ghost beyond a closed side is read: each is found at once from what the mirrors of all its sides lead to.
class ClosedSides {
public:
    /// Throws base::Error (arg) where mirrors lead to elements that this process does not have.
    ClosedSides(const grid::Grid& grid, int rank, const CheckedFields& checked, std::size_t f,
                const FieldNames& names);

    bool are_none() const { return moves_.empty() && constants_.to.empty(); }
    std::size_t bytes() const { return copied_bytes_ + constants_.row.size(); }

    // In this order.  The array begins at `base`, where it may have been before.
    void begin(void* base);
    void fill();
    void wait();

private:
    /// Elements of this process that ghosts get; boxes of both have one shape.
    struct Move {
        std::vector<grid::StridedBox> from;
        transport::Parts to;
        std::size_t bytes;
        int sign;
    };
    /// Ghosts that do not depend on any element, and what they get, one behind the other.
    struct Constants {
        transport::Parts to{};
        std::vector<std::byte> row{};
    };
    struct OnDevice {
        std::intptr_t base;
        std::unique_ptr<memory::Transfer> transfer;
    };

    void add(const Field& field, const grid::Box& to, const ORTHO_Boundary& constant, int sign);
    /// Layer by layer in these dimensions, which have these kinds.
    void add_mirrored(const Field& field, std::span<const int> region,
                      std::span<const std::pair<int, int>> mirrors, grid::Box to, grid::Box from, int sign);
    memory::Transfer& transfer_on(const memory::Home& home);
    void negate(std::span<std::byte> row) const;

    std::vector<Move> moves_;
    Constants constants_;
    std::size_t copied_bytes_ = 0;
    std::optional<mpi::SignedNumbers> numbers_;
    std::intptr_t base_ = 0; // where boxes take the array to begin
    std::size_t largest_ = 0;
    std::vector<std::byte> row_; // for the largest move
    std::vector<OnDevice> on_devices_;
    memory::Transfer* transfer_ = nullptr; ///< null if the array lies in memory of the host
};

/// What an exchange of all these fields does at its end.
call::AtEnd end_of(const grid::Grid& grid, int rank, const CheckedFields& checked, const FieldNames& names);

} // namespace ortho::collectives
