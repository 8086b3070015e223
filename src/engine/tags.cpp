// SPDX-License-Identifier: BSD-3-Clause
// The tags of a communicator's operations.

#include "engine/tags.hpp"

#include <utility>

namespace ortho::engine {

int Tags::next() const { return last_ % most + 1; }

Tags::Drive Tags::holder_of_next() const
{
    const auto found = outstanding_.find(next());
    return found == outstanding_.end() ? Drive() : found->second;
}

int Tags::take(Drive drive)
{
    last_ = next();
    if (drive) outstanding_[last_] = std::move(drive);
    return last_;
}

int Tags::free_persistent(int from) const
{
    int tag = from;
    do {
        if (!persistent_.contains(tag)) return tag;
        tag = tag < last_persistent ? tag + 1 : first_persistent;
    } while (tag != from);
    return -1;
}

void Tags::take_persistent(int tag)
{
    persistent_.insert(tag);
    next_persistent_ = tag < last_persistent ? tag + 1 : first_persistent;
}

} // namespace ortho::engine
