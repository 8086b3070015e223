// SPDX-License-Identifier: BSD-3-Clause
// One end of a message that goes through shared memory as a row of bytes.

#include "nodequeue/shm_messages.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "mpi/failure.hpp"
#include "nodequeue/shm_channels.hpp"
#include "runtime/outstanding_operations.hpp"
#include "runtime/wait.hpp"

namespace ortho::nodequeue {

namespace {

/// A row on its way, which nobody waits for.
class SentRow final : public runtime::Driven {
public:
    explicit SentRow(std::size_t bytes)
        : row_(std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, bytes))),
          bytes_(bytes)
    {}

    std::byte* row() { return row_.get(); }
    void send(int partner, int tag, MPI_Comm comm)
    {
        with_row(row_.get(), bytes_, [&](const transport::DataLocation& place) {
            mpi::check(
                PMPI_Isend(place.address, place.elements(), place.type, partner, tag, comm, &request_));
        });
    }
    bool advance(bool, runtime::Backoff&) override
    {
        int flag = 0;
        // Nobody is there to be told of an error: whoever receives finds it.
        return runtime::test(&request_, &flag) != MPI_SUCCESS || flag != 0;
    }

private:
    std::unique_ptr<std::byte[]> row_;
    std::size_t bytes_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace

Message::Message(int partner_, const std::vector<transport::DataLocation>& data,
                 transport::BoundDatatypes& layouts, transport::Label label_)
    : partner(partner_),
      label(label_),
      bytes(layouts.bytes_of(data))
{
    auto known = layouts.parts_of(data);
    if (known)
        parts = std::move(*known);
    else
        place = layouts.combine(data);
}

void Message::replace(std::span<const transport::PlainData> data)
{
    place = {};
    bytes = 0;
    parts.boxes.clear();
    parts.indexed_blocks.offsets.clear();
    parts.pieces.clear();
    for (const transport::PlainData& some : data) {
        if (some.bytes == 0) continue;
        const bool goes_on = !parts.pieces.empty() &&
                             parts.pieces.back().address + parts.pieces.back().bytes == some.begin();
        if (goes_on)
            parts.pieces.back().bytes += some.bytes;
        else
            parts.pieces.push_back({some.begin(), some.bytes});
        bytes += some.bytes;
    }
    parts.crumble(8); // fewer are not worth the time of a call
}

void put(const Message& message, std::byte* row)
{
    if (!message.parts.empty())
        gather(message.parts, row);
    else if (message.bytes > 0)
        with_row(row, message.bytes, [&](const transport::DataLocation& to) { copy(message.place, to); });
}

void put(const Message& message, std::byte* row, FasterStores& stores)
{
    if (message.parts.empty()) return put(message, row);
    if (stores.begin(message.bytes))
        gather_past_caches(message.parts, row);
    else
        gather(message.parts, row);
    stores.end(message.bytes);
}

void take(const std::byte* row, std::size_t bytes, const Message& message)
{
    bytes = std::min(bytes, message.bytes);
    if (message.parts.empty()) {
        if (bytes > 0)
            with_row(const_cast<std::byte*>(row), bytes,
                     [&](const transport::DataLocation& from) { copy(from, message.place); });
    } else if (bytes == message.bytes) {
        spread(row, message.parts);
    } else {
        spread_some(row, bytes, message.parts);
    }
}

void require_room(std::size_t length, std::size_t room, int partner, transport::Label label,
                  const transport::Labels& labels)
{
    if (length <= room) return;
    base::fail(base::ErrorKind::truncate, "recvcount", "rank ", partner, " sends ", length,
               " bytes, and there is room for ", room, " in ", labels.contents_of(label));
}

bool RowByMpi::advance(const Message& message, const transport::Labels& labels, int tag, MPI_Comm comm)
{
    if (!is_here(message.partner, tag, comm)) return false;
    require_room(bytes_, message, labels);
    take(row_.get(), bytes_, message);
    return true;
}

bool RowByMpi::is_here(int partner, int tag, MPI_Comm comm)
{
    int flag = 0;
    if (!row_) {
        MPI_Message found = MPI_MESSAGE_NULL;
        MPI_Status status;
        mpi::check(PMPI_Improbe(partner, tag, comm, &flag, &found, &status));
        if (flag == 0) return false;
        MPI_Count bytes = 0;
        mpi::check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
        bytes_ = static_cast<std::size_t>(bytes);
        row_ = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, bytes_));
        with_row(row_.get(), bytes_, [&](const transport::DataLocation& row) {
            mpi::check(PMPI_Imrecv(row.address, row.elements(), row.type, &found, &request_));
        });
    }
    mpi::check(runtime::test(&request_, &flag));
    return flag != 0;
}

void send_row_by_mpi(int partner, std::size_t bytes, const std::function<void(std::byte*)>& fill, int tag,
                     MPI_Comm comm)
{
    std::unique_ptr<SentRow> sent;
    try {
        sent = std::make_unique<SentRow>(bytes);
        fill(sent->row());
    } catch (...) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (PMPI_Isend(nullptr, 0, MPI_BYTE, partner, tag, comm, &request) == MPI_SUCCESS)
            PMPI_Request_free(&request);
        throw;
    }
    sent->send(partner, tag, comm);
    runtime::OutstandingOperations::adopt(std::move(sent));
}

} // namespace ortho::nodequeue
