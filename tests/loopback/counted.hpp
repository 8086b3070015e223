// SPDX-License-Identifier: BSD-3-Clause
// Included before all in test programs that loopback plays: counts the library's calls there.  Under mpiexec
// it passes them on.  calls/counted.hpp, which make writes, has a line for each function:
// #define ORTHO_X (::loopback::counted<&ORTHO_X>), or counted_look
#pragma once

#include "mpiortho.h"

// In loopback itself, and nowhere else: all calls, and those that do not only look.
extern "C" __attribute__((weak)) unsigned long loopback_calls;
extern "C" __attribute__((weak)) unsigned long loopback_steps;

namespace loopback {

template <auto function, bool looks>
struct Counted;
template <class Result, class... Arguments, Result (*function)(Arguments...), bool looks>
struct Counted<function, looks> {
    static Result call(Arguments... arguments)
    {
        if (&loopback_calls != nullptr) {
            ++loopback_calls;
            if (!looks) ++loopback_steps;
        }
        return function(arguments...);
    }
};
template <auto function>
inline constexpr auto counted = &Counted<function, false>::call;
template <auto function>
inline constexpr auto counted_look = &Counted<function, true>::call;

} // namespace loopback

#include "calls/counted.hpp"
