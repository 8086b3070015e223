// SPDX-License-Identifier: BSD-3-Clause
// Which copies win trials in this process.  No MPI in this file.
#pragma once

#include <atomic>
#include <cstdint>

namespace ortho::nodequeue {

/// Counts the trials that each way to copy has won, since the process began.
struct CopyChoices {
    std::atomic<std::uint64_t> two_copies{0};
    std::atomic<std::uint64_t> one_copy{0};
    std::atomic<std::uint64_t> usual_stores{0};
    std::atomic<std::uint64_t> stores_past_caches{0};

    static CopyChoices& mine()
    {
        static CopyChoices choices;
        return choices;
    }
};

} // namespace ortho::nodequeue
