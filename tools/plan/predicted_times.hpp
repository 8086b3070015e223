// SPDX-License-Identifier: BSD-3-Clause
// Predicted times over block sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/planned_call.hpp"

namespace plan {

/// One algorithm's predicted times.
struct Curve {
    std::string algorithm;
    std::vector<std::int64_t> times_ps; ///< at Curves::sizes
};

/// The algorithm that is chosen from `first` to `last` bytes, both included.
struct Reign {
    std::string algorithm;
    std::int64_t first;
    std::int64_t last;
};

struct Curves {
    std::vector<std::int64_t> sizes; ///< of blocks, increasing
    std::vector<Curve> curves;       ///< of the algorithms that apply
    std::vector<Reign> reigns;       ///< without gaps
};

inline constexpr std::int64_t smallest_size = 4;
inline constexpr std::int64_t largest_size = std::int64_t{16} << 20;

/// The times from `smallest_size` to `largest_size`.
Curves make_curves(const Setting& setting, const planner::Planner& planner);

} // namespace plan
