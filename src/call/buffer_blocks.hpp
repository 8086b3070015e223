// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of a user's buffer lie.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mpi/argument_copies.hpp"
#include "mpi/count_array.hpp"
#include "transport/data_location.hpp"

namespace ortho::call {

using transport::DataLocation;

/// Where the buffers of a call begin: those that it sends from and receives into, or the fields of a halo
/// exchange.
using Bases = std::vector<void*>;

/// The blocks of one side of a call, as its arguments describe them; a view, which lives no
/// longer than the arguments.
class BufferBlocks {
public:
    /// No blocks.
    BufferBlocks() = default;
    /// `slots` blocks of `count` elements, one after the other.
    static BufferBlocks regular(const void* base, int slots, MPI_Count count, MPI_Datatype type);
    /// Block i: counts[i] elements at displacements[i] elements.  There is no block where
    /// partners[i] is a gap, and nothing is read of its description; partners may be null.
    static BufferBlocks varying(const void* base, int slots, const mpi::CountArray& counts,
                                const mpi::CountArray& displacements, MPI_Datatype type,
                                const std::vector<int>* partners);
    /// Likewise: counts[i] elements of types[i] at displacements[i] bytes.
    static BufferBlocks typed(const void* base, int slots, const mpi::CountArray& counts,
                              const mpi::CountArray& displacements, const MPI_Datatype types[],
                              const std::vector<int>* partners);

    int slots() const { return slots_; }
    bool is_gap(int slot) const;
    const void* base() const { return base_; }
    /// These describe one block.  Its datatype does not count if it has no elements.
    MPI_Count count(int slot) const { return form_ == Form::regular ? count_ : counts_[slot]; }
    MPI_Datatype type(int slot) const { return form_ == Form::typed ? types_[slot] : type_; }
    MPI_Aint byte_displacement(int slot) const;

    /// Where block `slot` lies.
    DataLocation operator[](int slot) const;
    /// Bytes of data in a block.
    MPI_Count bytes(int slot) const;

    /// The same blocks of a buffer that begins there.
    BufferBlocks of(const void* base) const;
    /// Copies all that the description refers to: the user may free it.
    void keep(mpi::ArgumentCopies& kept);

    enum class Form : std::uint8_t { regular, varying, typed };
    /// The properties that calls share if they differ only in buffers and sizes.
    struct Shape {
        Form form = Form::regular;
        int slots = 0;
        MPI_Datatype type = MPI_BYTE; ///< of all, unless they have types of their own

        bool operator==(const Shape&) const = default;
    };
    Shape shape() const { return {form_, slots_, type_}; }
    bool has_elements() const;
    /// Where block `slot` begins, of elements in rows of so many bytes.
    std::byte* begin_of_plain(int slot, std::size_t element_bytes) const
    {
        // By integers: the base may be MPI_BOTTOM, with absolute displacements.
        const MPI_Count elements = form_ == Form::varying ? displacements_[slot] : slot * count_;
        return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base_) +
                                            static_cast<std::uintptr_t>(elements) * element_bytes);
    }

private:
    Form form_ = Form::regular;
    const void* base_ = nullptr;
    int slots_ = 0;
    MPI_Count count_ = 0;
    MPI_Datatype type_ = MPI_BYTE;
    mpi::CountArray counts_;
    mpi::CountArray displacements_; // in elements, or, of typed blocks, in bytes
    const MPI_Datatype* types_ = nullptr;
    const std::vector<int>* partners_ = nullptr;
    mutable std::optional<MPI_Aint> extent_; // of type_, once asked for
};

} // namespace ortho::call
