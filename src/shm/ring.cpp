// SPDX-License-Identifier: BSD-3-Clause
// A queue of messages from one process to another in memory that both see.  No MPI in this file.

#include "shm/ring.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace ortho::shared {

namespace {

constexpr std::uint32_t word(RingHead::Kind kind) { return static_cast<std::uint32_t>(kind); }

/// This line will be written: it leaves the other core's cache meanwhile.
void prefetch_to_write(const std::byte* line)
{
#ifdef __x86_64__ // the compiler's own is this one only where it is told which processor
    asm volatile("prefetchw %0" : : "m"(*line));
#else
    __builtin_prefetch(line, 1);
#endif
}

} // namespace

bool RingWriter::has_room(std::uint64_t bytes)
{
    if (room() >= bytes) return true;
    read_ = memory_->read.load(std::memory_order_acquire);
    return room() >= bytes;
}

void RingWriter::put_head(std::uint64_t position, std::uint32_t tag, std::uint64_t length)
{
    std::byte* const head = bytes_ + (position & (memory_->capacity - 1));
    std::memcpy(head + offsetof(RingHead, tag), &tag, sizeof tag);
    std::memcpy(head + offsetof(RingHead, length), &length, sizeof length);
}

void RingWriter::put_nothing(std::uint64_t position)
{
    // Where heads are fixed the reader does it: the message there may not have been read.
    if (memory_->heads_are_fixed()) return;
    memory_->kind_at(position).store(word(RingHead::Kind::nothing), std::memory_order_relaxed);
}

bool RingWriter::may_begin_again(std::uint64_t bytes, std::uint64_t index)
{
    constexpr std::uint64_t large = 4096;
    if (!begins_again_ || bytes < large || index < std::max(bytes + behind(), round_trip) ||
        memory_->heads_are_fixed())
        return false;
    read_ = memory_->read.load(std::memory_order_acquire);
    return read_ == written_;
}

