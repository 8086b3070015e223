// SPDX-License-Identifier: BSD-3-Clause
// Calls that were seen before, with all arguments as last time.

#include "engine/replay.hpp"

namespace ortho::engine {

namespace {

/// How many are kept, and the temporary space that one may hold.
constexpr std::size_t most_replays = 16;
constexpr std::size_t most_temp_bytes_of_one = std::size_t{1} << 20;

} // namespace

void Replays::add(std::unique_ptr<Replay> replay)
{
    if (replay->arguments.empty() || replay->bound.binding->temp_bytes() > most_temp_bytes_of_one) return;
    if (all_.size() == most_replays)
        all_.erase(all_.begin()); // which has not been used for longest, or nearly so
    all_.push_back(std::move(replay));
}

} // namespace ortho::engine
