// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase that go through shared memory, on their way.

#include "engine/transfers.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/error.hpp"
#include "engine/copy.hpp"
#include "engine/tags.hpp"
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

/// The pieces' first bytes.
void spread_some(const std::byte* row, std::size_t bytes, std::span<const Piece> pieces)
{
    for (const Piece& piece : pieces) {
        const std::size_t some = std::min(bytes, piece.bytes);
        const Piece part{piece.address, some};
        spread(row, {&part, 1});
        row += some;
        bytes -= some;
    }
}

void put(const Write& write, std::byte* row)
{
    if (!write.message.pieces.empty())
        gather(write.message.pieces, row);
    else if (write.bytes > 0)
        with_row(row, write.bytes, [&](const Place& to) { copy(write.message.place, to); });
}

void take(const std::byte* row, std::size_t bytes, const Read& read)
{
    if (!read.message.pieces.empty()) {
        if (bytes == read.bytes)
            spread(row, read.message.pieces);
        else
            spread_some(row, bytes, read.message.pieces);
    } else if (bytes > 0) {
        with_row(const_cast<std::byte*>(row), bytes, [&](const Place& from) { copy(from, read.message.place); });
    }
}

} // namespace

void Transfers::begin(const BoundPhase& phase, int tag)
{
    phase_ = &phase;
    tag_ = static_cast<std::uint32_t>(tag);
    error_ = nullptr;
    written_ = 0;
    read_ = 0;
    writes_.clear();
    reads_.clear();
    writes_.resize(phase.writes.size());
    reads_.resize(phase.reads.size());
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

bool Transfers::has_arrived(std::size_t read)
{
    return this->read(read);
}

void Transfers::note(std::exception_ptr error)
{
    if (!error_) error_ = std::move(error);
}

bool Transfers::write(std::size_t i)
{
    Progress& progress = writes_[i];
    if (progress.done) return true;
    const Write& write = phase_->writes[i];
    if (write.after >= 0 && !writes_[static_cast<std::size_t>(write.after)].done) return false;
    if (!progress.begun) {
        if (std::byte* const row = write.line->reserve(tag_, write.bytes)) {
            try {
                put(write, row);
            } catch (...) {
                note(std::current_exception()); // the partner waits for a message whatever it holds
            }
            write.line->ring().commit();
            progress.done = true;
            return true;
        }
        if (!write.line->too_small_for(write.bytes) || !write.line->ring().begin(tag_, write.bytes)) return false;
        progress.begun = true;
        if (write.message.pieces.empty()) {
            stage(progress, write.bytes);
            try {
                put(write, progress.staged.address);
            } catch (...) {
                note(std::current_exception());
            }
        }
    }
    progress.done = write_parts(write, progress);
    return progress.done;
}

bool Transfers::write_parts(const Write& write, Progress& progress)
{
    shared::RingWriter& ring = write.line->ring();
    const std::span<const Piece> pieces =
        progress.staging ? std::span<const Piece>(&progress.staged, 1) : std::span<const Piece>(write.message.pieces);
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
    if (!progress.begun) {
        if (!read.line->open(tag_, Tags::number)) return false;
        const auto length = static_cast<std::size_t>(read.line->ring().length());
        if (length > read.bytes) {
            try {
                base::fail(base::ErrorKind::truncate, "recvcount", "a message of ", length, " bytes from rank ",
                           read.message.partner, ", for which there is room for ", read.bytes);
            } catch (...) {
                note(std::current_exception());
            }
        }
        if (const std::byte* const row = read.line->ring().whole()) {
            try {
                take(row, std::min(length, read.bytes), read);
            } catch (...) {
                note(std::current_exception());
            }
            read.line->ring().close();
            progress.done = true;
            return true;
        }
        progress.begun = true;
        if (read.message.pieces.empty()) stage(progress, std::min(length, read.bytes));
    }
    progress.done = read_parts(read, progress);
    return progress.done;
}

bool Transfers::read_parts(const Read& read, Progress& progress)
{
    shared::RingReader& ring = read.line->ring();
    const std::span<const Piece> pieces =
        progress.staging ? std::span<const Piece>(&progress.staged, 1) : std::span<const Piece>(read.message.pieces);
    while (ring.left() > 0) {
        // What there is no room for is read, too.
        const bool in_place = progress.piece < pieces.size();
        const std::size_t room = in_place ? pieces[progress.piece].bytes - progress.offset : ring.left();
        const std::size_t bytes = std::min(room, ring.left());
        const std::size_t some =
            ring.read(in_place ? pieces[progress.piece].address + progress.offset : nullptr, bytes);
        progress.offset += some;
        if (some < bytes) return false;
        if (in_place && progress.offset == pieces[progress.piece].bytes) {
            ++progress.piece;
            progress.offset = 0;
        }
    }
    if (progress.staging) {
        try {
            take(progress.staged.address, std::min(progress.staged.bytes, static_cast<std::size_t>(ring.length())), read);
        } catch (...) {
            note(std::current_exception());
        }
        progress.staging.reset();
    }
    ring.close();
    return true;
}

void Transfers::stage(Progress& progress, std::size_t bytes)
{
    progress.staging = std::make_unique_for_overwrite<std::byte[]>(std::max<std::size_t>(1, bytes));
    progress.staged = {progress.staging.get(), bytes};
}

} // namespace ortho::engine
