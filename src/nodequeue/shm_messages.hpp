// SPDX-License-Identifier: BSD-3-Clause
// One end of a message that goes through shared memory as a row of bytes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "nodequeue/faster_stores.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/data_location.hpp"
#include "transport/packing.hpp"
#include "transport/transport.hpp"

namespace ortho::nodequeue {

/// Its data is the parts, or if there are none the place.
struct Message {
    Message(int partner, const std::vector<transport::DataLocation>& data, transport::BoundDatatypes& layouts,
            transport::Label label);

    /// It gets other data.
    void replace(std::span<const transport::PlainData> data);

    int partner;
    transport::Label label;
    transport::DataLocation place{};
    transport::Parts parts{};
    std::size_t bytes = 0; ///< that there is room for, of one that is received
};

/// Calls use(place of that many bytes in a row).
template <class Use>
void with_row(std::byte* row, std::size_t bytes, Use use)
{
    transport::BoundDatatypes layouts;
    use(layouts.bytes_at(row, bytes));
}

/// Copies the data into a row.
void put(const Message& message, std::byte* row);
/// Into a ring.
void put(const Message& message, std::byte* row, FasterStores& stores);
/// Copies as much of a row as there is room for.
void take(const std::byte* row, std::size_t bytes, const Message& message);
/// Throws if there is no room for a message of that many bytes.
void require_room(std::size_t length, std::size_t room, int partner, transport::Label label,
                  const transport::Labels& labels);
inline void require_room(std::size_t length, const Message& message, const transport::Labels& labels)
{
    require_room(length, message.bytes, message.partner, message.label, labels);
}

/// A message that its sender did not put into shared memory: it comes by MPI, of whatever length.
class RowByMpi {
public:
    /// True once it has come, and its data lies where it belongs.  Throws what is wrong, and then must not be
    /// asked again.
    bool advance(const Message& message, const transport::Labels& labels, int tag, MPI_Comm comm);
    /// True once it has come, and lies in row().
    bool is_here(int partner, int tag, MPI_Comm comm);
    const std::byte* row() const { return row_.get(); }
    std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<std::byte[]> row_; // null before it is found
    std::size_t bytes_ = 0;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// The other end: sends so many bytes, which `fill` puts into a row, whatever becomes of the operation.  If
/// that fails, an empty message goes, so that the receiver goes on.
void send_row_by_mpi(int partner, std::size_t bytes, const std::function<void(std::byte*)>& fill, int tag,
                     MPI_Comm comm);

} // namespace ortho::nodequeue
