// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_STALL_S: who waits long says for whom.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "topology/graph.hpp"

namespace ortho::engine {

/// A call on a communicator that does not go on.
struct Waiting {
    const char* function;
    std::string title;      ///< of the communicator
    int rank;               ///< of this process
    std::vector<int> ranks; ///< that it waits for; none: it is not known which
};

/// Takes the graph's mutex.
Waiting waiting_of(topology::Graph& graph, const char* function, std::vector<int> ranks);

/// Of one wait: tells once when it has taken so many seconds.
class StallWatch {
public:
    /// Of no seconds, never.
    explicit StallWatch(int seconds) : seconds_(seconds)
    {
        if (seconds_ > 0) begin_ = Clock::now();
    }

    bool is_time() { return seconds_ > 0 && has_come(); }
    /// On stderr.  `inside`: the function that waits for the call, if that is another.
    void report(const char* inside, const Waiting& waiting) const;

private:
    using Clock = std::chrono::steady_clock;

    bool has_come();

    int seconds_;
    bool has_told_ = false;
    Clock::time_point begin_{};
};

} // namespace ortho::engine
