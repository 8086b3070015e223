// SPDX-License-Identifier: BSD-3-Clause
// The arena of tests of channels, and mailboxes in it.  For one body of a program, after the bodies that it tests.
#pragma once

#include <sys/stat.h>

#include <new>

#include "nodequeue/ring.hpp"

inline ortho::nodequeue::Arena& arena()
{
    ortho::nodequeue::Arena* const mine = ortho::nodequeue::Arena::mine();
    if (mine == nullptr) throw std::bad_alloc(); // every Linux that we test on has anonymous files
    return *mine;
}

/// The status of the arena's file.
inline struct stat arena_status()
{
    struct stat result {};
    fstat(static_cast<int>(arena().address().file), &result);
    return result;
}

/// A mailbox in the arena.
class Posted {
public:
    Posted() : mailbox_(new (arena().allocate(sizeof *mailbox_)) ortho::nodequeue::Mailbox()) {}
    ~Posted() { arena().release(reinterpret_cast<std::byte*>(mailbox_)); }
    Posted(const Posted&) = delete;
    Posted& operator=(const Posted&) = delete;
    ortho::nodequeue::Mailbox& operator*() { return *mailbox_; }

private:
    ortho::nodequeue::Mailbox* mailbox_;
};
