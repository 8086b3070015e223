// SPDX-License-Identifier: BSD-3-Clause
// The tags of a communicator's operations.

#include "engine/tags.hpp"

#include <algorithm>

namespace ortho::engine {

[[gnu::hot]] int Tags::take(bool keep)
{
    const int tag = first_ + next_;
    next_ = (next_ + 1) % number_;
    if (keep) outstanding_.insert(std::ranges::lower_bound(outstanding_, tag), tag);
    return tag;
}

[[gnu::hot]] void Tags::give_back(int tag)
{
    const auto found = std::ranges::lower_bound(outstanding_, tag);
    if (found != outstanding_.end() && *found == tag) outstanding_.erase(found);
}

int Tags::free_persistent(int from, int n) const
{
    int first = from;
    for (int tag = from; tag < first + n && first + n - 1 <= last_persistent_; ++tag)
        if (persistent_.contains(tag)) first = tag + 1;
    return first;
}

void Tags::take_persistent(int tag)
{
    persistent_.insert(tag);
    next_persistent_ = tag < last_persistent_ ? tag + 1 : first_persistent();
}

} // namespace ortho::engine
