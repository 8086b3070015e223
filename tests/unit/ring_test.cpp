// SPDX-License-Identifier: BSD-3-Clause
// Channels through shared memory: here between threads, so that ThreadSanitizer sees both ends.
#include "nodequeue/channel.cpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "nodequeue/arena.cpp"
#include "nodequeue/ring.cpp"
#include "posted.hpp"
#include "scarce_pages.hpp"

using namespace ortho::nodequeue;
using pages::grants;
using pages::interruptions;

namespace {

/// One behind the last tag.
constexpr std::uint64_t tags = std::uint64_t{1} << 32U;

std::byte content(std::uint64_t message, std::uint64_t byte)
{
    return static_cast<std::byte>((message * 131 + byte * 7 + byte / 251) & 0xFFU);
}

/// Bytes in memory of the arena's file.
std::int64_t page_bytes() { return std::int64_t{arena_status().st_blocks} * 512; }

/// Both ends of a channel: one that is posted, ...
struct Line {
    explicit Line(std::size_t channels = 1)
        : sender(arena(), *mailbox, false),
          receiver(arena().base(), *mailbox)
    {
        sender.be_one_of(channels);
    }
    /// ... or one for two messages of up to so many bytes.
    Line(std::uint64_t length, std::uint64_t most) : sender(arena(), length, most)
    {
        receiver.connect(arena().base(), sender.offset());
    }

