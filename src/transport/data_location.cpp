// SPDX-License-Identifier: BSD-3-Clause
// Where data of a datatype lies, and local copies.

#include "transport/data_location.hpp"

#include <cstring>
#include <memory>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/large_count_type.hpp"
#include "transport/bound_datatypes.hpp"

namespace ortho::transport {

namespace {

/// Sends data in a message that MPI_Pack cannot copy.
void send_to_oneself(const DataLocation& from, const DataLocation& to)
{
    BoundDatatypes layouts;
    const DataLocation sent = layouts.combine({from});
    const DataLocation received = layouts.combine({to});
    mpi::check(PMPI_Sendrecv(sent.address, sent.elements(), sent.type, 0, 0, received.address,
                             received.elements(), received.type, 0, 0, mpi::self_channel(),
                             MPI_STATUS_IGNORE));
}

} // namespace

bool is_plain(MPI_Datatype type, const mpi::Measures& measures)
{
    return mpi::is_named(type) && measures.size == measures.extent && measures.true_lb == 0;
}

void copy(const DataLocation& from, const DataLocation& to)
{
    const mpi::Measures from_measures = mpi::measure(from.type);
    const mpi::Measures to_measures = mpi::measure(to.type);
    const MPI_Count bytes = from_measures.size * from.count;
    const MPI_Count room = to_measures.size * to.count;
    base::require(bytes <= room, base::ErrorKind::truncate, "recvcount", "this process sends itself ", bytes,
                  " bytes, and there is room for ", room);
    if (bytes == 0) return;

    const bool from_plain = is_plain(from.type, from_measures);
    const bool to_plain = is_plain(to.type, to_measures);
    if (from_plain && to_plain) {
        std::memcpy(to.address, from.address, static_cast<std::size_t>(bytes));
        return;
    }
    // More bytes than MPI_Pack can count; and MPICH's does not take MPI_BOTTOM.
    if (!mpi::fits(bytes) || !mpi::fits(room) || from.address == MPI_BOTTOM || to.address == MPI_BOTTOM) {
        send_to_oneself(from, to);
        return;
    }
    const int size = static_cast<int>(bytes);
    int position = 0;
    if (to_plain) {
        mpi::check(PMPI_Pack(from.address, from.elements(), from.type, to.address, size, &position,
                             mpi::self_channel()));
        return;
    }
    const auto whole = [&](const void* packed) {
        // As many elements as the data fills: room for more is not an error.
        const int count = to_measures.size == 0 ? 0 : static_cast<int>(bytes / to_measures.size);
        int at = 0;
        mpi::check(PMPI_Unpack(packed, size, &at, to.address, count, to.type, mpi::self_channel()));
    };
    if (bytes % to_measures.size != 0) {
        send_to_oneself(from, to); // ends within an element
    } else if (from_plain) {
        whole(from.address);
    } else {
        const auto packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
        mpi::check(PMPI_Pack(from.address, from.elements(), from.type, packed.get(), size, &position,
                             mpi::self_channel()));
        whole(packed.get());
    }
}

} // namespace ortho::transport
