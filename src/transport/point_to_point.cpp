// SPDX-License-Identifier: BSD-3-Clause
// Messages of MPI's.

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "memory/kind.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "mpi/large_count_type.hpp"
#include "runtime/wait.hpp"
#include "transport/bound_datatypes.hpp"
#include "transport/data_location.hpp"
#include "transport/transport.hpp"

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

/// The data of a message in a row of a Transfer: what is sent lies among the boxes that are fetched, what is
/// received among those that are stored.
class DeviceRow {
public:
    DeviceRow() = default; ///< it lies elsewhere, or there is none
    DeviceRow(const std::vector<DataLocation>& data, BoundDatatypes& layouts, bool is_received);

    operator bool() const { return part_.transfer != nullptr; }
    /// Moves the place of all of it to the device, if the MPI says that it takes such addresses, and messages
    /// from and to one have shown it.
    bool move_to_device(DataLocation& place) const;
    /// True once fetch() of the Transfer has brought the data to the host.
    bool has_come() const { return !*this || part_.transfer->fetched_so_far() >= end(); }
    /// Tells the Transfer that a message has brought all data, to the device (`to_device`) or to the host.
    void note_arrival(bool to_device) const;

private:
    std::size_t end() const { return part_.offset + bytes_; }

    memory::RowPart part_{};
    std::size_t bytes_ = 0; ///< from the first one of the data to the last one
};

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

/// A message that MPI sends or receives in one piece.
struct Piecewise {
    int partner;
    Label label;
    DataLocation place;
    /// Not empty: the place is a row of bytes of ours, which these are gathered into, or spread from.
    Parts parts;
    DeviceRow device_row{};
    /// Its place lies there.
    bool is_on_device = false;

    bool is_empty() const { return parts.empty() && place.count == 0; }
    std::byte* row() const { return static_cast<std::byte*>(place.address); }
};

class PointToPointMessages final : public Messages {
public:
    PointToPointMessages() : any_driver_(memory::any_driver()) {}

    std::vector<Piecewise> incoming;
    std::vector<Piecewise> outgoing;

    bool last_send_stays_on_device() const override { return outgoing.back().is_on_device; }
    bool sends_from_rows() const override { return sent_from_rows_ > 0 && sent_from_elsewhere_ == 0; }

private:
    void add_receive(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                     Label label) override
    {
        incoming.push_back(make(partner, data, layouts, label, true));
    }
    void add_send(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                  Label label) override
    {
        outgoing.push_back(make(partner, data, layouts, label, false));
        if (outgoing.back().device_row)
            ++sent_from_rows_;
        else if (!outgoing.back().is_empty())
            ++sent_from_elsewhere_;
    }

    bool change_receive(std::size_t i, std::span<const PlainData> data) override
    {
        return replace(incoming[i], data);
    }
    bool change_send(std::size_t i, std::span<const PlainData> data) override
    {
        return replace(outgoing[i], data);
    }

    /// False if the message needs a datatype or a row of its own, or has a row.
    static bool replace(Piecewise& message, std::span<const PlainData> data)
    {
        if (data.size() > 1 || !message.parts.empty()) return false;
        const DataLocation place = data.empty() ? DataLocation() : data[0].place;
        if (!mpi::fits(place.count)) return false;
        message.place = place;
        return true;
    }

    Piecewise make(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts, Label label,
                   bool is_received) const
    {
        Piecewise message{partner, label, {}, {}};
        // Data that is received in several places, or spread, goes to the device with all other data.
        if (any_driver_ && (data.size() == 1 || !is_received))
            message.device_row = DeviceRow(data, layouts, is_received);
        if (pack(message, data, layouts)) return message;
        message.place = layouts.combine(data);
        if (data.size() == 1) message.is_on_device = message.device_row.move_to_device(message.place);
        return message;
    }

