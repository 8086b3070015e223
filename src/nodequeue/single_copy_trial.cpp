// SPDX-License-Identifier: BSD-3-Clause
// From which size on is it faster that a receiver has the system copy its peer's data, once, than that both
// copy?

#include "nodequeue/single_copy_trial.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "base/peer_memory.hpp"
#include "base/text.hpp"
#include "mpi/interposer.hpp"
#include "nodequeue/copy_choices.hpp"

namespace ortho::nodequeue {

namespace {

std::atomic<SingleCopyFrom> largest{always};

using Clock = std::chrono::steady_clock;

/// Steps that two processes take together.  Nobody waits for a process that has left.
class Steps {
public:
    Steps(TrialMemory& mine, const TrialMemory& peer) : mine_(mine), peer_(peer) {}
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    ~Steps() { mine_.step.store(std::numeric_limits<std::uint32_t>::max(), std::memory_order_release); }

    void end_within(Clock::duration limit) { end_ = Clock::now() + limit; }
    /// The next one.  False if the peer does not take it before the end.
    bool take()
    {
        mine_.step.store(++taken_, std::memory_order_release);
        while (peer_.step.load(std::memory_order_acquire) < taken_)
            if (Clock::now() > end_) return false;
        return true;
    }

private:
    TrialMemory& mine_;
    const TrialMemory& peer_;
    std::uint32_t taken_ = 0;
    Clock::time_point end_;
};

/// Times of which the one in the middle counts.
class Times {
public:
    void begin() { begin_ = Clock::now(); }
    void end() { times_[count_++] = Clock::now() - begin_; }
    double seconds()
    {
        std::ranges::nth_element(times_, times_.begin() + trials / 2);
        return times_[trials / 2].count();
    }

    static constexpr std::size_t trials = 9;

private:
    Clock::time_point begin_;
    std::array<std::chrono::duration<double>, trials> times_{};
    std::size_t count_ = 0;
};

} // namespace

SingleCopyFrom try_single_copy(const TrialPeer& peer, TrialMemory& mine)
{
    std::vector<std::byte> there(TrialMemory::block_bytes);
    std::vector<std::byte> here(TrialMemory::block_bytes);
    Steps steps(mine, *peer.seen);
    // There are many to attach to, perhaps, before the peer comes by.
    steps.end_within(std::chrono::milliseconds(20));
    if (!steps.take()) return where_caches_end;
    steps.end_within(std::chrono::milliseconds(2));
    Times two;
    for (std::size_t trial = 0; trial < Times::trials; ++trial) {
        two.begin();
        std::memcpy(mine.blocks[trial % 2], here.data(), here.size());
        if (!steps.take()) return where_caches_end;
        std::memcpy(there.data(), peer.seen->blocks[trial % 2], there.size());
        two.end();
    }
    Times one;
    const std::uint64_t blocks = peer.address + offsetof(TrialMemory, blocks);
    for (std::size_t trial = 0; trial < Times::trials; ++trial) {
        // As a program that computes what it sends.
        std::memcpy(mine.blocks[trial % 2], here.data(), here.size());
        if (!steps.take()) return where_caches_end;
        auto* const address = reinterpret_cast<std::byte*>(
            static_cast<std::uintptr_t>(blocks + trial % 2 * TrialMemory::block_bytes));
        const base::Range from{address, there.size()};
        const base::Range to{there.data(), there.size()};
        one.begin();
        if (!base::read_peer(peer.process, {&from, 1}, {&to, 1})) return never;
        one.end();
    }
    // The sender waits for the receiver then, which may take a while.
    if (1.5 * one.seconds() < two.seconds()) return always;
    // Here caches serve both copies.  Where they do not, two copies take twice as long and more, one does
    // not.
    return one.seconds() < 4 * two.seconds() ? where_caches_end : never;
}

SingleCopyFrom single_copy_from() noexcept { return largest.load(std::memory_order_relaxed); }

void keep_single_copy_from(SingleCopyFrom found) noexcept
{
    SingleCopyFrom before = single_copy_from();
    while (before < found && !largest.compare_exchange_weak(before, found, std::memory_order_relaxed)) {}
}

} // namespace ortho::nodequeue

extern "C" void ortho_copies_text(char* text, std::size_t room)
{
    const auto& choices = ortho::nodequeue::CopyChoices::mine();
    const std::uint64_t two = choices.two_copies;
    const std::uint64_t one = choices.one_copy;
    const std::uint64_t usual = choices.usual_stores;
    const std::uint64_t past = choices.stores_past_caches;
    std::string words;
    if (one + two > 0)
        words = ortho::base::text("one copy won ", one, " of ", one + two, " trials of large messages");
    if (usual + past > 0)
        words += ortho::base::text(words.empty() ? "" : "; ", "stores past the caches won ", past, " of ",
                                   usual + past, " trials of rows");
    text[words.copy(text, room - 1)] = '\0';
}
