// SPDX-License-Identifier: BSD-3-Clause
// Which copies win trials in this process.  No MPI in this file.
#pragma once

#include <atomic>
#include <cstdint>

namespace ortho::nodequeue {

/// Counts the trials that each way to copy has won, since the process began.
struct CopyChoices {
    using Count = std::atomic<std::uint64_t>;
    Count two_copies{0};
    Count one_copy{0};
    Count usual_stores{0};
    Count stores_past_caches{0};

    static CopyChoices& mine()
    {
        static CopyChoices choices;
        return choices;
    }
    static void count(Count& winner) { winner.fetch_add(1, std::memory_order_relaxed); }
};

} // namespace ortho::nodequeue
