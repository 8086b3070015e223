// SPDX-License-Identifier: BSD-3-Clause
// Calls that were seen before, and calls like them.

#include "engine/replay.hpp"

namespace ortho::engine {

namespace {

/// The temporary space that one may hold.
constexpr std::size_t most_temp_bytes_of_one = std::size_t{1} << 20;

} // namespace

void Replays::add(std::unique_ptr<Replay> replay) noexcept
{
    if (replay->bound.binding->temp_bytes() <= most_temp_bytes_of_one) put_back(std::move(replay));
}

void Replays::drop(const Binding& binding) noexcept
{
    std::erase_if(all_, [&](const auto& replay) { return replay->bound.binding.get() == &binding; });
}

} // namespace ortho::engine
