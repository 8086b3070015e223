// SPDX-License-Identifier: BSD-3-Clause
// Bytes in memory at regular distances.  No MPI in this file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ortho::grid {

/// Runs of bytes at regular distances, in the order of their addresses.
struct StridedBox {
    struct Axis {
        std::int64_t count;
        std::int64_t stride; ///< in bytes

        bool operator==(const Axis&) const = default;
    };

    std::int64_t address = 0;
    std::vector<Axis> axes; ///< outermost first
    std::int64_t run = 0;   ///< bytes in a row; 0 for an empty box

    bool is_empty() const { return run == 0; }
    std::size_t number_of_runs() const
    {
        std::size_t result = 1;
        for (const Axis& axis : axes) result *= static_cast<std::size_t>(axis.count);
        return result;
    }
    /// All of them, without what lies between.
    std::size_t bytes() const { return number_of_runs() * static_cast<std::size_t>(run); }

    /// Does it consist of units of so many bytes, at addresses that are multiples of that?
    bool has_units_of(std::int64_t unit) const
    {
        const auto fits = [unit](std::int64_t number) { return number % unit == 0; };
        return fits(address) && fits(run) && std::ranges::all_of(axes, fits, &Axis::stride);
    }

    bool operator==(const StridedBox&) const = default;
};

/// The unique description of the box: without axes of one step, and without axes whose steps follow each
/// other without a gap.  Nothing if the order of the axes is not the order of the addresses.
std::optional<StridedBox> normalized(StridedBox box);

/// Two boxes that have a byte in common, by their numbers, the lower one first; nothing if there are none.
/// Strides are positive.  Nothing, too, where it takes much time to find out: boxes of one array, and those of
/// arrays with the same strides, do not.
std::optional<std::pair<std::size_t, std::size_t>> find_overlap(const std::vector<StridedBox>& boxes);

} // namespace ortho::grid