    Posted mailbox;
    Sender sender;
    Receiver receiver;
};

/// In one piece, or in parts of up to so many bytes.
void send(Sender& sender, std::uint64_t message, std::uint64_t length, std::size_t part)
{
    std::vector<std::byte> data(length);
    for (std::uint64_t i = 0; i < length; ++i) data[i] = content(message, i);
    const auto tag = static_cast<std::uint32_t>(message);
    if (!sender.open(tag, length)) throw std::bad_alloc();
    for (;; std::this_thread::yield()) {
        if (std::byte* const row = sender.reserve(tag, length)) {
            if (length > 0) std::memcpy(row, data.data(), length);
            sender.ring().commit();
            return;
        }
        if (sender.too_small_for(length) && sender.begin(tag, length)) break;
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
    while (receiver.open(static_cast<std::uint32_t>(message)) != Found::message) std::this_thread::yield();
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
        while (!ring.is_complete()) std::this_thread::yield();
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

void run_both(Line& line, const std::vector<std::uint64_t>& lengths, std::size_t write_part,
              std::size_t read_part)
{
    std::thread writer([&] {
        for (std::size_t i = 0; i < lengths.size(); ++i) send(line.sender, i, lengths[i], write_part);
    });
    int wrong = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        wrong += receive(line.receiver, i, lengths[i], read_part);
    writer.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(line.sender.ring().is_drained());
}

} // namespace

TEST(Line, CarriesMessagesOfAnyLengthInOrder)
{
    // Rings grow on the way, and messages of more than half a megabyte go in parts.
    for (const unsigned most : {1U, 3000U, 100'000U, 3'000'000U})
        for (const std::size_t channels : {1U, 3U, 15U, 100'000U}) {
            Line line(channels);
            run_both(line, random_lengths(most > 100'000 ? 60 : 2000, most), 70'001, 33'333);
        }
}

TEST(Line, OfManyGoesRoundInFewBytes)
{
    // Each message is read before the next one is written.
    const auto bytes_used = [](std::size_t channels, std::size_t length) {
        Line line(channels);
        const std::byte* first = nullptr;
        const std::byte* last = nullptr;
        constexpr std::uint32_t begin = 100; // its last ring is there
        for (std::uint32_t i = 0; i < 1000; ++i) {
            EXPECT_TRUE(line.sender.open(i, length));
            const std::byte* const row = line.sender.reserve(i, length);
            EXPECT_NE(row, nullptr);
            line.sender.ring().commit();
            EXPECT_EQ(line.receiver.open(i), Found::message);
            line.receiver.ring().close();
            first = i <= begin ? row : std::min(first, row);
            last = i <= begin ? row : std::max(last, row);
        }
        return static_cast<std::uint64_t>(last - first) + length;
    };
    for (const std::size_t length : {8U, 500U, 2000U, 7000U, 30'000U}) {
        EXPECT_LE(bytes_used(16, length), round_trip / 16 + 2 * length);
        EXPECT_GE(bytes_used(1, length), std::min<std::uint64_t>(round_trip / 2, 64 * length) - 2 * length);
    }
}

TEST(Line, HasRoomForManyMessagesOnceThereHaveBeenSome)
{
    Line line;
    constexpr std::uint64_t length = 32;
    const auto capacity_after = [&](const std::vector<std::uint64_t>& lengths) {
        run_both(line, lengths, length, length);
        return line.sender.ring().capacity();
    };
    EXPECT_EQ(capacity_after(std::vector(20, length)), 4 * 64U); // a message takes 48 bytes
    EXPECT_EQ(capacity_after(std::vector(100, length)), 64 * 64U);
}

TEST(Line, GoesInPartsOfAnySize)
{
    for (const std::size_t part : {1U, 15U, 16U, 4097U}) {
        Line line(100'000, 8192); // in parts
        ASSERT_TRUE(line.sender.there());
        ASSERT_TRUE(line.sender.too_small_for(100'000));
        run_both(line, random_lengths(40, 20'000), part, 5000 / part + 1);
    }
}

TEST(Line, IsCompleteOnlyWhenItsWriterHasSaidThatNothingFollows)
{
    Line line(100'000, 8192); // in parts
    Sender& sender = line.sender;
    Receiver& receiver = line.receiver;
    std::uint32_t tag = 0;
    for (std::size_t length = 20'000; length <= 20'016; ++length, ++tag) {
        // Whatever was there before, nothing of it is taken for a message.
        const std::vector<std::byte> data(length, std::byte{1});
        std::vector<std::byte> got(length);
        ASSERT_EQ(receiver.open(tag), Found::nothing);
        ASSERT_TRUE(sender.begin(tag, length));
        ASSERT_EQ(receiver.open(tag), Found::message);
        for (std::size_t done = 0, read = 0; read < length;) {
            if (done < length) done += sender.ring().write(&data[done], length - done);
            read += receiver.ring().read(&got[read], length - read);
        }
        EXPECT_EQ(got, data);
        EXPECT_FALSE(receiver.ring().is_complete()) << length;
        ASSERT_TRUE(sender.ring().end());
        ASSERT_TRUE(receiver.ring().is_complete());
        receiver.ring().close();
    }
}

TEST(Line, OfTwoMessagesHoldsTwoAtTheLeast)
{
    for (const std::uint64_t length : {0U, 1U, 48U, 49U, 5000U}) {
        Line line(length, 1U << 20U);
        std::uint64_t sent = 0, received = 0;
        for (int round = 0; round < 20; ++round) {
            constexpr std::uint64_t very_many = 10'000;
            const std::uint64_t before = sent;
            while (line.sender.is_ready() && sent - before < very_many) send(line.sender, sent++, length, 1);
            EXPECT_GE(sent - received, 2U);
            EXPECT_LT(sent - before, very_many) << "nobody has read any";
            const std::uint64_t some = round % 2 == 0 ? sent : sent - 1;
            while (received < some) EXPECT_EQ(receive(line.receiver, received++, length, 1), 0);
            EXPECT_TRUE(line.sender.is_ready());
        }
    }
}

TEST(Line, OfTwoLargeMessagesHoldsTwo)
{
    for (const std::uint64_t length : {65536U, 100'000U}) {
        Line line(length, 1U << 20U);
        Sender& sender = line.sender;
        for (std::uint64_t i = 0; i < 20; ++i) {
            EXPECT_TRUE(sender.is_ready());
            send(sender, 2 * i, length, 1);
            EXPECT_TRUE(sender.is_ready()) << "the second of two";
            send(sender, 2 * i + 1, length, 1);
            EXPECT_FALSE(sender.is_ready());
            EXPECT_EQ(sender.reserve(0, length), nullptr);
            EXPECT_EQ(receive(line.receiver, 2 * i, length, 1), 0);
            EXPECT_TRUE(sender.is_ready());
            EXPECT_EQ(receive(line.receiver, 2 * i + 1, length, 1), 0);
        }
    }
}

TEST(Line, ThrowsMessagesAwayThatNobodyAskedFor)
{
    Line line;
    // tags begin again on the way
    for (std::uint64_t i = 0; i < 10; ++i) send(line.sender, tags - 5 + i, 20 * i, 1);
    EXPECT_EQ(receive(line.receiver, tags - 3, 40, 1), 0);
    EXPECT_EQ(receive(line.receiver, tags + 4, 180, 1), 0);
    // One that comes later is kept.
    send(line.sender, tags + 9, 50, 1);
    EXPECT_EQ(line.receiver.open(5), Found::nothing);
    EXPECT_EQ(receive(line.receiver, tags + 9, 50, 1), 0);
}

/// The writer is another process: ThreadSanitizer does not see how it gives memory out again.
TEST(Line, MayLieWhereAnotherOneLay)
{
    constexpr std::size_t capacity = 1024;
    constexpr std::size_t bytes = sizeof(RingMemory) + capacity;
    Posted old_mail, new_mail;
    std::byte* const block = arena().allocate(bytes + 64);
    // The capacity of the new one lies where the reader of the old one has counted.
    std::byte* const old_place = block + 64;
    static_assert(offsetof(RingMemory, capacity) == offsetof(RingMemory, read) + 64);
    const pid_t writer = fork();
    if (writer == 0) {
        alarm(60);
        for (std::byte* const place : {old_place, block}) {
            RingWriter ring(new (place) RingMemory(capacity, 16));
            std::memset(ring.reserve(0, 100), 7, 100);
            ring.commit();
            Mailbox& mailbox = place == block ? *new_mail : *old_mail;
            mailbox.tell_ring(arena().offset_of(place));
            while (!ring.is_drained()) sched_yield();
        }
        _exit(0);
    }
    const auto read = [](const Mailbox& mailbox) {
        RingReader ring;
        while (find_ring(arena().base(), mailbox, 0, ring) != Found::message) sched_yield();
        while (!ring.open(0)) sched_yield();
        EXPECT_EQ(ring.whole()[99], std::byte{7});
        ring.close();
    };
    std::thread second([&] { read(*new_mail); });
    std::thread first([&] { read(*old_mail); });
    first.join();
    second.join();
    int status = -1;
    EXPECT_EQ(waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
    arena().release(block);
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
    Address nowhere = arena().address();
    nowhere.cookie += 2;
    nowhere.process = 999'999'999; // no such process
    EXPECT_EQ(Arena::see(nowhere), nullptr);
    Address other = arena().address();
    other.cookie += 1; // this process, but another arena
    EXPECT_EQ(Arena::see(other), nullptr);
    int local = 0;
    EXPECT_FALSE(arena().contains(&local));
    EXPECT_EQ(Arena::see(arena().address()).get(), arena().base());
}

TEST(Arena, ReleasesLaterWhatIsStillRead)
{
    std::byte* const block = arena().allocate(100);
    bool idle = false;
    arena().release_later({block}, [&] { return idle; });
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
    const auto first = reinterpret_cast<std::uintptr_t>(arena().base());
    std::ifstream maps("/proc/self/smaps");
    bool here = false, dumped = true;
    for (std::string line; std::getline(maps, line);) {
        if (line.find("memfd:mpiortho") != std::string::npos) here = std::stoull(line, nullptr, 16) == first;
        if (here && line.starts_with("VmFlags:")) {
            dumped = line.find(" dd") == std::string::npos;
            here = false;
        }
    }
    EXPECT_FALSE(dumped);
}

TEST(Arena, KeepsSomePagesForLater)
{
    constexpr std::int64_t mebi = std::int64_t{1} << 20;
    const std::int64_t before = page_bytes();
    arena().release(arena().allocate(4 * mebi));
    const std::int64_t kept = page_bytes();
    EXPECT_GE(kept, 4 * mebi);
    arena().release(arena().allocate(4 * mebi));
    EXPECT_EQ(page_bytes(), kept);
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 50; ++i) blocks.push_back(arena().allocate(4 * mebi));
    EXPECT_GE(page_bytes(), 200 * mebi);
    for (std::byte* const block : blocks) arena().release(block);
    EXPECT_LE(page_bytes(), before + 40 * mebi);
}

TEST(Arena, HasPagesBehindAllThatItGives)
{
    // The pages of a large block go back when it is released; small ones come from there then.
    arena().release(arena().allocate(std::size_t{64} << 20));
    constexpr std::size_t bytes = 50'000;
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 100; ++i) blocks.push_back(arena().allocate(bytes));
    const std::int64_t before = page_bytes();
    for (std::byte* const block : blocks) std::memset(block, 1, bytes);
    EXPECT_EQ(page_bytes(), before);
    for (std::byte* const block : blocks) arena().release(block);
}

TEST(Arena, AsksAgainWhereASignalCame)
{
    interruptions = 3;
    std::byte* const block = arena().allocate(std::size_t{2} << 20);
    EXPECT_NE(block, nullptr);
    EXPECT_EQ(interruptions, 0);
    arena().release(block);
}

TEST(Arena, LeavesOtherFilesAlone)
{
    std::byte* const block = arena().allocate(std::size_t{4} << 20);
    const int file = static_cast<int>(arena().address().file);
    const int kept = dup(file);
    char name[] = "/tmp/ring_test.XXXXXX";
    const int other = mkstemp(name);
    const std::string content(std::size_t{8} << 20, 'x');
    ASSERT_EQ(write(other, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    const auto blocks = [&] {
        struct stat status {};
        fstat(other, &status);
        return status.st_blocks;
    };
    const auto before = blocks();
    dup2(other, file); // as a program does that closes all that is open, and opens files of its own
    arena().release(block);
    EXPECT_EQ(arena().allocate(std::size_t{64} << 20), nullptr);
    EXPECT_EQ(blocks(), before);
    Address another = arena().address(); // as another process sees it
    another.cookie += 3;
    EXPECT_EQ(Arena::see(another), nullptr);
    dup2(kept, file);
    close(kept);
    close(other);
    unlink(name);
    std::byte* const again = arena().allocate(std::size_t{64} << 20);
    EXPECT_NE(again, nullptr);
    arena().release(again);
}

class Channel : public testing::Test, protected Line {};

/// Without memory for a first ring the receiver is told so, operation by operation, until there is some.
TEST_F(Channel, TellsThatThereIsNoMemory)
{
    const std::uint32_t first = 0xFFFFFFFDU; // numbers begin again on the way
    EXPECT_EQ(receiver.open(first), Found::nothing);
    arena().release(arena().allocate(pages::enough_to_go_back));
    grants = 0;
    for (std::uint32_t i = 0; i < 6; ++i) {
        EXPECT_FALSE(sender.open(first + i, 100));
        EXPECT_FALSE(sender.open(first + i, 10)); // and that holds for all of the operation
        EXPECT_EQ(receiver.open(first + i), Found::elsewhere);
        EXPECT_EQ(receiver.open(first + i + 1), Found::nothing);
    }
    grants = 1 << 30;
    EXPECT_FALSE(sender.open(first + 5, 100)); // even then
    EXPECT_EQ(receiver.open(first + 5), Found::elsewhere);
    send(sender, first + 6, 100, 100);
    // a late receiver knows what came before the ring
    EXPECT_EQ(receiver.open(first + 4), Found::elsewhere);
    EXPECT_EQ(receiver.open(first + 5), Found::elsewhere);
    EXPECT_EQ(receive(receiver, first + 6, 100, 100), 0);
}

/// A line that has carried a short message, with no memory to grow.
class Scarce : public Channel {
protected:
    static constexpr std::uint64_t length = 50'000;
    Scarce()
    {
        send(sender, 1, 100, 100);
        EXPECT_EQ(receive(receiver, 1, 100, 100), 0);
        small = sender.ring().capacity();
        arena().release(arena().allocate(pages::enough_to_go_back));
        grants = 0;
    }
    void both(std::uint64_t message)
    {
        std::thread writer([&] { send(sender, message, length, length); });
        EXPECT_EQ(receive(receiver, message, length, length), 0);
        writer.join();
    }
    std::uint64_t small = 0;
};

/// A ring that could not grow does for a while, and grows later.
TEST_F(Scarce, GrowsAgainOnceThereIsMemory)
{
    for (std::uint64_t message = 2; message < 20; ++message) both(message);
    EXPECT_EQ(sender.ring().capacity(), small);
    grants = 1 << 30;
    std::uint64_t message = 20;
    for (; message < 2000 && sender.ring().capacity() == small; ++message) both(message);
    EXPECT_GT(sender.ring().capacity(), small);
    for (const std::uint64_t end = message + 3; message < end; ++message) both(message);
}

/// A message whose data could not be read comes once more, while a later one goes in parts: that is no place to
/// tell of a larger ring.  (Found by tests/model/blocking.pml.)
TEST_F(Scarce, DoesNotGrowWithinAMessageInParts)
{
    both(2); // growing is tried, and is tried again after another message
    std::memset(sender.reserve(3, 64, RingHead::Kind::remote), 0, 64);
    const std::uint64_t posted = sender.post();
    ASSERT_TRUE(sender.too_small_for(length));
    ASSERT_TRUE(sender.begin(4, length));
    grants = 1 << 30;
    std::vector<std::byte> data(length);
    for (std::uint64_t i = 0; i < length; ++i) data[i] = content(4, i);
    std::size_t done = sender.ring().write(data.data(), 100);
    ASSERT_EQ(receiver.open(3), Found::message);
    receiver.ring().refuse();
    receiver.ring().close();
    ASSERT_TRUE(sender.ring().is_refused(posted));
    sender.done_with_post();
    EXPECT_EQ(sender.reserve(3, length, RingHead::Kind::again), nullptr);
    EXPECT_EQ(sender.ring().capacity(), small);
    std::thread writer([&] {
        while (done < length) {
            done += sender.ring().write(&data[done], length - done);
            std::this_thread::yield();
        }
        while (!sender.ring().end()) std::this_thread::yield();
    });
    if (sender.ring().capacity() == small) {
        EXPECT_EQ(receive(receiver, 4, length, length), 0);
    }
    writer.join();
    EXPECT_NE(sender.reserve(5, length, RingHead::Kind::again), nullptr);
    EXPECT_GT(sender.ring().capacity(), small);
}
