// SPDX-License-Identifier: BSD-3-Clause
// A row of bytes written with stores past the caches.  No MPI in this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ortho::transport {

#ifdef __SSE2__
/// Writes a row with stores past the caches.  Short runs are gathered in a buffer first.
class RowPastCaches {
public:
    explicit RowPastCaches(std::byte* row)
        : line_(row - offset_in_line(row)),
          begin_(offset_in_line(row)),
          fill_(begin_)
    {}

    template <class Bytes>
    void append(const std::byte* from, Bytes bytes)
    {
        if (fill_ + bytes <= buffer_.size()) [[likely]] {
            std::memcpy(buffer_.data() + fill_, from, bytes);
            fill_ += bytes;
            return;
        }
        append_long(from, bytes);
    }
    /// Nothing follows.  Others see the row before all that is written after this.
    void end()
    {
        write_lines();
        std::memcpy(line_ + begin_, buffer_.data() + begin_, fill_ - begin_);
        _mm_sfence();
    }

private:
    static constexpr std::size_t line = 64;
    static std::size_t offset_in_line(const std::byte* at)
    {
        return reinterpret_cast<std::uintptr_t>(at) & (line - 1);
    }

    void append_long(const std::byte* from, std::size_t bytes)
    {
        while (fill_ + bytes > buffer_.size()) {
            const std::size_t some = fill_ % line == 0 ? 0 : line - fill_ % line; // it ends a line
            std::memcpy(buffer_.data() + fill_, from, some);
            fill_ += some;
            from += some;
            bytes -= some;
            write_lines();
            for (; bytes >= line; bytes -= line, from += line, line_ += line) write_line(from);
        }
        std::memcpy(buffer_.data() + fill_, from, bytes);
        fill_ += bytes;
    }
    /// The whole lines of the buffer; what is left is at its beginning then.
    void write_lines()
    {
        if (fill_ < line) return;
        const std::byte* from = buffer_.data();
        if (begin_ > 0) { // somebody else's bytes lie before
            std::memcpy(line_ + begin_, from + begin_, line - begin_);
            from += line;
            line_ += line;
            begin_ = 0;
        }
        const std::byte* const end = buffer_.data() + fill_;
        for (; from + line <= end; from += line, line_ += line) write_line(from);
        fill_ = static_cast<std::size_t>(end - from);
        std::memmove(buffer_.data(), from, fill_);
    }
    void write_line(const std::byte* from) const
    {
        for (std::size_t i = 0; i < line; i += sizeof(__m128i))
            _mm_stream_si128(reinterpret_cast<__m128i*>(line_ + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }

    alignas(64) std::array<std::byte, 1024> buffer_;
    std::byte* line_;   // where the buffer goes
    std::size_t begin_; // where the row begins in the first line
    std::size_t fill_;
};
#else
/// The compiler knows no such stores.
class RowPastCaches {
public:
    explicit RowPastCaches(std::byte* row) : row_(row) {}
    void append(const std::byte* from, std::size_t bytes)
    {
        std::memcpy(row_, from, bytes);
        row_ += bytes;
    }
    void end() {}

private:
    std::byte* row_;
};
#endif

} // namespace ortho::transport
