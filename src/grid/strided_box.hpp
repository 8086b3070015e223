// SPDX-License-Identifier: BSD-3-Clause
// Bytes in memory at regular distances.  No MPI in this file.
#pragma once

#include <cstdint>
#include <optional>
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

    bool operator==(const StridedBox&) const = default;
};

/// The unique description of the box: without axes of one step, and without axes whose steps follow each
/// other without a gap.  Nothing if the order of the axes is not the order of the addresses.
std::optional<StridedBox> normalized(StridedBox box);

} // namespace ortho::grid
