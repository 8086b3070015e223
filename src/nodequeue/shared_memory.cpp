// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase that go through shared memory, on their way.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "nodequeue/device_rows.hpp"
#include "nodequeue/faster_way.hpp"
#include "nodequeue/shm_channels.hpp"
#include "nodequeue/shm_messages.hpp"
#include "nodequeue/single_copy.hpp"

namespace ortho::nodequeue {

namespace {

struct Write {
    Message message;
    Access access = Access::none;
    bool is_tried = false; ///< whether it is faster that the receiver reads its sender's memory is tried out
    int after = -1;        ///< the phase's last write before it on this channel, or -1
    std::size_t descriptor_bytes = 0;              ///< not 0 if the receiver gets at the data where it lies
    std::unique_ptr<const DeviceData> on_device{}; ///< of Access::device
    Sender* channel = nullptr;
};

struct Read {
    Message message;
    Receiver* channel;
    int after;
    std::unique_ptr<const DeviceData> on_device{};
};

/// The kind of a message whose data is read where it lies.
constexpr RingHead::Kind kind_of(Access access)
{
    if (access == Access::mapped) return RingHead::Kind::mapped;
    return access == Access::device ? RingHead::Kind::device : RingHead::Kind::remote;
}

/// The index of the last message on the channel; -1 if there is none.
template <class Bound, class Channel>
int last_on(const std::vector<Bound>& messages, const Channel* channel)
{
    for (std::size_t i = messages.size(); i > 0; --i)
        if (messages[i - 1].channel == channel) return static_cast<int>(i - 1);
    return -1;
}

class SharedMemoryMessages final : public transport::Messages {
public:
    explicit SharedMemoryMessages(ShmChannels& channels) : channels_(channels) {}

    bool takes_mpi() const override { return false; }
    bool last_send_stays_on_device() const override { return writes.back().access == Access::device; }

    std::vector<Write> writes;
    std::vector<Read> reads;
    std::unique_ptr<FasterWay> way; ///< of writes that are tried; null if none is
    std::int64_t process_of(int rank) const { return channels_.process_of(rank); }
    bool stores_are_settled() const
    {
        return std::ranges::all_of(writes, [](const Write& write) {
            return !write.is_tried || write.channel->ring().stores().is_settled(write.message.bytes);
        });
    }

private:
    void add_receive(int partner, const std::vector<transport::DataLocation>& data,
                     transport::BoundDatatypes& layouts, transport::Label label) override
    {
        Receiver* const channel = channels_.from(partner);
        reads.push_back({{partner, data, layouts, label}, channel, last_on(reads, channel)});
        reads.back().on_device = device_data(reads.back().message.parts, true);
    }
    void add_send(int partner, const std::vector<transport::DataLocation>& data,
                  transport::BoundDatatypes& layouts, transport::Label label) override
    {
        Write write{{partner, data, layouts, label}};
        find_access(write);
        const bool goes_through = write.access == Access::none || write.is_tried;
        write.channel = channels_.to(partner, goes_through ? write.message.bytes : write.descriptor_bytes);
        write.after = last_on(writes, write.channel);
        writes.push_back(std::move(write));
    }
    bool change_receive(std::size_t i, std::span<const transport::PlainData> data) override
    {
        reads[i].message.replace(data);
        return true;
    }
    bool change_send(std::size_t i, std::span<const transport::PlainData> data) override
    {
        writes[i].message.replace(data);
        find_access(writes[i]);
        return true;
    }
    void find_access(Write& write)
    {
        const Message& message = write.message;
        write.on_device = channels_.may_wait_for_receivers() ? device_data(message.parts, false) : nullptr;
        if (write.on_device) {
            write.access = Access::device;
            write.descriptor_bytes = bytes_of_descriptor(*write.on_device);
            return;
        }
        const auto [from, below] = channels_.tried_bytes();
        const bool may_be_tried = message.bytes >= from && message.bytes < below;
        write.access = channels_.may_wait_for_receivers()
                           ? access_to(message.parts, message.bytes,
                                       may_be_tried ? from : channels_.least_remote_bytes())
                           : Access::none;
        write.is_tried = may_be_tried && write.access == Access::remote;
        if (write.is_tried && !way) way = std::make_unique<FasterWay>();
        write.descriptor_bytes = write.access == Access::none ? 0 : bytes_of_descriptors(message.parts);
    }

