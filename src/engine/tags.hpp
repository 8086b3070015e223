// SPDX-License-Identifier: BSD-3-Clause
// The tags of a communicator's operations.
#pragma once

#include <functional>
#include <map>
#include <set>

namespace ortho::engine {

/// Every operation has a tag, so that those that run at once do not see each other's messages.  Tag 0
/// is for setting up; then come those of blocking and non-blocking operations, which all processes
/// start in the same order and so number alike; then those of persistent ones, which are agreed on.
/// To be used under the graph's mutex.
class Tags {
public:
    /// Somebody who can be waited for: drives an operation, true once it is over.
    using Drive = std::function<bool()>;

    /// What has the next tag in turn, if something has it still: the oldest operation of all.  Wait
    /// for it before take().
    Drive holder_of_next() const;

    /// The next tag in turn.  `drive` may be empty for operations that are over before the next one.
    int take(Drive drive);
    void give_back(int tag) { outstanding_.erase(tag); }

    /// The first tag for persistent operations from `from` on that is free on this process; -1 if none is.
    int free_persistent(int from) const;
    int next_persistent() const { return next_persistent_; }
    void take_persistent(int tag);
    void give_back_persistent(int tag) { persistent_.erase(tag); }

private:
    int next() const;

    int last_ = 0;
    std::map<int, Drive> outstanding_;
    int next_persistent_ = first_persistent;
    std::set<int> persistent_;

    // MPI has at least 32 768 tags.
    static constexpr int most = 1 << 14;
    static constexpr int first_persistent = most + 1;
    static constexpr int last_persistent = (1 << 15) - 1;
};

} // namespace ortho::engine
