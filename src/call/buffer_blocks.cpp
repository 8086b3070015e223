// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of a user's buffer lie.

#include "call/buffer_blocks.hpp"

#include <algorithm>

#include "grid/local_graph.hpp"
#include "mpi/datatype.hpp"

namespace ortho::call {

BufferBlocks BufferBlocks::regular(const void* base, int slots, MPI_Count count, MPI_Datatype type)
{
    BufferBlocks result;
    result.base_ = base;
    result.slots_ = slots;
    result.count_ = count;
    result.type_ = type;
    return result;
}

BufferBlocks BufferBlocks::varying(const void* base, int slots, const mpi::CountArray& counts,
                                   const mpi::CountArray& displacements, MPI_Datatype type,
                                   const std::vector<int>* partners)
{
    BufferBlocks result = regular(base, slots, 0, type);
    result.form_ = Form::varying;
    result.counts_ = counts;
    result.displacements_ = displacements;
    result.partners_ = partners;
    return result;
}

BufferBlocks BufferBlocks::typed(const void* base, int slots, const mpi::CountArray& counts,
                                 const mpi::CountArray& displacements, const MPI_Datatype types[],
                                 const std::vector<int>* partners)
{
    BufferBlocks result = varying(base, slots, counts, displacements, MPI_DATATYPE_NULL, partners);
    result.form_ = Form::typed;
    result.types_ = types;
    return result;
}

bool BufferBlocks::is_gap(int slot) const
{
    return partners_ != nullptr && (*partners_)[static_cast<std::size_t>(slot)] == grid::gap;
}

MPI_Aint BufferBlocks::byte_displacement(int slot) const
{
    if (form_ == Form::typed) return static_cast<MPI_Aint>(displacements_[slot]);
    if (!extent_) extent_ = mpi::measure(type_).extent;
    return form_ == Form::varying ? displacements_[slot] * *extent_ : slot * *extent_ * count_;
}

DataLocation BufferBlocks::operator[](int slot) const
{
    if (count(slot) == 0) return {};
    // By integers: the base may be MPI_BOTTOM, with absolute displacements.
    const auto address = reinterpret_cast<std::uintptr_t>(base_) +
                         static_cast<std::uintptr_t>(byte_displacement(slot));
    return {reinterpret_cast<void*>(address), count(slot), type(slot)};
}

MPI_Count BufferBlocks::bytes(int slot) const
{
    return count(slot) == 0 ? 0 : mpi::measure(type(slot)).size * count(slot);
}

bool BufferBlocks::has_elements() const
{
    for (int slot = 0; slot < slots_; ++slot)
        if (!is_gap(slot) && count(slot) > 0) return true;
    return false;
}

BufferBlocks BufferBlocks::of(const void* base) const
{
    BufferBlocks result = *this;
    result.base_ = base;
    return result;
}

void BufferBlocks::keep(mpi::ArgumentCopies& kept)
{
    if (form_ != Form::regular) {
        kept.keep(counts_, slots_);
        kept.keep(displacements_, slots_);
    }
    if (form_ != Form::typed) {
        if (has_elements()) kept.keep_type(type_); // else it may be gone already
        return;
    }
    // Nothing is read of the datatypes of gaps and of empty blocks.
    std::vector<MPI_Datatype> types(static_cast<std::size_t>(slots_), MPI_DATATYPE_NULL);
    for (int i = 0; i < slots_; ++i)
        if (!is_gap(i) && counts_[i] > 0) types[static_cast<std::size_t>(i)] = types_[i];
    types_ = types.data();
    kept.keep_types(types_, slots_);
}

} // namespace ortho::call