    ShmChannels& channels_;
};

/// Messages of one channel come in order: are all before this one through?
template <class Bound, class State>
bool all_before_are_done(const std::vector<Bound>& messages, const std::vector<State>& states, std::size_t i)
{
    for (int j = messages[i].after; j >= 0; j = messages[static_cast<std::size_t>(j)].after)
        if (!states[static_cast<std::size_t>(j)].done) return false;
    return true;
}

/// The messages of a phase on their way.
class SharedMemoryPassage final : public transport::Passage {
public:
    SharedMemoryPassage(MPI_Comm private_comm, const transport::Labels& labels, bool may_be_full)
        : private_comm_(private_comm),
          labels_(labels),
          may_be_full_(may_be_full)
    {}

    void reserve(const transport::Messages& messages) override
    {
        writes_.reserve(messages.receivers().size());
        reads_.reserve(messages.receives());
    }
    void post(const transport::Messages& messages, transport::Stamp stamp) override;
    bool advance(runtime::Backoff& backoff) override;
    bool has_arrived(std::size_t receive) override { return read(receive); }
    void add_waiting_for(std::set<int>& ranks) override;
    bool may_be_full() const override { return may_be_full_; }
    bool is_ready(const transport::Messages& messages, std::set<int>* waits_for) override;
    void give_up() override;

private:
    /// The progress of one message.
    struct Progress {
        bool done = false;
        bool begun = false;      ///< a part of it has been sent or received, and another part has not
        bool refused = false;    ///< the receiver could not read its data in the sender's memory
        bool copies = false;     ///< a device copies it
        std::uint32_t piece = 0; ///< the piece of the message that comes next
        std::size_t offset = 0;  ///< bytes of that piece that are done
        /// If MPI moves the message, because its channel leads nowhere or has no memory.
        MPI_Request request = MPI_REQUEST_NULL;
        std::uint64_t posted = 0; ///< where in the ring the descriptors of its data end; 0 if there are none
        std::unique_ptr<transport::Runs> runs{}; ///< the rest of a message of boxes or indexed blocks
        std::unique_ptr<std::byte[]> staging{};  ///< a copy of a message that has no such parts
        std::unique_ptr<RowByMpi> by_mpi{};      ///< a message whose sender had no memory for it
    };

    /// Sets the progress of so many messages to none.
    static void begin_again(std::vector<Progress>& all, std::size_t n)
    {
        all.resize(n);
        for (Progress& progress : all) {
            progress.done = false;
            if (progress.begun || progress.refused || progress.runs || progress.staging) progress = {};
        }
    }
    bool go_on();
    bool write(std::size_t i);
    bool begin_to_write(std::size_t i);
    bool write_row(const Write& write, Progress& progress, RingHead::Kind kind);
    void send_by_mpi(const Write& write, Progress& progress);
    bool receive_by_mpi(const Read& read, Progress& progress);
    void post_receive(const Read& read, Progress& progress);
    bool is_through(Progress& progress, const Read* read = nullptr);
    bool go_on_writing(std::size_t i);
    bool read(std::size_t i);
    bool begin_to_read(std::size_t i);
    bool take_remote(const Read& read, Progress& progress);
    bool take_from_device(const Read& read, Progress& progress);
    bool is_copied(const Read& read);
    /// For a message that does not go the way that was meant.
    void bring_to_host(const Write& write)
    {
        if (write.on_device) attempt([&] { nodequeue::bring_to_host(*write.on_device); });
    }
    bool write_parts(const Write& write, Progress& progress);
    bool read_parts(const Read& read, Progress& progress);
    bool go_on_reading(const Read& read, Progress& progress);
    bool stage(Progress& progress, std::size_t bytes);
    bool may_go_in_parts(const transport::Parts& parts, std::size_t bytes, Progress& progress);
    /// Keeps an error if there is no room for a message of that many bytes.
    void note_room(std::size_t length, const Read& read)
    {
        if (length <= read.message.bytes) [[likely]]
            return;
        attempt([&] { require_room(length, read.message, labels_); });
    }

