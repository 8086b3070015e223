// SPDX-License-Identifier: BSD-3-Clause
// Memory of another process of this node.  No MPI in this file.

#include "base/peer_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>

namespace ortho::base {

namespace {

/// A place in a list of ranges, which gives the next ranges as a system call takes them.
class Window {
public:
    explicit Window(std::span<const Range> ranges) : ranges_(ranges) { skip_empty(); }

    bool at_end() const { return ranges_.empty(); }
    /// As many ranges as one call takes.
    std::span<const iovec> vectors()
    {
        const std::size_t n = std::min(ranges_.size(), vectors_.size());
        for (std::size_t i = 0; i < n; ++i) vectors_[i] = {ranges_[i].address, ranges_[i].bytes};
        vectors_[0] = {ranges_[0].address + done_, ranges_[0].bytes - done_};
        return {vectors_.data(), n};
    }
    void advance(std::size_t bytes)
    {
        while (bytes > 0) {
            const std::size_t some = std::min(bytes, ranges_[0].bytes - done_);
            done_ += some;
            bytes -= some;
            if (done_ < ranges_[0].bytes) return;
            ranges_ = ranges_.subspan(1);
            done_ = 0;
            skip_empty();
        }
    }

private:
    void skip_empty()
    {
        while (!ranges_.empty() && ranges_[0].bytes == 0) ranges_ = ranges_.subspan(1);
    }

    static constexpr std::size_t most = 512; // Linux takes 1024
    std::span<const Range> ranges_;
    std::size_t done_ = 0; // bytes done of the first range
    std::array<iovec, most> vectors_;
};

} // namespace

bool read_peer(std::int64_t process, std::span<const Range> from, std::span<const Range> to)
{
    Window remote(from);
    Window local(to);
    while (!remote.at_end() && !local.at_end()) {
        const std::span<const iovec> a = remote.vectors();
        const std::span<const iovec> b = local.vectors();
        // One call may not read all: there may be more ranges, or more than 2 GiB.
        const ssize_t some = process_vm_readv(static_cast<pid_t>(process), b.data(), b.size(), a.data(),
                                              a.size(), 0);
        if (some <= 0) return false;
        remote.advance(static_cast<std::size_t>(some));
        local.advance(static_cast<std::size_t>(some));
    }
    return true;
}

bool may_read(std::int64_t process, std::uint64_t address, std::uint64_t value)
{
    std::uint64_t word = 0;
    const Range from{reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address)), sizeof word};
    const Range to{reinterpret_cast<std::byte*>(&word), sizeof word};
    return read_peer(process, {&from, 1}, {&to, 1}) && word == value;
}

} // namespace ortho::base
