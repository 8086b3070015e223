// SPDX-License-Identifier: BSD-3-Clause
// A queue of messages from one process to another in memory that both see.  No MPI in this file.

#include "shm/ring.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ortho::shared {

bool RingWriter::has_room(std::uint64_t bytes)
{
    if (room() >= bytes) return true;
    read_ = memory_->read.load(std::memory_order_acquire);
    return room() >= bytes;
}

void RingWriter::put_head(std::uint64_t position, const RingHead& head)
{
    std::memcpy(bytes_ + (position & (memory_->capacity - 1)), &head, sizeof head);
}

bool RingWriter::may_begin_again(std::uint64_t bytes, std::uint64_t index)
{
    constexpr std::uint64_t large = 4096;
    if (bytes < large || index == 0 || memory_->grain > sizeof(RingHead)) return false;
    read_ = memory_->read.load(std::memory_order_acquire);
    return read_ == written_ && index >= bytes;
}

std::byte* RingWriter::reserve(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
{
    if (in_parts_) return nullptr;
    const std::uint64_t bytes = ring_bytes(length, memory_->grain);
    const std::uint64_t index = written_ & (memory_->capacity - 1);
    const std::uint64_t to_end = memory_->capacity - index;
    std::uint64_t begin = written_;
    if (bytes > to_end || may_begin_again(bytes, index)) {
        if (!has_room(to_end + bytes)) return nullptr;
        put_head(written_, {RingHead::Kind::skip, 0, to_end - sizeof(RingHead)});
        begin += to_end;
    } else if (!has_room(bytes)) {
        return nullptr;
    }
    put_head(begin, {kind, tag, length});
    reserved_ = begin + bytes;
    return bytes_ + (begin & (memory_->capacity - 1)) + sizeof(RingHead);
}

bool RingWriter::begin(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
{
    if (in_parts_ || !has_room(sizeof(RingHead))) return false;
    in_parts_ = true;
    put_head(written_, {kind, tag, length});
    reserved_ = written_ + ring_bytes(length, memory_->grain);
    publish(written_ + sizeof(RingHead));
    return true;
}

std::size_t RingWriter::write(const std::byte* from, std::size_t bytes)
{
    if (bytes == 0 || !has_room(1)) return 0;
    if (room() < bytes) has_room(bytes); // look again
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, room()));
    const std::uint64_t index = written_ & (memory_->capacity - 1);
    const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(some, memory_->capacity - index));
    std::memcpy(bytes_ + index, from, first);
    std::memcpy(bytes_, from + first, some - first);
    publish(written_ + some);
    return some;
}

bool RingWriter::end()
{
    if (!has_room(reserved_ - written_)) return false; // for what fills up the grain
    publish(reserved_);
    in_parts_ = false;
    return true;
}

void RingWriter::move_to(std::uint64_t offset)
{
    put_head(written_, {RingHead::Kind::moved, 0, offset});
    publish(written_ + sizeof(RingHead));
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
    // What fills up the last grain may have been given back before it was written.
    const auto enough = [&] { return written_ >= read_ && written_ - read_ >= bytes; };
    if (enough()) return true;
    written_ = memory_->written.load(std::memory_order_acquire);
    return enough();
}

bool RingReader::open(std::uint32_t tag)
{
    for (;;) {
        if (!open_) {
            if (!has(sizeof(RingHead))) return false;
            RingHead head{};
            std::memcpy(&head, bytes_ + (read_ & (memory_->capacity - 1)), sizeof head);
            if (head.kind == RingHead::Kind::skip) {
                give_back(read_ + sizeof head + head.length);
                continue;
            }
            if (head.kind == RingHead::Kind::moved) {
                give_back(read_ + sizeof head);
                go_to(head.length);
                continue;
            }
            open_ = true;
            kind_ = head.kind;
            tag_ = head.tag;
            length_ = head.length;
            begin_ = read_;
            next_ = 0;
        }
        if (tag_ == tag) return true;
        if (tag - tag_ > std::numeric_limits<std::uint32_t>::max() / 2) return false; // one that comes later
        read(nullptr, static_cast<std::size_t>(length_ - next_));
        if (next_ < length_) return false;
        close();
    }
}

const std::byte* RingReader::whole()
{
    const std::uint64_t index = (begin_ & (memory_->capacity - 1)) + sizeof(RingHead);
    if (next_ > 0 || index + length_ > memory_->capacity || !has(sizeof(RingHead) + length_)) return nullptr;
    return bytes_ + index;
}

std::size_t RingReader::read(std::byte* to, std::size_t bytes)
{
    if (bytes == 0) return 0;
    if (next_ == 0) {
        // The head goes back with the first bytes.
        if (!has(sizeof(RingHead) + 1)) return 0;
        read_ += sizeof(RingHead);
    }
    if (!has(1)) return 0;
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, written_ - read_));
    if (to != nullptr) {
        const std::uint64_t index = read_ & (memory_->capacity - 1);
        const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(some, memory_->capacity - index));
        std::memcpy(to, bytes_ + index, first);
        std::memcpy(to + first, bytes_, some - first);
    }
    next_ += some;
    give_back(read_ + some);
    return some;
}

void RingReader::refuse()
{
    if (!has_refused())
        memory_->refused.store(begin_ + ring_bytes(length_, memory_->grain), std::memory_order_relaxed);
}

void RingReader::close()
{
    open_ = false;
    give_back(begin_ + ring_bytes(length_, memory_->grain));
}

} // namespace ortho::shared
