// SPDX-License-Identifier: BSD-3-Clause
// Checking the arguments of collectives on graphs.

#include "collectives/argument_checks.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "collectives/on_mpi.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/operator.hpp"
#include "topology/neighbor_lists.hpp"

namespace ortho::collectives {

namespace {

using base::ErrorKind;
using base::require;
using call::BufferBlocks;

void check_type(MPI_Datatype type, const char* argument)
{
    require(type != MPI_DATATYPE_NULL, ErrorKind::type, argument, argument, " is MPI_DATATYPE_NULL");
}

void check_not_in_place(const void* buffer, const char* argument)
{
    require(buffer != MPI_IN_PLACE, ErrorKind::buffer, argument, argument,
            " is MPI_IN_PLACE, which this call does not take on a graph");
}

} // namespace

void ArgumentChecks::check_root(int root) const
{
    topology::check_rank(root, mpi::size_of(comm_), "root", -1, ErrorKind::root);
}

void ArgumentChecks::check_block(const BufferBlocks& blocks, int slot, const SideNames& names) const
{
    if (blocks.is_gap(slot)) return;
    const MPI_Count count = blocks.count(slot);
    require(count >= 0, ErrorKind::count, names.count, names.count, "s[", slot, "] = ", count,
            " is negative");
    if (count == 0) return;
    require(blocks.type(slot) != MPI_DATATYPE_NULL, ErrorKind::type, names.type, names.type, "s[", slot,
            "] is MPI_DATATYPE_NULL");
    if (count > INT_MAX) // texts take time
        mpi::require_room(count, blocks.type(slot), base::text(names.count, "s").c_str(), slot);
    // MPI_BOTTOM may be a null pointer, and is one where addresses are in datatypes or displacements.
    if (blocks.base() == nullptr && blocks.byte_displacement(slot) == 0)
        require(!mpi::is_named(blocks.type(slot)), ErrorKind::buffer, names.buffer, names.buffer,
                " is a null pointer");
}

BufferBlocks ArgumentChecks::regular(const void* buffer, int slots, MPI_Count count, MPI_Datatype type,
                                     const SideNames& names) const
{
    require_count(count, names.count);
    check_type(type, names.type);
    check_not_in_place(buffer, names.buffer);
    const BufferBlocks blocks = BufferBlocks::regular(buffer, slots, count, type);
    mpi::require_room(count, type, names.count);
    if (buffer == nullptr && slots > 0) check_block(blocks, 0, names);
    return blocks;
}

void ArgumentChecks::check_arrays(const mpi::CountArray& counts, const mpi::CountArray& displacements,
                                  const SideNames& names)
{
    require(counts != nullptr, ErrorKind::arg, names.count, names.count, "s is a null pointer");
    mpi::require_result(displacements.data(), names.displacement);
}

BufferBlocks ArgumentChecks::varying(const void* buffer, const call::BlockSlots& places,
                                     const mpi::CountArray& counts, const mpi::CountArray& displacements,
                                     MPI_Datatype type, const SideNames& names) const
{
    const int slots = static_cast<int>(places.number);
    check_not_in_place(buffer, names.buffer);
    check_type(type, names.type);
    if (slots > 0) check_arrays(counts, displacements, names);
    const BufferBlocks blocks = BufferBlocks::varying(buffer, slots, counts, displacements, type,
                                                      places.partners);
    // Only a null pointer, a negative count and one that is no int need more than this look.
    for (int i = 0; i < slots; ++i)
        if (buffer == nullptr || (!blocks.is_gap(i) && static_cast<std::uint64_t>(counts[i]) > INT_MAX))
            check_block(blocks, i, names);
    return blocks;
}

BufferBlocks ArgumentChecks::typed(const void* buffer, const call::BlockSlots& places,
                                   const mpi::CountArray& counts, const mpi::CountArray& displacements,
                                   const MPI_Datatype types[], const SideNames& names) const
{
    const int slots = static_cast<int>(places.number);
    check_not_in_place(buffer, names.buffer);
    if (slots > 0) {
        check_arrays(counts, displacements, names);
        require(types != nullptr, ErrorKind::arg, names.type, names.type, "s is a null pointer");
    }
    const BufferBlocks blocks = BufferBlocks::typed(buffer, slots, counts, displacements, types,
                                                    places.partners);
    for (int i = 0; i < slots; ++i) check_block(blocks, i, names);
    return blocks;
}

void ArgumentChecks::check_operator(MPI_Op op, MPI_Datatype type, MPI_Count count, const char* name) const
{
    require_count(count, name);
    check_type(type, "datatype");
    mpi::require_operator(op, type);
}

void ArgumentChecks::check_distinct(const BufferBlocks& send, const BufferBlocks& receive) const
{
    if (send.base() == nullptr || send.base() != receive.base()) return;
    if (send.slots() == 0 || receive.slots() == 0 || send.count(0) == 0 || receive.count(0) == 0) return;
    require(!mpi::is_named(send.type(0)) || !mpi::is_named(receive.type(0)), ErrorKind::buffer, "recvbuf",
            "recvbuf is sendbuf");
}

} // namespace ortho::collectives
