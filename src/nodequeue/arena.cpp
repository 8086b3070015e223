// SPDX-License-Identifier: BSD-3-Clause
// Memory of this process that other processes of its node can see.  No MPI in this file.

#include "nodequeue/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/environment.hpp"
#include "base/hash.hpp"

namespace ortho::nodequeue {

namespace {

/// The head of an arena.  Processes compare it to be sure that they see the same arena.
struct ArenaHead {
    std::uint64_t magic;
    std::uint64_t cookie;
};
constexpr std::uint64_t magic = 0x6f6874726f69706dU; // "mpiortho"

constexpr std::uint64_t grain = 64;
constexpr std::uint64_t step = std::uint64_t{16} << 10;      // pages come in steps of
constexpr std::uint64_t large = std::uint64_t{1} << 20;      // pages of free blocks of so many bytes go back,
constexpr std::uint64_t most_idle = std::uint64_t{32} << 20; // but for some: new ones take time
constexpr std::uint64_t most_addresses = std::uint64_t{64} << 30; // of addresses, not of memory

/// A hash of the running kernel, the host's name and the namespace of process numbers.  Where all are equal,
/// one process's /proc leads to the other's file.
std::uint64_t node_key()
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    char numbers[64] = "";
    if (readlink("/proc/self/ns/pid", numbers, sizeof numbers - 1) < 0) numbers[0] = '\0';
    return base::hash_of(std::string_view(numbers),
                         base::hash_of(std::string_view(host), base::hash_of(boot))) |
           1U;
}

std::uint64_t new_cookie()
{
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
}

/// Bytes of addresses to reserve: memory that is not there will not be shared.
std::uint64_t size_to_reserve()
{
    const auto pages = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_PHYS_PAGES)));
    const auto bytes = static_cast<std::uint64_t>(std::max(4096L, sysconf(_SC_PAGESIZE)));
    return std::min(most_addresses, base::rounded_up(pages * bytes, large));
}

/// Calls fallocate() again if a signal interrupts it.
int allocate_pages(int file, int mode, std::uint64_t begin, std::uint64_t bytes)
{
    int result = 0;
    do {
        result = fallocate(file, mode, static_cast<off_t>(begin), static_cast<off_t>(bytes));
    } while (result != 0 && errno == EINTR);
    return result;
}

/// Is it the file that the address tells of?
bool is_file(const struct stat& status, const Address& address)
{
    return S_ISREG(status.st_mode) && status.st_dev == address.device && status.st_ino == address.inode;
}

std::byte* map(int file, std::size_t bytes)
{
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (address == MAP_FAILED) return nullptr;
    // To dump core the kernel touches every page, and there would be all of them.
    if (madvise(address, bytes, MADV_DONTDUMP) != 0) {
        munmap(address, bytes);
        return nullptr;
    }
    return static_cast<std::byte*>(address);
}

/// Maps another process's arena.
std::shared_ptr<std::byte> look(const Address& address)
{
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", static_cast<long long>(address.process),
                  static_cast<long long>(address.file));
    // Another file with that number is not even opened: to open a pipe or a device may do something.
    struct stat status {};
    if (stat(path, &status) != 0 || !is_file(status, address)) return nullptr;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    std::shared_ptr<std::byte> result;
    if (fstat(file, &status) == 0 && is_file(status, address) &&
        static_cast<std::uint64_t>(status.st_size) >= step) {
        const std::size_t bytes = size_to_reserve(); // it will grow
        if (std::byte* const base = map(file, bytes)) {
            result = {base, [bytes](std::byte* begin) { munmap(begin, bytes); }};
            ArenaHead head{};
            std::memcpy(&head, base, sizeof head);
            if (head.magic != magic || head.cookie != address.cookie) result.reset();
        }
    }
    close(file);
    return result;
}

} // namespace

Arena* Arena::mine()
{
    static Arena* const arena = make(); // never destroyed: others may see it as long as this process lives
    return arena;
}

Arena::Arena(std::byte* base, std::size_t reserved, const Address& address)
    : base_(base),
      reserved_(reserved),
      address_(address),
      end_(step)
{
    free_[base::rounded_up(sizeof(ArenaHead), grain)] = end_ - base::rounded_up(sizeof(ArenaHead), grain);
    new (base) ArenaHead{magic, address.cookie};
}

Arena* Arena::make()
{
    const std::uint64_t bytes = size_to_reserve();
    // Beyond the limit, to lengthen the file would be a signal.
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < bytes) return nullptr;
    // Where addresses are limited they are the user's: each process would take this many for each on the
    // node.
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return nullptr;
    const int file = memfd_create("mpiortho", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    std::byte* base = nullptr;
    // The file is as long as there are pages: who reads beyond, as debuggers do, gets no new ones, but a
    // signal.
    struct stat status {};
    if (fstat(file, &status) != 0 || allocate_pages(file, 0, 0, step) != 0 ||
        (base = map(file, bytes)) == nullptr) {
        close(file);
        return nullptr;
    }
    return new Arena(base, bytes, {node_key(), new_cookie(), getpid(), file, status.st_dev, status.st_ino});
}

