// SPDX-License-Identifier: BSD-3-Clause
// A clock for tests of what measures times.
#pragma once

#include <chrono>

/// A clock that stands still until it is told to go on.
struct Clock {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<Clock, duration>;
    static inline time_point time{};
    static inline int asked = 0;
    static time_point now()
    {
        ++asked;
        return time;
    }
};
