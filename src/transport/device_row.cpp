// SPDX-License-Identifier: BSD-3-Clause
// Messages whose data lies in rows of devices, and MPIs that take their addresses.

#include "transport/device_row.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "mpi/comm.hpp"

namespace ortho::transport {

namespace {

/// True if the MPI says that it takes addresses of devices.  Open MPI and MPICH have this function.
bool is_said()
{
    using Query = int (*)();
    const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return query != nullptr && query() != 0;
}

/// True if bytes that this process sends to itself, from the host to the device and back, arrive unchanged.
bool is_shown(void* on_device, std::size_t room)
{
    std::array<unsigned char, 4096> sent{};
    std::array<unsigned char, 4096> received{};
    std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(1));
    const int bytes = static_cast<int>(std::min(room, sent.size()));
    constexpr int tag = 1; // nobody else has it there
    const auto move = [&](const void* from, void* to) {
        return PMPI_Sendrecv(from, bytes, MPI_BYTE, 0, tag, to, bytes, MPI_BYTE, 0, tag, mpi::self_channel(),
                             MPI_STATUS_IGNORE) == MPI_SUCCESS;
    };
    return move(sent.data(), on_device) && move(on_device, received.data()) &&
           std::equal(sent.begin(), sent.begin() + bytes, received.begin());
}

} // namespace

DeviceRow::DeviceRow(const std::vector<DataLocation>& data, BoundDatatypes& layouts, bool is_received)
{
    for (const DataLocation& place : data) {
        const std::size_t bytes = layouts.bytes_of({&place, 1});
        if (bytes == 0) continue;
        const memory::RowPart part = memory::find_row(static_cast<const std::byte*>(place.address), bytes);
        if (part.transfer == nullptr || part.is_stored != is_received ||
            (*this && part.transfer != part_.transfer)) {
            *this = {};
            return;
        }
        const std::size_t last = std::max(end(), part.offset + bytes);
        if (!*this || part.offset < part_.offset) part_ = part;
        bytes_ = last - part_.offset;
    }
}

bool DeviceRow::move_to_device(DataLocation& place) const
{
    if (!*this) return false;
    void* const address = part_.transfer->address(part_);
    static const bool takes_them = is_said() && is_shown(address, bytes_);
    if (takes_them) place.address = address;
    return takes_them;
}

void DeviceRow::note_arrival(bool to_device) const
{
    if (to_device)
        part_.transfer->note_on_device(part_.offset, end());
    else if (bytes_ >= memory::piece_bytes)
        part_.transfer->bring_to_device(part_.offset, end());
}

} // namespace ortho::transport