/// Bytes of pages that there are.  Nothing if its file is not open: a program may close all descriptors, and
/// open files of its own that get the same numbers.
std::optional<std::uint64_t> Arena::page_bytes() const
{
    struct stat status {};
    if (fstat(static_cast<int>(address_.file), &status) != 0 || !is_file(status, address_)) return {};
    constexpr std::uint64_t unit = 512; // of st_blocks
    return static_cast<std::uint64_t>(status.st_blocks) * unit;
}

bool Arena::back(std::uint64_t begin, std::uint64_t bytes) const
{
    return page_bytes() && allocate_pages(static_cast<int>(address_.file), 0, begin, bytes) == 0;
}

std::byte* Arena::allocate(std::size_t bytes)
{
    const std::lock_guard lock(mutex_);
    release_idle();
    if (bytes > reserved_) return nullptr;
    const std::uint64_t need = std::max(grain, base::rounded_up(bytes, grain));
    auto found = std::ranges::find_if(free_, [&](const auto& block) { return block.second >= need; });
    if (found == free_.end()) {
        // The last free block may reach the end.
        std::uint64_t begin = end_;
        if (!free_.empty()) {
            const auto& [offset, size] = *std::prev(free_.end());
            if (offset + size == end_) begin = offset;
        }
        const std::uint64_t end = base::rounded_up(begin + need, step);
        if (end > reserved_ || !back(end_, end - end_)) return nullptr;
        free_[begin] = end - begin;
        end_ = end;
        found = free_.find(begin);
    }
    const auto [offset, size] = *found;
    // The pages of large blocks may have gone back, and this one may be a part of one.
    if (some_went_back_ && !back(offset, need)) return nullptr;
    free_.erase(found);
    if (size > need) free_[offset + need] = size - need;
    used_[offset] = need;
    used_bytes_ += need;
    return base_ + offset;
}

void Arena::release(std::byte* block)
{
    const std::lock_guard lock(mutex_);
    take_back(block);
}

void Arena::take_back(std::byte* block)
{
    const auto found = used_.find(offset_of(block));
    if (found == used_.end()) return;
    auto [offset, size] = *found;
    used_.erase(found);
    used_bytes_ -= size;
    if (size >= large && page_bytes().value_or(0) > used_bytes_ + most_idle) {
        const std::uint64_t page = 4096;
        const std::uint64_t first = base::rounded_up(offset, page);
        const std::uint64_t last = (offset + size) / page * page;
        some_went_back_ = true;
        allocate_pages(static_cast<int>(address_.file), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first,
                       last - first);
    }
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + size == next->first) {
        size += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == offset) {
            before->second += size;
            return;
        }
    }
    free_[offset] = size;
}

void Arena::release_later(std::vector<std::byte*> blocks, std::function<bool()> is_idle)
{
    if (is_idle()) {
        for (std::byte* const block : blocks) release(block);
        return;
    }
    const std::lock_guard lock(mutex_);
    later_.push_back({std::move(blocks), std::move(is_idle)});
}

void Arena::release_idle()
{
    for (std::size_t i = 0; i < later_.size();) {
        if (!later_[i].is_idle()) {
            ++i;
            continue;
        }
        const std::vector<std::byte*> blocks = std::move(later_[i].blocks);
        if (i + 1 < later_.size()) later_[i] = std::move(later_.back());
        later_.pop_back();
        for (std::byte* const block : blocks) take_back(block);
    }
}

std::shared_ptr<std::byte> Arena::see(const Address& address)
{
    Arena* const own = mine();
    if (own != nullptr && own->address_ == address) return {own->base_, [](std::byte*) {}};
    static std::mutex mutex;
    static std::map<std::uint64_t, std::weak_ptr<std::byte>> seen; // by cookie
    const std::lock_guard lock(mutex);
    std::erase_if(seen, [](const auto& entry) { return entry.second.expired(); });
    if (const auto found = seen.find(address.cookie); found != seen.end()) return found->second.lock();
    const std::shared_ptr<std::byte> base = look(address);
    if (base) seen.emplace(address.cookie, base);
    return base;
}

Block allocate_block(std::size_t bytes, std::size_t alignment)
{
    Arena* const arena = base::environment_flag("ORTHO_SHM").value_or(true) ? Arena::mine() : nullptr;
    std::byte* const shared = arena != nullptr ? arena->allocate(bytes + alignment - 64) : nullptr;
    if (shared != nullptr) {
        const auto place = reinterpret_cast<std::uintptr_t>(shared);
        std::byte* const begin = shared + (alignment - place % alignment) % alignment;
        return {begin, [arena, shared](std::byte*) { arena->release(shared); }};
    }
    const std::align_val_t aligned{alignment};
    return {static_cast<std::byte*>(::operator new(bytes, aligned, std::nothrow)),
            [aligned](std::byte* block) { ::operator delete(block, aligned); }};
}

} // namespace ortho::nodequeue
