// SPDX-License-Identifier: BSD-3-Clause
// Reductions that a device makes by itself.  No MPI in this file.
#pragma once

namespace ortho::memory {

/// to = from (by) to, for numbers of one kind.
struct Reduction {
    enum class Number : unsigned char { int32, int64, float32, float64 };
    enum class By : unsigned char { sum, min, max };

    Number number;
    By by;

    unsigned bytes() const { return number == Number::int32 || number == Number::float32 ? 4 : 8; }
};

} // namespace ortho::memory
