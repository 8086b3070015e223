// SPDX-License-Identifier: BSD-3-Clause
// Included before all in test programs for loopback: counts the library's calls.  names.hpp, which make writes,
// has a line for each function: #define ORTHO_X (::loopback::counted<&ORTHO_X>)
#pragma once

#include "mpiortho.h"

extern "C" unsigned long loopback_calls; // in loopback itself

namespace loopback {

template <auto function>
struct Counted;
template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct Counted<function> {
    static Result call(Arguments... arguments)
    {
        ++loopback_calls;
        return function(arguments...);
    }
};
template <auto function>
inline constexpr auto counted = &Counted<function>::call;

} // namespace loopback

#include "names.hpp"
