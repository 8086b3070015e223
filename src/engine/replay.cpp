// SPDX-License-Identifier: BSD-3-Clause
// Calls that were seen before, with all arguments as last time.

#include "engine/replay.hpp"

#include <algorithm>

namespace ortho::engine {

namespace {

/// The temporary space that one may hold.
constexpr std::size_t most_temp_bytes_of_one = std::size_t{1} << 20;

} // namespace

Replay* Replays::oldest(const char* function) noexcept
{
    if (all_.size() < most) return nullptr;
    for (const auto& replay : all_)
        if (replay->function == function && replay->shape) return replay.get();
    return nullptr;
}

std::unique_ptr<Replay> Replays::take(const Replay& replay) noexcept
{
    const auto found = std::ranges::find(all_, &replay, &std::unique_ptr<Replay>::get);
    std::unique_ptr<Replay> result = std::move(*found);
    all_.erase(found);
    return result;
}

void Replays::add(std::unique_ptr<Replay> replay) noexcept
{
    if (replay->bound.binding->temp_bytes() <= most_temp_bytes_of_one) put_back(std::move(replay));
}

void Replays::drop(const Binding& binding) noexcept
{
    std::erase_if(all_, [&](const auto& replay) { return replay->bound.binding.get() == &binding; });
}

} // namespace ortho::engine
