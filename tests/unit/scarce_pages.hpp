// SPDX-License-Identifier: BSD-3-Clause
// The kernel gives this process pages for files only so often, or is interrupted.  For one body of a program.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace pages {

inline std::atomic<int> grants{INT_MAX};  ///< how often there are some before there are none
inline std::atomic<int> interruptions{0}; ///< how often a signal comes first

/// An arena of which so many bytes have been released asks for pages for each block from then on: some have
/// gone back, and it does not know any more which are there.
inline constexpr std::size_t enough_to_go_back = std::size_t{48} << 20;

} // namespace pages

/// In place of the C library's.
extern "C" int fallocate(int file, int mode, off_t offset, off_t length)
{
    if (pages::interruptions > 0) {
        --pages::interruptions;
        errno = EINTR;
        return -1;
    }
    if (mode == 0 && pages::grants-- <= 0) {
        pages::grants = 0;
        errno = ENOMEM;
        return -1;
    }
    return static_cast<int>(syscall(SYS_fallocate, file, mode, offset, length));
}