    MPI_Comm private_comm_; // for messages that there is no memory for
    const transport::Labels& labels_;
    bool may_be_full_;
    bool tries_reading_ = false; // where that is tried
    int tag_ = 0;
    const SharedMemoryMessages* posted_ = nullptr;
    std::uint32_t number_ = 0;
    std::vector<Progress> writes_;
    std::vector<Progress> reads_;
    std::size_t written_ = 0; // writes before are done
    std::size_t read_ = 0;    // reads before are done
};

[[gnu::hot]] void SharedMemoryPassage::post(const transport::Messages& messages, transport::Stamp stamp)
{
    posted_ = static_cast<const SharedMemoryMessages*>(&messages);
    tag_ = stamp.tag;
    number_ = stamp.number;
    error_ = nullptr;
    written_ = 0;
    read_ = 0;
    if (posted_->way)
        tries_reading_ = posted_->way->begin(posted_->stores_are_settled()) == FasterWay::Way::one_copy;
    begin_again(writes_, posted_->writes.size());
    begin_again(reads_, posted_->reads.size());
    for (std::size_t i = 0; i < reads_.size(); ++i) {
        if (!posted_->reads[i].channel->leads_nowhere()) continue;
        attempt([&] { post_receive(posted_->reads[i], reads_[i]); });
        reads_[i].done = reads_[i].request == MPI_REQUEST_NULL; // or it would never end
    }
    go_on(); // partners wait
}

[[gnu::hot]] bool SharedMemoryPassage::advance(runtime::Backoff& backoff)
{
    if (go_on()) return true;
    backoff.looked_at_memory();
    return false;
}

[[gnu::hot]] bool SharedMemoryPassage::go_on()
{
    // Messages that this process sends go first: others wait for them.
    for (std::size_t i = written_; i < writes_.size(); ++i) {
        if (write(i) && i == written_) ++written_;
    }
    for (std::size_t i = read_; i < reads_.size(); ++i) {
        if (read(i) && i == read_) ++read_;
    }
    const bool is_over = written_ == writes_.size() && read_ == reads_.size();
    if (is_over && posted_->way) posted_->way->end();
    return is_over;
}

void SharedMemoryPassage::add_waiting_for(std::set<int>& ranks)
{
    for (std::size_t i = 0; i < writes_.size(); ++i)
        if (!writes_[i].done) ranks.insert(posted_->writes[i].message.partner);
    for (std::size_t i = 0; i < reads_.size(); ++i)
        if (!reads_[i].done) ranks.insert(posted_->reads[i].message.partner);
}

[[gnu::hot]] bool SharedMemoryPassage::is_ready(const transport::Messages& messages, std::set<int>* waits_for)
{
    bool all = true;
    for (const Write& write : static_cast<const SharedMemoryMessages&>(messages).writes) {
        if (write.channel->is_ready()) continue;
        all = false;
        if (waits_for == nullptr) break;
        waits_for->insert(write.message.partner);
    }
    return all;
}

void SharedMemoryPassage::give_up()
{
    for (std::size_t i = 0; i < writes_.size(); ++i) {
        Progress& progress = writes_[i];
        if (progress.posted != 0) posted_->writes[i].channel->ring().withdraw();
        progress.done = progress.done || progress.request == MPI_REQUEST_NULL;
    }
    for (Progress& progress : reads_)
        progress.done = progress.done || (progress.request == MPI_REQUEST_NULL && !progress.by_mpi);
}

bool SharedMemoryPassage::write(std::size_t i)
{
    Progress& progress = writes_[i];
    if (progress.done) return true;
    progress.done = progress.begun ? go_on_writing(i) : begin_to_write(i);
    return progress.done;
}

[[gnu::hot]] bool SharedMemoryPassage::begin_to_write(std::size_t i)
{
    const Write& write = posted_->writes[i];
    Progress& progress = writes_[i];
    if (progress.refused)
        return all_before_are_done(posted_->writes, writes_, i) &&
               write_row(write, progress, RingHead::Kind::again);
    if (write.after >= 0) {
        const Progress& before = writes_[static_cast<std::size_t>(write.after)];
        if (!before.done && before.posted == 0) return false;
    }
    Sender& channel = *write.channel;
    const bool is_read = write.access == Access::mapped ||
                         (write.access != Access::none && channel.may_be_read() &&
                          (tries_reading_ || !write.is_tried));
    if (channel.leads_nowhere() ||
        !channel.open(number_, is_read ? write.descriptor_bytes : write.message.bytes)) {
        send_by_mpi(write, progress);
        return is_through(progress);
    }
    if (!is_read || channel.too_small_for(write.descriptor_bytes))
        return write_row(write, progress, RingHead::Kind::message);
    std::byte* const row = channel.reserve(number_, write.descriptor_bytes, kind_of(write.access));
    if (row == nullptr) return false;
    if (write.on_device)
        write_descriptor(*write.on_device, row);
    else
        write_descriptors(write.message.parts, write.access, row);
    progress.begun = true;
    progress.posted = channel.post();
    return false; // nobody has read it yet
}

[[gnu::hot]] bool SharedMemoryPassage::write_row(const Write& write, Progress& progress, RingHead::Kind kind)
{
    Sender& channel = *write.channel;
    if (std::byte* const row = channel.reserve(number_, write.message.bytes, kind)) {
        bring_to_host(write);
        attempt([&] { put(write.message, row, channel.ring().stores()); });
        channel.ring().commit();
        return true;
    }
    if (!channel.too_small_for(write.message.bytes)) return false;
    if (!may_go_in_parts(write.message.parts, write.message.bytes, progress)) {
        // Its receiver gets an empty one, and goes on.
        if (channel.reserve(number_, 0, kind) == nullptr) return false;
        channel.ring().commit();
        return true;
    }
    if (!channel.begin(number_, write.message.bytes, kind)) return false;
    progress.begun = true;
    bring_to_host(write);
    if (progress.staging) attempt([&] { put(write.message, progress.staging.get()); });
    return write_parts(write, progress);
}

void SharedMemoryPassage::send_by_mpi(const Write& write, Progress& progress)
{
    progress.begun = true;
    bring_to_host(write);
    attempt([&] {
        if (const transport::DataLocation& place = write.message.place; place.count > 0) {
            mpi::check(PMPI_Isend(place.address, place.elements(), place.type, write.message.partner, tag_,
                                  private_comm_, &progress.request));
            return;
        }
        if (stage(progress, write.message.bytes)) put(write.message, progress.staging.get());
        with_row(progress.staging.get(), write.message.bytes, [&](const transport::DataLocation& row) {
            mpi::check(PMPI_Isend(row.address, row.elements(), row.type, write.message.partner, tag_,
                                  private_comm_, &progress.request));
        });
    });
}

/// For a channel that leads nowhere.
void SharedMemoryPassage::post_receive(const Read& read, Progress& progress)
{
    progress.begun = true;
    transport::DataLocation place = read.message.place;
    if (place.count == 0 && stage(progress, read.message.bytes)) {
        with_row(progress.staging.get(), read.message.bytes, [&](const transport::DataLocation& row) {
            mpi::check(PMPI_Irecv(row.address, row.elements(), row.type, read.message.partner, tag_,
                                  private_comm_, &progress.request));
        });
        return;
    }
    mpi::check(PMPI_Irecv(place.address, place.elements(), place.type, read.message.partner, tag_,
                          private_comm_, &progress.request));
}

/// A message by MPI; `read`: which it is, if it is received.
bool SharedMemoryPassage::is_through(Progress& progress, const Read* read)
{
    int flag = 0;
    attempt([&] {
        flag = 1; // or whatever is wrong would be so again
        const int code = runtime::test(&progress.request, &flag);
        if (code == MPI_SUCCESS) return;
        if (read == nullptr) throw mpi::Failure(code);
        transport::fail_receive(code, read->message.partner, static_cast<MPI_Count>(read->message.bytes),
                                labels_.contents_of(read->message.label));
    });
    return flag != 0;
}

bool SharedMemoryPassage::go_on_writing(std::size_t i)
{
    const Write& write = posted_->writes[i];
    Progress& progress = writes_[i];
    if (progress.request != MPI_REQUEST_NULL) return is_through(progress);
    if (progress.posted == 0) return write_parts(write, progress);
    Sender& channel = *write.channel;
    if (!channel.ring().is_read(progress.posted)) return false;
    channel.done_with_post();
    const std::uint64_t position = std::exchange(progress.posted, 0);
    // The reader reads data in the arena even if the system refuses other data.
    if (write.access == Access::mapped || !channel.ring().is_refused(position)) return true;
    channel.may_not_be_read();
    progress.begun = false;
    progress.refused = true;
    return begin_to_write(i);
}

bool SharedMemoryPassage::write_parts(const Write& write, Progress& progress)
{
    RingWriter& ring = write.channel->ring();
    if (progress.runs) {
        const std::size_t bytes = write.message.bytes - progress.offset;
        const std::size_t some = ring.write(
            bytes, [&](std::byte* to, std::size_t n) { progress.runs->gather(to, n); });
        progress.offset += some;
        return some == bytes && ring.end();
    }
    const transport::Piece staged{progress.staging.get(), write.message.bytes};
    const std::span<const transport::Piece> pieces = progress.staging ? std::span(&staged, 1)
                                                                      : write.message.parts.pieces;
    while (progress.piece < pieces.size()) {
        const transport::Piece& piece = pieces[progress.piece];
        const std::size_t some = ring.write(piece.address + progress.offset, piece.bytes - progress.offset);
        progress.offset += some;
        if (progress.offset < piece.bytes) return false;
        ++progress.piece;
        progress.offset = 0;
    }
    return ring.end();
}

[[gnu::hot]] bool SharedMemoryPassage::read(std::size_t i)
{
    Progress& progress = reads_[i];
    if (progress.done) return true;
    progress.done = progress.begun ? go_on_reading(posted_->reads[i], progress) : begin_to_read(i);
    return progress.done;
}

[[gnu::hot]] bool SharedMemoryPassage::begin_to_read(std::size_t i)
{
    const Read& read = posted_->reads[i];
    Progress& progress = reads_[i];
    if (progress.refused) {
        if (!all_before_are_done(posted_->reads, reads_, i)) return false;
    } else if (read.after >= 0) {
        const Progress& before = reads_[static_cast<std::size_t>(read.after)];
        if (!before.done && !before.refused) return false;
    }
    const auto found = read.channel->open(number_);
    if (found == Found::elsewhere) {
        progress.begun = true;
        attempt([&] { progress.by_mpi = std::make_unique<RowByMpi>(); });
        return progress.by_mpi == nullptr || receive_by_mpi(read, progress);
    }
    if (found == Found::nothing) return false;
    RingReader& ring = read.channel->ring();
    using Kind = RingHead::Kind;
    if ((ring.kind() == Kind::again) != progress.refused) return false; // another one waits for it
    if (ring.kind() == Kind::mapped || ring.kind() == Kind::remote) return take_remote(read, progress);
    if (ring.kind() == Kind::device) return take_from_device(read, progress);
    const auto length = static_cast<std::size_t>(ring.length());
    const std::byte* const row = ring.whole();
    note_room(length, read);
    if (row != nullptr) {
        attempt([&] { take(row, length, read.message); });
        ring.close();
        return true;
    }
    progress.begun = true;
    may_go_in_parts(read.message.parts, std::min(length, read.message.bytes), progress);
    return read_parts(read, progress);
}

/// A message that tells where its data lies, which comes in one piece.
bool SharedMemoryPassage::take_remote(const Read& read, Progress& progress)
{
    RingReader& ring = read.channel->ring();
    const bool is_mapped = ring.kind() == RingHead::Kind::mapped;
    attempt([&] {
        const RemoteData data(ring.whole(), static_cast<std::size_t>(ring.length()),
                              is_mapped ? reinterpret_cast<std::uintptr_t>(ring.arena()) : 0);
        const auto get = [&](const transport::Parts& to) {
            if (is_mapped)
                data.copy_to(to);
            else
                progress.refused = ring.has_refused() ||
                                   !data.read_to(to, posted_->process_of(read.message.partner));
        };
        const Message& message = read.message;
        const bool is_staged = message.parts.empty() ||
                               (!is_mapped && are_too_fine_to_read(message.parts, message.bytes));
        if (!is_staged || message.bytes == 0) {
            get(message.parts);
        } else {
            const auto staging = std::make_unique_for_overwrite<std::byte[]>(message.bytes);
            get({.pieces = {{staging.get(), message.bytes}}});
            if (!progress.refused) take(staging.get(), data.bytes(), message);
        }
        if (!progress.refused) require_room(data.bytes(), message, labels_);
    });
    // Its sender has given the operation up, and may have written over it: so will this process.
    if (ring.is_withdrawn()) return false;
    if (progress.refused) ring.refuse();
    ring.close();
    return !progress.refused;
}

/// A message that tells where its data lies on a device.
bool SharedMemoryPassage::take_from_device(const Read& read, Progress& progress)
{
    RingReader& ring = read.channel->ring();
    const std::span descriptor(ring.whole(), static_cast<std::size_t>(ring.length()));
    attempt([&] {
        progress.refused = ring.has_refused() || !begin_copies(descriptor, read.on_device.get());
        if (!progress.refused) require_room(bytes_described(descriptor), read.message, labels_);
    });
    if (progress.refused) {
        ring.refuse();
        ring.close();
        return false;
    }
    progress.begun = progress.copies = true;
    return is_copied(read);
}

bool SharedMemoryPassage::is_copied(const Read& read)
{
    bool is = true; // or whatever is wrong would be so again
    attempt([&] { is = read.on_device->transfer->are_copied(); });
    // Its sender has given the operation up, and so will this process.
    if (!is || read.channel->ring().is_withdrawn()) return false;
    read.channel->ring().close();
    return true;
}

bool SharedMemoryPassage::go_on_reading(const Read& read, Progress& progress)
{
    if (progress.copies) return is_copied(read);
    if (progress.by_mpi) return receive_by_mpi(read, progress);
    if (progress.request == MPI_REQUEST_NULL) return read_parts(read, progress);
    if (!is_through(progress, &read)) return false;
    if (!progress.staging) return true;
    attempt([&] { take(progress.staging.get(), read.message.bytes, read.message); });
    progress.staging.reset();
    return true;
}

bool SharedMemoryPassage::receive_by_mpi(const Read& read, Progress& progress)
{
    bool is_here = true; // or whatever is wrong would be so again
    attempt([&] { is_here = progress.by_mpi->advance(read.message, labels_, tag_, private_comm_); });
    if (is_here) progress.by_mpi.reset();
    return is_here;
}

bool SharedMemoryPassage::read_parts(const Read& read, Progress& progress)
{
    RingReader& ring = read.channel->ring();
    if (progress.runs) {
        const std::size_t bytes = std::min(read.message.bytes - progress.offset, ring.left());
        const std::size_t some = ring.read(
            bytes, [&](const std::byte* from, std::size_t n) { progress.runs->spread(from, n); });
        progress.offset += some;
        if (some < bytes) return false;
        progress.runs.reset();
    }
    const transport::Piece staged{progress.staging.get(),
                                  std::min(static_cast<std::size_t>(ring.length()), read.message.bytes)};
    const std::span<const transport::Piece> pieces = progress.staging ? std::span(&staged, 1)
                                                                      : read.message.parts.pieces;
    while (ring.left() > 0) {
        // Data for which there is no room is read, too.
        const bool in_place = progress.piece < pieces.size();
        const std::size_t room = in_place ? pieces[progress.piece].bytes - progress.offset : ring.left();
        const std::size_t bytes = std::min(room, ring.left());
        const std::size_t some = ring.read(
            in_place ? pieces[progress.piece].address + progress.offset : nullptr, bytes);
        progress.offset += some;
        if (some < bytes) return false;
        if (in_place && progress.offset == pieces[progress.piece].bytes) {
            ++progress.piece;
            progress.offset = 0;
        }
    }
    if (!ring.is_complete()) return false;
    if (progress.staging) {
        attempt([&] { take(staged.address, staged.bytes, read.message); });
        progress.staging.reset();
    }
    ring.close();
    return true;
}

/// Makes what a message needs that goes in parts.  False if there is no memory, of which the error tells.
bool SharedMemoryPassage::may_go_in_parts(const transport::Parts& parts, std::size_t bytes,
                                          Progress& progress)
{
    if (!parts.pieces.empty() || progress.runs || progress.staging) return true;
    if (parts.empty()) return stage(progress, bytes);
    attempt([&] { progress.runs = std::make_unique<transport::Runs>(parts); });
    return progress.runs != nullptr;
}

/// False if there is no memory, of which the error tells.
bool SharedMemoryPassage::stage(Progress& progress, std::size_t bytes)
{
    attempt([&] {
        progress.staging = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, bytes));
    });
    return progress.staging != nullptr;
}

class SharedMemory final : public transport::Transport {
public:
    SharedMemory(std::shared_ptr<ShmChannels> channels, MPI_Comm private_comm)
        : channels_(std::move(channels)),
          private_comm_(private_comm)
    {}

    bool reaches(int rank, std::size_t bytes, std::size_t mpi_messages) const override
    {
        return channels_->lead_to(rank) && channels_->take(bytes, mpi_messages);
    }
    std::unique_ptr<transport::Messages> bind() override
    {
        return std::make_unique<SharedMemoryMessages>(*channels_);
    }
    std::unique_ptr<transport::Passage> passage(const transport::Labels& labels) override
    {
        return std::make_unique<SharedMemoryPassage>(private_comm_, labels, channels_->may_be_full());
    }
    const char* words() const override { return "through shared memory"; }

private:
    std::shared_ptr<ShmChannels> channels_;
    MPI_Comm private_comm_;
};

} // namespace

std::shared_ptr<transport::Transport> shared_memory(std::shared_ptr<ShmChannels> channels,
                                                    MPI_Comm private_comm)
{
    return std::make_shared<SharedMemory>(std::move(channels), private_comm);
}

} // namespace ortho::nodequeue