    /// Makes the message a row of short runs.  False if it has others.
    static bool pack(Piecewise& message, const std::vector<DataLocation>& data, BoundDatatypes& layouts)
    {
        // One piece is no worse where it lies.
        if (data.empty() || (data.size() == 1 && layouts.shape_of(data[0].type).plain)) return false;
        const std::size_t bytes = layouts.bytes_of(data);
        if (bytes > INT_MAX) return false;
        auto parts = layouts.parts_of(data);
        if (!parts || bytes > parts->runs() * packed_bytes_a_run) return false;
        message.parts = std::move(*parts);
        message.place = layouts.bytes_at(layouts.row(bytes), bytes);
        return true;
    }

    bool any_driver_;
    std::size_t sent_from_rows_ = 0; // messages with data
    std::size_t sent_from_elsewhere_ = 0;
};

class PointToPointPassage final : public Passage {
public:
    PointToPointPassage(MPI_Comm comm, const Labels& labels) : comm_(comm), labels_(labels) {}

    void reserve(const Messages& messages) override
    {
        requests_.reserve(messages.receives() + messages.receivers().size());
    }

    void post(const Messages& messages, Stamp stamp) override
    {
        posted_ = static_cast<const PointToPointMessages*>(&messages);
        stamp_ = stamp;
        error_ = nullptr;
        is_abandoned_ = false;
        misfits_.clear();
        requests_.assign(posted_->incoming.size() + posted_->outgoing.size(), MPI_REQUEST_NULL);
        completed_ = 0;
        MPI_Request* request = requests_.data();
        for (const Piecewise& message : posted_->incoming) {
            const DataLocation& place = message.place;
            note(PMPI_Irecv(place.address, place.elements(), place.type, message.partner,
                            stamp.tag_of(message.label.block), comm_, request++));
        }
        unsent_ = posted_->outgoing.size();
        send();
    }

    void post_more() override
    {
        if (unsent_ == 0) return;
        send();
        // So MPI goes on, and no request ends: nobody may want its error yet.
        int flag = 0;
        PMPI_Iprobe(MPI_ANY_SOURCE, stamp_.tag, comm_, &flag, MPI_STATUS_IGNORE);
    }

    bool advance(runtime::Backoff&) override
    {
        if (unsent_ > 0) [[unlikely]] {
            post_more();
            return false;
        }
        // One by one, in order: in MPICH the errors of MPI_Testall and MPI_Testsome cannot be told
        // apart from others; a request that is complete costs next to nothing.
        for (; completed_ < requests_.size(); ++completed_)
            if (!is_complete(completed_)) return false;
        return true;
    }

    bool has_arrived(std::size_t receive) override { return is_complete(receive); }
    void forgo(std::size_t receive) override
    {
        if (requests_[receive] == MPI_REQUEST_NULL) return;
        note(PMPI_Cancel(&requests_[receive]));
        note(PMPI_Wait(&requests_[receive], MPI_STATUS_IGNORE));
    }

    void add_waiting_for(std::set<int>& ranks) override
    {
        for (std::size_t i = 0; i < requests_.size(); ++i)
            if (!is_complete(i)) ranks.insert(message(i).partner);
    }

    void give_up() override
    {
        is_abandoned_ = true;
        unsent_ = 0;
    }

    void abandon(std::span<const int> ranks) override
    {
        is_abandoned_ = true;
        misfits_.assign(ranks.begin(), ranks.end());
    }

private:
    /// Sends those that are left, in order, up to one whose data has not come from its device.
    void send()
    {
        const bool may_wait = posted_->sends_from_rows();
        for (; unsent_ > 0; --unsent_) {
            const std::size_t i = posted_->outgoing.size() - unsent_;
            const Piecewise& message = posted_->outgoing[i];
            bool has_come = true;
            if (may_wait) attempt([&] { has_come = message.device_row.has_come(); });
            if (!has_come) return;
            const DataLocation& place = message.place;
            if (!message.parts.empty()) gather(message.parts, message.row());
            note(PMPI_Isend(place.address, place.elements(), place.type, message.partner,
                            stamp_.tag_of(message.label.block), comm_,
                            &requests_[posted_->incoming.size() + i]));
        }
    }

    const Piecewise& message(std::size_t i) const
    {
        const std::size_t receives = posted_->incoming.size();
        return i < receives ? posted_->incoming[i] : posted_->outgoing[i - receives];
    }

