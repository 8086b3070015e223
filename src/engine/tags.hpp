// SPDX-License-Identifier: BSD-3-Clause
// The tags of a communicator's operations.  No MPI in this file.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

namespace ortho::engine {

/// Every operation has a tag, so that operations that run at once do not see each other's messages.  First
/// come the tags of blocking and non-blocking operations.  All processes start these in the same order, and
/// so number them alike.  Then come the tags of persistent operations, on which processes agree.  To be used
/// under the graph's mutex.
class Tags {
public:
    /// From `first` to `last`.
    Tags(int first, int last)
        : first_(first),
          number_((last - first + 1) / 2),
          last_persistent_(last),
          next_persistent_(first_persistent())
    {}

    /// May the next tag in turn be taken?  If not, the oldest operation of all has it: wait for that.
    bool next_is_free() const { return !std::ranges::binary_search(outstanding_, first_ + next_); }
    /// `keep`: it is not free again until it is given back.
    int take(bool keep);
    void give_back(int tag);

    // The first of the tags that are taken in turn, and how many there are.
    int first() const { return first_; }
    int number() const { return number_; }
    int first_persistent() const { return first_ + number_; }
    int last_persistent() const { return last_persistent_; }

    /// The first of `n` tags for persistent operations in a row, from `from` on, that are free on this
    /// process; beyond the last such first tag if there are none.
    int free_persistent(int from, int n) const;
    int next_persistent() const { return next_persistent_; }
    void take_persistent(int tag);
    void give_back_persistent(int tag) { persistent_.erase(tag); }

private:
    int first_;
    int number_;                   // of tags that blocking and non-blocking operations take in turn
    int next_ = 0;                 // of these
    std::vector<int> outstanding_; // in order: a few, mostly the latest, and no memory for each
    int last_persistent_;
    int next_persistent_;
    std::set<int> persistent_;
};

} // namespace ortho::engine
