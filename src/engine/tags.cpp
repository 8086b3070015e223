// SPDX-License-Identifier: BSD-3-Clause
// The tags of a communicator's operations.

#include "engine/tags.hpp"

namespace ortho::engine {

int Tags::take(bool hold)
{
    last_ = next();
    if (hold) outstanding_.insert(last_);
    return last_;
}

int Tags::free_persistent(int from) const
{
    int tag = from;
    while (persistent_.contains(tag)) ++tag;
    return tag;
}

void Tags::take_persistent(int tag)
{
    persistent_.insert(tag);
    next_persistent_ = tag < last_persistent ? tag + 1 : first_persistent;
}

} // namespace ortho::engine
