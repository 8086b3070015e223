// SPDX-License-Identifier: BSD-3-Clause
// Calls that were seen before, and calls like them.

#include "engine/replay.hpp"

namespace ortho::engine {

void Replays::add(std::unique_ptr<Replay> replay) noexcept
{
    constexpr std::size_t little = std::size_t{1} << 16; // temporary space of one, which is not counted
    const auto temp_bytes = [](const auto& one) { return one->bound.binding->temp_bytes(); };
    if (std::size_t bytes = temp_bytes(replay); bytes > little) {
        for (const auto& other : all_) bytes += temp_bytes(other);
        for (; bytes > most_temp_bytes && !all_.empty(); all_.pop_back()) {
            if (all_.size() > 1) std::swap(all_[next_to_go()], all_.back());
            bytes -= temp_bytes(all_.back());
        }
    }
    put_back(std::move(replay));
}

} // namespace ortho::engine