    bool is_complete(std::size_t i)
    {
        // Where has_arrived() has come first there is no request any more, and the blocks may be the user's
        // again.
        if (requests_[i] == MPI_REQUEST_NULL) return true;
        const Piecewise& its = message(i);
        const bool is_receive = i < posted_->incoming.size();
        int flag = 0;
        const int code = runtime::test(&requests_[i], &flag);
        if (code != MPI_SUCCESS) {
            attempt([&] {
                if (!is_receive) throw mpi::Failure(code);
                fail_receive(code, its.partner, mpi::measure(its.place.type).size * its.place.count,
                             labels_.contents_of(its.label));
            });
            return true;
        }
        if (flag == 0) {
            if (std::ranges::find(misfits_, its.partner) == misfits_.end()) return false;
            if (is_receive) {
                forgo(i);
            } else { // to wait for that could take for ever, where the MPI cancels no sends
                note(PMPI_Cancel(&requests_[i]));
                note(PMPI_Request_free(&requests_[i]));
            }
            return true;
        }
        if (!is_receive || is_abandoned_) return true;
        if (!its.parts.empty())
            spread(its.row(), its.parts);
        else if (its.device_row)
            attempt([&] { its.device_row.note_arrival(its.is_on_device); });
        return true;
    }

    void note(int code)
    {
        if (code != MPI_SUCCESS) keep(std::make_exception_ptr(mpi::Failure(code)));
    }

    MPI_Comm comm_;
    const Labels& labels_;
    Stamp stamp_;
    const PointToPointMessages* posted_ = nullptr;
    std::vector<MPI_Request> requests_; // its receives, then its sends
    std::size_t unsent_ = 0;            // messages, the last ones
    std::size_t completed_ = 0;         // requests_[0..completed_) are
    bool is_abandoned_ = false;
    std::vector<int> misfits_; // ranks that are not waited for
};

class PointToPoint final : public Transport {
public:
    PointToPoint(MPI_Comm comm, std::function<bool(int)> is_on_node)
        : comm_(comm),
          is_on_node_(std::move(is_on_node))
    {}

    bool reaches(int, std::size_t, std::size_t) const override { return true; }
    std::size_t most_together(int rank, std::size_t blocks, std::size_t bytes) const override
    {
        if (copies_on_node(rank)) return most_together_on_node;
        const bool wait_together_alone = blocks <= few_blocks && bytes > most_at_once &&
                                         bytes <= blocks * most_at_once;
        return wait_together_alone ? most_of_few : Transport::most_together(rank, blocks, bytes);
    }
    bool copies_on_node(int rank) const override { return is_on_node_ && is_on_node_(rank); }
    std::unique_ptr<Messages> bind() override { return std::make_unique<PointToPointMessages>(); }
    std::unique_ptr<Passage> passage(const Labels& labels) override
    {
        return std::make_unique<PointToPointPassage>(comm_, labels);
    }

private:
    /// MPI packs what lies apart.  On a node that takes longer than another message, but for small ones.
    static constexpr std::size_t most_together_on_node = always_together;
    /// MPIs send short messages at once, and ask the receiver before longer ones: Open MPI from 64 KiB on
    /// over TCP.  To ask takes longer there than a message more or two; elsewhere these take little.
    static constexpr std::size_t few_blocks = 3;
    static constexpr std::size_t most_at_once = 48 << 10;
    static constexpr std::size_t most_of_few = 32 << 10;

    MPI_Comm comm_;
    std::function<bool(int)> is_on_node_; // null: not known
};

} // namespace

std::shared_ptr<Transport> point_to_point(MPI_Comm comm, std::function<bool(int)> is_on_node)
{
    return std::make_shared<PointToPoint>(comm, std::move(is_on_node));
}

void fail_receive(int code, int partner, MPI_Count room, const std::string& contents)
{
    int error_class = MPI_SUCCESS;
    mpi::check(PMPI_Error_class(code, &error_class));
    if (error_class != MPI_ERR_TRUNCATE) throw mpi::Failure(code);
    base::fail(base::ErrorKind::truncate, "recvcount", "rank ", partner, " sends more than the ", room,
               " bytes that there is room for in ", contents);
}

} // namespace ortho::transport
