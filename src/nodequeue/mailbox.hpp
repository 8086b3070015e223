// SPDX-License-Identifier: BSD-3-Clause
// Where the reader of a channel learns how its messages come.  No MPI in this file.
#pragma once

#include <atomic>
#include <cstdint>

namespace ortho::nodequeue {

/// A word from the sender: nothing yet, or where the first ring is, or that there was no memory for a ring,
/// so that the messages of operations up to this one come another way.
class Mailbox {
public:
    std::uint64_t load() const { return word_.load(std::memory_order_acquire); }
    void tell_ring(std::uint64_t offset) { word_.store(offset, std::memory_order_release); }
    void tell_no_ring(std::uint32_t number)
    {
        word_.store(std::uint64_t{number} << 1U | 1U, std::memory_order_release);
    }

    static bool is_no_ring(std::uint64_t word) { return (word & 1U) != 0; } // rings lie at even offsets
    static std::uint32_t number_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 1U); }

private:
    std::atomic<std::uint64_t> word_{0};
};

/// Does operation `a` come before `b`?  Numbers are taken in turn, from the last one on to 0 again.
constexpr bool is_before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

/// Is an operation's next message here, or does it come another way?
enum class Found : std::uint8_t { nothing, message, elsewhere };

} // namespace ortho::nodequeue
