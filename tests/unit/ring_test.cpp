// SPDX-License-Identifier: BSD-3-Clause
// Lines through shared memory: here between threads, so that ThreadSanitizer sees both ends.
#include "shared/line.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "shared/arena.hpp"

using namespace ortho::shared;

namespace {

/// One behind the last tag.
constexpr std::uint64_t tags = std::uint64_t{1} << 32U;

std::byte content(std::uint64_t message, std::uint64_t byte)
{
    return static_cast<std::byte>((message * 131 + byte * 7 + byte / 251) & 0xFFU);
}

Arena& arena()
{
    Arena* const mine = Arena::mine();
    if (mine == nullptr) throw std::bad_alloc(); // every Linux that we test on has anonymous files
    return *mine;
}

/// A word that a line is posted in.
class Post {
public:
    Post() : word_(new (arena().allocate(sizeof(std::atomic<std::uint64_t>))) std::atomic<std::uint64_t>(0)) {}
    ~Post() { arena().release(reinterpret_cast<std::byte*>(word_)); }
    Post(const Post&) = delete;
    Post& operator=(const Post&) = delete;
    std::atomic<std::uint64_t>& word() { return *word_; }

private:
    std::atomic<std::uint64_t>* word_;
};

/// In one piece, or in parts of up to so many bytes.
void send(Sender& sender, std::uint64_t message, std::uint64_t length, std::size_t part)
{
    std::vector<std::byte> data(length);
    for (std::uint64_t i = 0; i < length; ++i) data[i] = content(message, i);
    const auto tag = static_cast<std::uint32_t>(message);
    for (;; std::this_thread::yield()) {
        if (std::byte* const row = sender.reserve(tag, length)) {
            if (length > 0) std::memcpy(row, data.data(), length);
            sender.ring().commit();
            return;
        }
        if (sender.too_small_for(length) && sender.ring().begin(tag, length)) break;
    }
    for (std::size_t done = 0; done < length;) {
        const std::size_t some = sender.ring().write(&data[done], std::min(part, data.size() - done));
        if (some == 0) std::this_thread::yield();
        done += some;
    }
    while (!sender.ring().end()) std::this_thread::yield();
}

/// How many bytes were wrong.
int receive(Receiver& receiver, std::uint64_t message, std::uint64_t length, std::size_t part)
{
    while (!receiver.open(static_cast<std::uint32_t>(message))) std::this_thread::yield();
    RingReader& ring = receiver.ring();
    if (ring.length() != length) return static_cast<int>(length) + 1;
    int wrong = 0;
    if (const std::byte* const row = ring.whole()) {
        for (std::uint64_t i = 0; i < length; ++i) wrong += row[i] != content(message, i) ? 1 : 0;
    } else {
        std::vector<std::byte> some(part);
        for (std::uint64_t done = 0; done < length;) {
            const std::size_t n = ring.read(some.data(), std::min(part, ring.left()));
            if (n == 0) std::this_thread::yield();
            for (std::size_t i = 0; i < n; ++i) wrong += some[i] != content(message, done + i) ? 1 : 0;
            done += n;
        }
    }
    ring.close();
    return wrong;
}

std::vector<std::uint64_t> random_lengths(int count, std::uint64_t most)
{
    std::mt19937_64 random(most);
    std::vector<std::uint64_t> result;
    for (int i = 0; i < count; ++i) {
        // Short ones mostly.
        const std::uint64_t bits = random() % 64;
        result.push_back(random() % std::max<std::uint64_t>(1, most >> std::min<std::uint64_t>(bits, 40)));
    }
    return result;
}

void run_both(Sender& sender, Receiver& receiver, const std::vector<std::uint64_t>& lengths, std::size_t write_part,
              std::size_t read_part)
{
    std::thread writer([&] {
        for (std::size_t i = 0; i < lengths.size(); ++i) send(sender, i, lengths[i], write_part);
    });
    int wrong = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) wrong += receive(receiver, i, lengths[i], read_part);
    writer.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(sender.ring().is_drained());
}

} // namespace

