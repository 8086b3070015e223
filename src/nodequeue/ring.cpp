// SPDX-License-Identifier: BSD-3-Clause
// A queue of messages from one process to another in memory that both see.  No MPI in this file.

#include "nodequeue/ring.hpp"

#include <limits>

namespace ortho::nodequeue {

[[gnu::hot]] bool RingWriter::begin(std::uint32_t tag, std::uint64_t length, RingHead::Kind kind)
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

[[gnu::hot]] bool RingWriter::end()
{
    if (!has_room(reserved_ - written_ + behind())) return false;
    put_nothing(reserved_);
    publish_bytes(reserved_);
    in_parts_ = false;
    return true;
}

[[gnu::hot]] void RingWriter::move_to(std::uint64_t offset)
{
    put_head(written_, 0, offset);
    publish(written_, word(RingHead::Kind::moved));
    written_ += sizeof(RingHead);
}

[[gnu::hot]] void RingWriter::leave()
{
    put_head(written_, 0, 0);
    publish(written_, word(RingHead::Kind::left));
    written_ += sizeof(RingHead);
}

[[gnu::hot]] void RingReader::go_to(std::uint64_t offset)
{
    memory_ = reinterpret_cast<RingMemory*>(arena_ + offset);
    if constexpr (is_watched) {
        // ThreadSanitizer does not see that the writer's process has freed memory and given it out again.
        // These lines tell it that what follows comes after all that threads of this process have done
        // before they gave memory of the arena back, and after the counts of that, wherever they lay.
        acquire_in_watcher(arena_);
        std::byte* const begin = arena_ + offset;
        std::size_t done = 0;
        for (; done < sizeof(RingMemory); done += 8) acquire_in_watcher(begin + done);
        for (; done < sizeof(RingMemory) + memory_->capacity; done += 8) acquire_in_watcher(begin + done);
    }
    read_ = 0;
    written_ = 0;
}

[[gnu::hot]] bool RingReader::has(std::uint64_t bytes)
{
    // Messages in one piece are not counted.
    const auto enough = [&] { return written_ >= read_ && written_ - read_ >= bytes; };
    if (enough()) return true;
    written_ = memory_->written.load(std::memory_order_acquire);
    return enough();
}

[[gnu::hot]] bool RingReader::find(std::uint32_t tag)
{
    for (;;) {
        if (!open_) {
            const std::uint32_t kind = memory_->kind_at(read_).load(std::memory_order_acquire);
            if (kind == word(RingHead::Kind::nothing) || kind == word(RingHead::Kind::left)) return false;
            RingHead head{};
            std::memcpy(&head, base() + (read_ & (memory_->capacity - 1)), sizeof head);
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

[[gnu::hot]] bool RingReader::is_complete()
{
    if (!in_parts_) return true;
    if (written_ < end()) written_ = memory_->written.load(std::memory_order_acquire);
    return written_ >= end();
}

void RingReader::refuse()
{
    if (!has_refused()) memory_->refused.store(end(), std::memory_order_relaxed);
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

} // namespace ortho::nodequeue
