// SPDX-License-Identifier: BSD-3-Clause
// Channels whose senders never wait: both ends in one process, the reader as far behind as chance wants.
#include "nodequeue/unbounded_channel.cpp"

#include <deque>
#include <thread>

#include "nodequeue/arena.cpp"
#include "nodequeue/ring.cpp"
#include "posted.hpp"
#include "scarce_pages.hpp"

using namespace ortho::nodequeue;
using pages::grants;

namespace {

// ThreadSanitizer takes its time, and has little to say of one thread.
#ifdef __SANITIZE_THREAD__
constexpr unsigned random_seeds = 1;
constexpr int cycles = 10;
#else
constexpr unsigned random_seeds = 15;
constexpr int cycles = 200;
#endif

/// Both ends of a channel.
struct Channel {
    Posted mailbox;
    UnboundedSender sender{arena(), *mailbox};
    UnboundedReceiver receiver{arena().base(), *mailbox};
};

struct Sent {
    std::uint32_t number;
    std::size_t length;
    unsigned seed;
    bool here; ///< else it goes another way
};

std::byte content(unsigned seed, std::size_t i)
{
    return static_cast<std::byte>(seed * 37 + i * 7 + i / 251);
}

Sent send(UnboundedSender& sender, std::uint32_t number, std::size_t length, unsigned seed)
{
    std::byte* const row = sender.reserve(number, length);
    if (row != nullptr) {
        for (std::size_t i = 0; i < length; ++i) row[i] = content(seed, i);
        sender.commit();
    }
    return {number, length, seed, row != nullptr};
}

void expect(UnboundedReceiver& receiver, const Sent& sent)
{
    const Found found = receiver.find(sent.number);
    ASSERT_EQ(found, sent.here ? Found::message : Found::elsewhere) << "operation " << sent.number;
    if (found != Found::message) return;
    ASSERT_EQ(receiver.length(), sent.length);
    std::size_t right = 0;
    while (right < sent.length && receiver.row()[right] == content(sent.seed, right)) ++right;
    ASSERT_EQ(right, sent.length);
    receiver.close();
}

TEST(UnboundedChannel, HasRoomForAnyNumberOfMessages)
{
    Channel channel;
    std::deque<Sent> sent;
    for (unsigned i = 1; i <= 5000; ++i) {
        sent.push_back(send(channel.sender, i, i * 131 % 3000, i));
        ASSERT_TRUE(sent.back().here);
    }
    sent.push_back(send(channel.sender, 5001, UnboundedSender::longest, 3));
    for (const Sent& message : sent) expect(channel.receiver, message);
    EXPECT_EQ(channel.receiver.find(5002), Found::nothing);
}

/// Memory comes and goes, operations have one to three messages, and their numbers begin again on the way.
TEST(UnboundedChannel, TellsWhatComesAnotherWay)
{
    for (unsigned seed = 0; seed < random_seeds; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned n) {
            return std::uniform_int_distribution<unsigned>(0, n - 1)(random);
        };
        Channel channel;
        std::deque<Sent> sent;
        std::uint32_t number = 0xFFFFFFF0U;
        int elsewhere = 0;
        for (unsigned i = 0; i < 300; ++i) {
            if (below(2) == 0) {
                ++number;
                bool all_here = true;
                for (unsigned messages = 1 + below(3); messages > 0; --messages) {
                    grants = below(3) == 0 ? INT_MAX : 0;
                    // Some messages come into an arena before it has free memory: this is more than they
                    // need.
                    const std::size_t length = below(4) == 0 ? 200'000 + below(800'000) : below(2000);
                    std::vector<std::byte*> taken;
                    if (grants == 0)
                        while (std::byte* const block = arena().allocate(std::size_t{64} << 10))
                            taken.push_back(block);
                    sent.push_back(send(channel.sender, number, length, i));
                    for (std::byte* const block : taken) arena().release(block);
                    // A message that follows one that goes another way does so, too, unless a ring has had
                    // room all along.
                    if (!sent.back().here) all_here = false;
                    EXPECT_FALSE(!all_here && sent.back().here);
                    elsewhere += sent.back().here ? 0 : 1;
                }
                continue;
            }
            for (unsigned n = below(6); n > 0 && !sent.empty(); --n) {
                expect(channel.receiver, sent.front());
                sent.pop_front();
                if (HasFatalFailure()) return;
            }
            if (sent.empty()) {
                EXPECT_EQ(channel.receiver.find(number + 1), Found::nothing);
            }
        }
        grants = INT_MAX;
        for (const Sent& message : sent) expect(channel.receiver, message);
        if (HasFatalFailure()) return;
        EXPECT_TRUE(seed > 0 || elsewhere > 0);
    }
}

/// Memory that has been read is used again, whatever way the rings were left.
TEST(UnboundedChannel, GivesMemoryBack)
{
    const auto cycle = [] {
        Channel channel;
        std::vector<Sent> sent;
        for (unsigned i = 1; i <= 40; ++i) {
            std::vector<std::byte*> taken;
            grants = i % 10 == 0 ? 0 : INT_MAX;
            if (grants == 0)
                while (std::byte* const block = arena().allocate(std::size_t{16} << 10))
                    taken.push_back(block);
            sent.push_back(send(channel.sender, i, 30'000, i));
            for (std::byte* const block : taken) arena().release(block);
        }
        grants = INT_MAX;
        for (const Sent& message : sent) expect(channel.receiver, message);
    };
    for (int i = 0; i < 5; ++i) cycle();
    const std::int64_t before = arena_status().st_size;
    for (int i = 0; i < cycles; ++i) cycle();
    EXPECT_EQ(arena_status().st_size, before);
}

TEST(UnboundedChannel, WorksBetweenThreads)
{
    Channel channel;
    constexpr unsigned messages = 20000;
    const auto length_of = [](unsigned i) { return i * 97 % 5000; };
    std::thread sender([&] {
        for (unsigned i = 1; i <= messages; ++i) send(channel.sender, i, length_of(i), i);
    });
    for (unsigned i = 1; i <= messages; ++i) {
        while (channel.receiver.find(i) == Found::nothing) std::this_thread::yield();
        expect(channel.receiver, {i, length_of(i), i, true});
    }
    sender.join();
}

} // namespace
