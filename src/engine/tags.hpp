// SPDX-License-Identifier: BSD-3-Clause
// The tags of a communicator's operations.
#pragma once

#include <set>

#include "topology/graph.hpp"

namespace ortho::engine {

/// Every operation has a tag, so that those that run at once do not see each other's messages.  Tag 0
/// is for setting up; then come those of blocking and non-blocking operations, which all processes
/// start in the same order and so number alike; then those of persistent ones, which are agreed on.  The last
/// one is for some processes to meet.
/// To be used under the graph's mutex.
class Tags {
public:
    /// May the next tag in turn be taken?  If not, the oldest operation of all has it: wait for that.
    bool next_is_free() const { return !outstanding_.contains(next()); }
    /// `hold`: it is not free again until it is given back.
    int take(bool hold);
    void give_back(int tag) { outstanding_.erase(tag); }

    /// How many tags blocking and non-blocking operations take in turn.
    static constexpr int number = 1 << 14;
    static constexpr int first_persistent = number + 1;
    static constexpr int last_persistent = topology::last_tag - 1;

    /// The first tag for persistent operations from `from` on that is free on this process; one more than
    /// the last if none is.
    int free_persistent(int from) const;
    int next_persistent() const { return next_persistent_; }
    void take_persistent(int tag);
    void give_back_persistent(int tag) { persistent_.erase(tag); }

private:
    int next() const { return last_ % number + 1; }

    int last_ = 0;
    std::set<int> outstanding_;
    int next_persistent_ = first_persistent;
    std::set<int> persistent_;
};

} // namespace ortho::engine
