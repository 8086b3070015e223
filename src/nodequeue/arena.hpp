// SPDX-License-Identifier: BSD-3-Clause
// Memory of this process that other processes of its node can see.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ortho::nodequeue {

/// Where a process's arena is found by others; plain data, to be sent to them.  All zeros: it has none.
struct Address {
    std::uint64_t node;   ///< equal for processes that may see each other's memory
    std::uint64_t cookie; ///< no other arena has it
    std::int64_t process;
    std::int64_t file;    ///< descriptor in that process
    std::uint64_t device; ///< with the next one, of the file
    std::uint64_t inode;

    bool operator==(const Address&) const = default;
};

/// One anonymous file a process, mapped as a whole: nothing has a name, so that nothing is left behind
/// however a process ends.  Pages are there before they are handed out: where memory runs short, allocate()
/// says so, and nobody dies at the first touch.
class Arena {
public:
    /// This process's, made at first use; null if it cannot be had.
    static Arena* mine();

    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    const Address& address() const { return address_; }
    std::byte* base() const { return base_; }

    /// Aligned to 64 bytes, with any content; null if there is no memory.
    std::byte* allocate(std::size_t bytes);
    void release(std::byte* block);
    /// Release them as soon as `is_idle` says that nobody reads any of them any more; it may look at them
    /// until then.
    void release_later(std::vector<std::byte*> blocks, std::function<bool()> is_idle);

    bool contains(const void* address) const
    {
        const auto* byte = static_cast<const std::byte*>(address);
        return byte >= base_ && byte < base_ + reserved_;
    }
    /// From the arena's beginning: the same for all who see it.
    std::uint64_t offset_of(const void* address) const
    {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - base_);
    }

    /// Where another process's arena (or this one's) begins here, null if it cannot be seen.  It stays there
    /// as long as anybody keeps a copy of the pointer: the memory of a process that has ended is given back
    /// then, or when this process ends, too.
    static std::shared_ptr<std::byte> see(const Address& address);

private:
    Arena(std::byte* base, std::size_t reserved, const Address& address);
    static Arena* make();
    std::optional<std::uint64_t> page_bytes() const;
    bool back(std::uint64_t begin, std::uint64_t bytes) const;
    /// Under the lock.
    void take_back(std::byte* block);
    void release_idle();

    std::byte* base_;
    std::size_t reserved_;
    Address address_;
    std::mutex mutex_;                            // of what follows
    std::uint64_t end_;                           // of what has pages
    std::map<std::uint64_t, std::uint64_t> free_; // offset -> bytes
    std::unordered_map<std::uint64_t, std::uint64_t> used_;
    std::uint64_t used_bytes_ = 0;
    bool some_went_back_ = false; // pages of free blocks
    struct Later {
        std::vector<std::byte*> blocks;
        std::function<bool()> is_idle;
    };
    std::vector<Later> later_;
};

/// Memory with what gives it back.
using Block = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;
/// In this process's arena, or, with ORTHO_SHM=0 and where the arena has none, in memory of its own.  Null if
/// there is none.  The alignment is a power of two, at least 64.
Block allocate_block(std::size_t bytes, std::size_t alignment);

} // namespace ortho::nodequeue
