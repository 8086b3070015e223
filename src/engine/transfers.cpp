// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase that go through shared memory, on their way.

#include "engine/transfers.hpp"

#include <algorithm>
#include <climits>

#include "base/error.hpp"
#include "engine/copy.hpp"
#include "engine/placed.hpp"
#include "mpi/datatype.hpp"
#include "mpi/wait.hpp"

namespace ortho::engine {

namespace {

/// Calls use(place of that many bytes in a row).
template <class Use>
void with_row(std::byte* row, std::size_t bytes, Use use)
{
    if (bytes <= INT_MAX) {
        use(Place{row, static_cast<int>(bytes), MPI_BYTE});
        return;
    }
    const mpi::Datatype type = mpi::Datatype::of_bytes(static_cast<MPI_Aint>(bytes));
    MPI_Datatype handle = type.get();
    use(Place{row, 1, handle});
}

void put(const Write& write, std::byte* row)
{
    if (!write.message.parts.empty())
        gather(write.message.parts, row);
    else if (write.bytes > 0)
        with_row(row, write.bytes, [&](const Place& to) { copy(write.message.place, to); });
}

void take(const std::byte* row, std::size_t bytes, const Read& read)
{
    if (read.message.parts.empty()) {
        if (bytes > 0)
            with_row(const_cast<std::byte*>(row), bytes,
                     [&](const Place& from) { copy(from, read.message.place); });
    } else if (bytes == read.bytes) {
        spread(row, read.message.parts);
    } else {
        spread_some(row, bytes, read.message.parts);
    }
}

/// What directions in a row lead to.  Returns how many bytes that is.
std::size_t take_placed(const std::byte* row, const shared::RingReader& ring, const Read& read)
{
    const auto follow = [&](const Parts& to) {
        return follow_directions(row, static_cast<std::size_t>(ring.length()), ring.arena(), to);
    };
    if (!read.message.parts.empty() || read.bytes == 0) return follow(read.message.parts);
    const auto staging = std::make_unique_for_overwrite<std::byte[]>(read.bytes);
    const std::size_t length = follow({.pieces = {{staging.get(), read.bytes}}});
    take(staging.get(), std::min(length, read.bytes), read);
    return length;
}

} // namespace

void Transfers::begin(const BoundPhase& phase, std::uint32_t number)
{
    phase_ = &phase;
    number_ = number;
    error_ = nullptr;
    written_ = 0;
    read_ = 0;
    writes_.clear();
    reads_.clear();
    writes_.resize(phase.writes.size());
    reads_.resize(phase.reads.size());
    for (std::size_t i = 0; i < reads_.size(); ++i)
        if (phase.reads[i].line->leads_nowhere()) attempt([&] { post_receive(phase.reads[i], reads_[i]); });
}

bool Transfers::advance()
{
    if (phase_ == nullptr) return true;
    // What others wait for goes first.
    for (std::size_t i = written_; i < writes_.size(); ++i) {
        if (write(i) && i == written_) ++written_;
    }
    for (std::size_t i = read_; i < reads_.size(); ++i) {
        if (read(i) && i == read_) ++read_;
    }
    if (written_ == writes_.size() && read_ == reads_.size()) return true;
    mpi::Patience::look_aside();
    return false;
}

bool Transfers::has_arrived(std::size_t read) { return this->read(read); }

void Transfers::add_waiting_for(std::set<int>& ranks) const
{
    if (phase_ == nullptr) return;
    for (std::size_t i = 0; i < writes_.size(); ++i)
        if (!writes_[i].done) ranks.insert(phase_->writes[i].message.partner);
    for (std::size_t i = 0; i < reads_.size(); ++i)
        if (!reads_[i].done) ranks.insert(phase_->reads[i].message.partner);
}

template <class Action>
void Transfers::attempt(Action action)
{
    try {
        action();
    } catch (...) {
        if (!error_) error_ = std::current_exception(); // the partner goes on whatever happens here
    }
}

void Transfers::require_room(std::size_t length, const Read& read)
{
    if (length <= read.bytes) [[likely]]
        return;
    attempt([&] {
        base::fail(base::ErrorKind::truncate, "recvcount", "rank ", read.message.partner, " sends ", length,
                   " bytes, and there is room for ", read.bytes, " in ",
                   binding_->contents_of(*phase_, read.message));
    });
}

bool Transfers::write(std::size_t i)
{
    Progress& progress = writes_[i];
    if (progress.done) return true;
    const Write& write = phase_->writes[i];
    if (write.after >= 0 && !writes_[static_cast<std::size_t>(write.after)].done) return false;
    progress.done = progress.begun ? go_on_writing(write, progress) : begin_to_write(write, progress);
    return progress.done;
}

bool Transfers::begin_to_write(const Write& write, Progress& progress)
{
    shared::Sender& line = *write.line;
    if (line.leads_nowhere() || !line.open(number_, write.directions > 0 ? write.directions : write.bytes)) {
        send_by_mpi(write, progress);
        return is_through(progress);
    }
    if (write.directions > 0 && !line.too_small_for(write.directions)) {
        std::byte* const row = line.reserve(number_, write.directions, shared::RingHead::Kind::placed);
        if (row == nullptr) return false;
        write_directions(write.message.parts, row);
        line.ring().commit();
        progress.begun = true;
        progress.posted = line.ring().position();
        return go_on_writing(write, progress);
    }
    if (std::byte* const row = line.reserve(number_, write.bytes)) {
        attempt([&] { put(write, row); });
        line.ring().commit();
        return true;
    }
    if (!line.too_small_for(write.bytes)) return false;
    const bool is_staged = write.message.parts.pieces.empty();
    if (is_staged && !progress.staging && !stage(progress, write.bytes)) {
        // Its receiver gets an empty one, and goes on.
        if (line.reserve(number_, 0) == nullptr) return false;
        line.ring().commit();
        return true;
    }
    if (!line.begin(number_, write.bytes)) return false;
    progress.begun = true;
    if (is_staged) attempt([&] { put(write, progress.staged.address); });
    return go_on_writing(write, progress);
}

void Transfers::send_by_mpi(const Write& write, Progress& progress)
{
    progress.begun = true;
    attempt([&] {
        if (const Place& place = write.message.place; place.count > 0) {
            mpi::check(PMPI_Isend(place.address, place.count, place.type, write.message.partner, tag_,
                                  channel_, &progress.request));
            return;
        }
        if (stage(progress, write.bytes)) put(write, progress.staged.address);
        with_row(progress.staged.address, progress.staged.bytes, [&](const Place& row) {
            mpi::check(PMPI_Isend(row.address, row.count, row.type, write.message.partner, tag_, channel_,
                                  &progress.request));
        });
    });
}

/// Of a line that leads nowhere.
void Transfers::post_receive(const Read& read, Progress& progress)
{
    progress.begun = true;
    Place place = read.message.place;
    if (place.count == 0 && stage(progress, read.bytes)) {
        with_row(progress.staged.address, progress.staged.bytes, [&](const Place& row) {
            mpi::check(PMPI_Irecv(row.address, row.count, row.type, read.message.partner, tag_, channel_,
                                  &progress.request));
        });
        return;
    }
    mpi::check(PMPI_Irecv(place.address, place.count, place.type, read.message.partner, tag_, channel_,
                          &progress.request));
}

/// If the message is there.
void Transfers::receive_by_mpi(const Read& read, Progress& progress)
{
    int flag = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    mpi::check(PMPI_Improbe(read.message.partner, tag_, channel_, &flag, &message, &status));
    if (flag == 0) return;
    progress.begun = true;
    MPI_Count bytes = 0;
    mpi::check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
    stage(progress, static_cast<std::size_t>(bytes));
    with_row(progress.staged.address, progress.staged.bytes, [&](const Place& row) {
        mpi::check(PMPI_Imrecv(row.address, row.count, row.type, &message, &progress.request));
    });
}

/// A message by MPI; `read`: which it is, if it is received.
bool Transfers::is_through(Progress& progress, const Read* read)
{
    int flag = 0;
    attempt([&] {
        flag = 1; // or whatever is wrong would be so again
        const int code = mpi::test(&progress.request, &flag);
        if (code == MPI_SUCCESS) return;
        if (read == nullptr) throw mpi::Failure(code);
        binding_->fail(code, *phase_, read->message, static_cast<MPI_Count>(read->bytes));
    });
    return flag != 0;
}

bool Transfers::go_on_writing(const Write& write, Progress& progress)
{
    if (progress.request != MPI_REQUEST_NULL) return is_through(progress);
    if (progress.posted > 0) return write.line->ring().is_read(progress.posted);
    return write_parts(write, progress);
}

bool Transfers::write_parts(const Write& write, Progress& progress)
{
    shared::RingWriter& ring = write.line->ring();
    const std::span<const Piece> pieces = progress.staging
                                              ? std::span<const Piece>(&progress.staged, 1)
                                              : std::span<const Piece>(write.message.parts.pieces);
    while (progress.piece < pieces.size()) {
        const Piece& piece = pieces[progress.piece];
        const std::size_t some = ring.write(piece.address + progress.offset, piece.bytes - progress.offset);
        progress.offset += some;
        if (progress.offset < piece.bytes) return false;
        ++progress.piece;
        progress.offset = 0;
    }
    return ring.end();
}

bool Transfers::read(std::size_t i)
{
    Progress& progress = reads_[i];
    if (progress.done) return true;
    const Read& read = phase_->reads[i];
    if (read.after >= 0 && !reads_[static_cast<std::size_t>(read.after)].done) return false;
    progress.done = progress.begun ? go_on_reading(read, progress) : begin_to_read(read, progress);
    return progress.done;
}

bool Transfers::begin_to_read(const Read& read, Progress& progress)
{
    const auto found = read.line->open(number_);
    if (found == shared::Receiver::Found::elsewhere) {
        attempt([&] { receive_by_mpi(read, progress); });
        return progress.begun && go_on_reading(read, progress);
    }
    if (found == shared::Receiver::Found::nothing) return false;
    shared::RingReader& ring = read.line->ring();
    const auto length = static_cast<std::size_t>(ring.length());
    const std::byte* const row = ring.whole();
    if (ring.is_placed()) { // such a message comes in one piece
        attempt([&] { require_room(take_placed(row, ring, read), read); });
        ring.close();
        return true;
    }
    require_room(length, read);
    if (row != nullptr) {
        attempt([&] { take(row, std::min(length, read.bytes), read); });
        ring.close();
        return true;
    }
    progress.begun = true;
    if (read.message.parts.pieces.empty()) stage(progress, std::min(length, read.bytes));
    return read_parts(read, progress);
}

bool Transfers::go_on_reading(const Read& read, Progress& progress)
{
    if (progress.request == MPI_REQUEST_NULL) return read_parts(read, progress);
    if (!is_through(progress, &read)) return false;
    if (!progress.staging) return true;
    const std::size_t length = progress.staged.bytes;
    require_room(length, read);
    attempt([&] { take(progress.staged.address, std::min(length, read.bytes), read); });
    progress.staging.reset();
    return true;
}

bool Transfers::read_parts(const Read& read, Progress& progress)
{
    shared::RingReader& ring = read.line->ring();
    const std::span<const Piece> pieces = progress.staging
                                              ? std::span<const Piece>(&progress.staged, 1)
                                              : std::span<const Piece>(read.message.parts.pieces);
    while (ring.left() > 0) {
        // What there is no room for is read, too.
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
    if (progress.staging) {
        attempt([&] { take(progress.staged.address, progress.staged.bytes, read); });
        progress.staging.reset();
    }
    ring.close();
    return true;
}

/// False if there is no memory, of which the error tells.
bool Transfers::stage(Progress& progress, std::size_t bytes)
{
    attempt([&] {
        progress.staging = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, bytes));
        progress.staged = {progress.staging.get(), bytes};
    });
    return progress.staging != nullptr;
}

} // namespace ortho::engine