TEST(Line, CarriesMessagesOfAnyLengthInOrder)
{
    // Rings grow on the way, and messages of more than half a megabyte go in parts.
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{3000}, std::uint64_t{100'000}, std::uint64_t{3'000'000}}) {
        Post post;
        Sender sender(arena(), post.word());
        Receiver receiver(Arena::see(arena().address()), post.word());
        run_both(sender, receiver, random_lengths(most > 100'000 ? 60 : 2000, most), 70'001, 33'333);
    }
}

TEST(Line, GoesInPartsOfAnySize)
{
    for (const std::size_t part : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{4097}}) {
        Sender sender(arena(), 100'000, 8192); // in parts
        ASSERT_TRUE(sender.there());
        ASSERT_TRUE(sender.in_parts());
        Receiver receiver;
        receiver.connect(Arena::see(arena().address()), sender.offset());
        run_both(sender, receiver, random_lengths(40, 20'000), part, 5000 / part + 1);
    }
}

TEST(Line, OfTwoMessagesHoldsTwo)
{
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{48}, std::uint64_t{49}, std::uint64_t{5000}}) {
        Sender sender(arena(), length, std::uint64_t{1} << 20);
        Receiver receiver;
        receiver.connect(Arena::see(arena().address()), sender.offset());
        for (std::uint64_t i = 0; i < 20; ++i) {
            EXPECT_TRUE(sender.is_ready());
            send(sender, 2 * i, length, 1);
            EXPECT_TRUE(sender.is_ready()) << "the second of two";
            send(sender, 2 * i + 1, length, 1);
            EXPECT_FALSE(sender.is_ready());
            EXPECT_EQ(sender.reserve(0, length), nullptr);
            EXPECT_EQ(receive(receiver, 2 * i, length, 1), 0);
            EXPECT_TRUE(sender.is_ready());
            EXPECT_EQ(receive(receiver, 2 * i + 1, length, 1), 0);
        }
    }
}

TEST(Line, ThrowsMessagesAwayThatNobodyAskedFor)
{
    Post post;
    Sender sender(arena(), post.word());
    Receiver receiver(Arena::see(arena().address()), post.word());
    for (std::uint64_t i = 0; i < 10; ++i) send(sender, tags - 5 + i, 30 * i, 1); // tags begin again on the way
    EXPECT_EQ(receive(receiver, tags - 3, 60, 1), 0);
    EXPECT_EQ(receive(receiver, tags + 4, 270, 1), 0);
    // One that comes later is kept.
    send(sender, tags + 9, 50, 1);
    EXPECT_FALSE(receiver.open(5));
    EXPECT_EQ(receive(receiver, tags + 9, 50, 1), 0);
}

TEST(Arena, GivesBlocksThatDoNotOverlapAndTakesThemBack)
{
    std::mt19937_64 random(5);
    struct Block {
        std::byte* begin;
        std::size_t bytes;
        std::byte mark;
    };
    std::vector<Block> blocks;
    const auto check_and_release = [&](std::size_t i) {
        const Block block = blocks[i];
        for (std::size_t k = 0; k < block.bytes; k += std::max<std::size_t>(1, block.bytes / 50))
            ASSERT_EQ(block.begin[k], block.mark);
        arena().release(block.begin);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (int i = 0; i < 3000; ++i) {
        if (blocks.size() > 50 || (!blocks.empty() && random() % 3 == 0)) {
            check_and_release(random() % blocks.size());
            continue;
        }
        const std::size_t bytes = random() % (random() % 20 == 0 ? 3'000'000 : 3000);
        std::byte* const begin = arena().allocate(bytes);
        ASSERT_NE(begin, nullptr);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(begin) % 64, 0U);
        const auto mark = static_cast<std::byte>(i);
        std::memset(begin, i & 0xFF, bytes);
        blocks.push_back({begin, bytes, mark});
    }
    while (!blocks.empty()) check_and_release(0);
}

TEST(Arena, SaysWhatItDoesNotHave)
{
    EXPECT_EQ(arena().allocate(std::size_t{1} << 62), nullptr);
    EXPECT_EQ(Arena::see({1, 12345, 999'999'999, 3}), nullptr); // no such process
    Address other = arena().address();
    other.cookie += 1; // this process, but another arena
    EXPECT_EQ(Arena::see(other), nullptr);
    int local = 0;
    EXPECT_FALSE(arena().contains(&local));
    EXPECT_TRUE(arena().contains(Arena::see(arena().address())));
}

TEST(Arena, ReleasesLaterWhatIsStillRead)
{
    std::byte* const block = arena().allocate(100);
    bool idle = false;
    arena().release_later(block, [&] { return idle; });
    std::byte* const second = arena().allocate(100);
    EXPECT_NE(second, block);
    idle = true;
    arena().release(second);
    std::byte* const third = arena().allocate(100);
    std::byte* const fourth = arena().allocate(100);
    EXPECT_TRUE(third == block || fourth == block);
    arena().release(third);
    arena().release(fourth);
}

/// The kernel's flags of the arena's addresses.
TEST(Arena, IsNotDumped)
{
    const auto first = reinterpret_cast<std::uintptr_t>(Arena::see(arena().address()));
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    bool dumped = true;
    for (std::string line; std::getline(maps, line);) {
        if (line.find("memfd:mpiortho") != std::string::npos) here = std::stoull(line, nullptr, 16) == first;
        if (here && line.starts_with("VmFlags:")) {
            dumped = line.find(" dd") == std::string::npos;
            here = false;
        }
    }
    EXPECT_FALSE(dumped);
}

TEST(Arena, HasPagesBehindAllThatItGives)
{
    const auto pages = [] {
        struct stat status{};
        fstat(static_cast<int>(arena().address().file), &status);
        return status.st_blocks;
    };
    // The pages of a large block go back when it is released; small ones come from there then.
    arena().release(arena().allocate(std::size_t{8} << 20));
    constexpr std::size_t bytes = 50'000;
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(arena().allocate(bytes));
    const auto before = pages();
    for (std::byte* const block : blocks) std::memset(block, 1, bytes);
    EXPECT_EQ(pages(), before);
    for (std::byte* const block : blocks) arena().release(block);
}
