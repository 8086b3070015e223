// SPDX-License-Identifier: BSD-3-Clause
// Operations that are over, and may come again.

#include "engine/kept_operations.hpp"

namespace ortho::engine {

void KeptOperations::add(std::unique_ptr<KeptOperation> kept) noexcept
{
    constexpr std::size_t little = std::size_t{1} << 16; // temporary space of one, which is not counted
    const auto temp_bytes = [](const auto& one) { return one->bound.binding->temp_bytes(); };
    if (std::size_t bytes = temp_bytes(kept); bytes > little) {
        for (const auto& other : all_) bytes += temp_bytes(other);
        for (; bytes > most_temp_bytes && !all_.empty(); all_.pop_back()) {
            if (all_.size() > 1) std::swap(all_[next_to_go()], all_.back());
            bytes -= temp_bytes(all_.back());
        }
    }
    put_back(std::move(kept));
}

} // namespace ortho::engine
