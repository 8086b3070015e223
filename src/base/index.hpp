// SPDX-License-Identifier: BSD-3-Clause
// MPI counts in int, and the standard library in std::size_t.  No MPI in this file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ortho {

/// A number that is not negative, as an index.
constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

} // namespace ortho