std::byte* RingWriter::reserve(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
{
    if (in_parts_) return nullptr;
    const std::uint64_t bytes = ring_bytes(length, memory_->grain);
    const std::uint64_t index = written_ & (memory_->capacity - 1);
    const std::uint64_t to_end = memory_->capacity - index;
    std::uint64_t begin = written_;
    if (bytes > to_end || may_begin_again(bytes, index)) {
        if (!has_room(to_end + bytes + behind())) return nullptr;
        begin += to_end;
    } else if (!has_room(bytes + behind())) {
        return nullptr;
    }
    put_head(begin, tag, length);
    begin_ = begin;
    kind_ = kind;
    reserved_ = begin + bytes;
    return bytes_ + (begin & (memory_->capacity - 1)) + sizeof(RingHead);
}

void RingWriter::commit()
{
    put_nothing(reserved_);
    publish(begin_, word(kind_));
    if (begin_ != written_) {
        // The reader gets to the message by this.
        put_head(written_, 0, begin_ - written_ - sizeof(RingHead));
        publish(written_, word(RingHead::Kind::skip));
    }
    const std::uint64_t bytes = reserved_ - begin_;
    written_ = reserved_;
    prefetch(bytes);
}

/// The next message is like the last one.  Its head's line is not for us yet: the reader looks at it.
void RingWriter::prefetch(std::uint64_t bytes)
{
    constexpr std::uint64_t line = 64;
    constexpr std::uint64_t most = 8 << 10;
    const std::uint64_t index = written_ & (memory_->capacity - 1);
    const std::uint64_t end = std::min(memory_->capacity, index + std::min(bytes, most));
    for (std::uint64_t i = (index | (line - 1)) + 1; i < end; i += line) prefetch_to_write(bytes_ + i);
}

bool RingWriter::begin(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
{
    if (in_parts_ || !has_room(sizeof(RingHead))) return false;
    in_parts_ = true;
    const std::uint64_t begin = written_;
    put_head(begin, tag, length);
    reserved_ = begin + ring_bytes_in_parts(length, memory_->grain);
    publish_bytes(begin + sizeof(RingHead));
    publish(begin, word(kind) | RingHead::in_parts);
    return true;
}

bool RingWriter::end()
{
    if (!has_room(reserved_ - written_ + behind())) return false;
    put_nothing(reserved_);
    publish_bytes(reserved_);
    in_parts_ = false;
    return true;
}

void RingWriter::move_to(std::uint64_t offset)
{
    put_head(written_, 0, offset);
    publish(written_, word(RingHead::Kind::moved));
    written_ += sizeof(RingHead);
}

void RingWriter::leave()
{
    put_head(written_, 0, 0);
    publish(written_, word(RingHead::Kind::left));
    written_ += sizeof(RingHead);
}

void RingReader::go_to(std::uint64_t offset)
{
    memory_ = reinterpret_cast<RingMemory*>(arena_ + offset);
    bytes_ = reinterpret_cast<const std::byte*>(memory_ + 1);
    read_ = 0;
    written_ = 0;
}

bool RingReader::has(std::uint64_t bytes)
{
    // Messages in one piece are not counted.
    const auto enough = [&] { return written_ >= read_ && written_ - read_ >= bytes; };
    if (enough()) return true;
    written_ = memory_->written.load(std::memory_order_acquire);
    return enough();
}

bool RingReader::open(std::uint32_t tag)
{
    for (;;) {
        if (!open_) {
            const std::uint32_t kind = memory_->kind_at(read_).load(std::memory_order_acquire);
            if (kind == word(RingHead::Kind::nothing) || kind == word(RingHead::Kind::left)) return false;
            RingHead head{};
            std::memcpy(&head, bytes_ + (read_ & (memory_->capacity - 1)), sizeof head);
            if (kind == word(RingHead::Kind::skip)) {
                give_back(read_ + sizeof head + head.length);
                continue;
            }
            if (kind == word(RingHead::Kind::moved)) {
                give_back(read_ + sizeof head);
                go_to(head.length);
                continue;
            }
            open_ = true;
            in_parts_ = (kind & RingHead::in_parts) != 0;
            kind_ = static_cast<RingHead::Kind>(kind & ~RingHead::in_parts);
            tag_ = head.tag;
            length_ = head.length;
            begin_ = read_;
            next_ = 0;
        }
        if (tag_ == tag) return true;
        if (tag - tag_ > std::numeric_limits<std::uint32_t>::max() / 2) return false; // one that comes later
        if (in_parts_) read(nullptr, static_cast<std::size_t>(length_ - next_));
        if (!is_complete()) return false;
        close();
    }
}

bool RingReader::is_left() const
{
    return !open_ && memory_->kind_at(read_).load(std::memory_order_acquire) == word(RingHead::Kind::left);
}

const std::byte* RingReader::whole() const
{
    return in_parts_ ? nullptr : bytes_ + (begin_ & (memory_->capacity - 1)) + sizeof(RingHead);
}

bool RingReader::is_complete()
{
    if (!in_parts_) return true;
    if (written_ < end()) written_ = memory_->written.load(std::memory_order_acquire);
    return written_ >= end();
}

void RingReader::refuse()
{
    if (!has_refused()) memory_->refused.store(end(), std::memory_order_relaxed);
}

void RingReader::close()
{
    open_ = false;
    if (memory_->heads_are_fixed())
        memory_->kind_at(begin_).store(word(RingHead::Kind::nothing), std::memory_order_relaxed);
    give_back(end());
}

Found find_ring(std::byte* arena, const Mailbox& mailbox, std::uint32_t number, RingReader& ring)
{
    const std::uint64_t word = mailbox.load();
    if (word == 0) return Found::nothing;
    if (Mailbox::is_no_ring(word))
        return is_before(Mailbox::number_of(word), number) ? Found::nothing : Found::elsewhere;
    const RingReader found(arena, word);
    if (is_before(number, found.first())) return Found::elsewhere; // it was sent before there was a ring
    ring = found;
    return Found::message;
}

} // namespace ortho::shared
