// SPDX-License-Identifier: BSD-3-Clause
// The system that virtual processes see: time, hosts, and memory to share.
#pragma once

#include <cstdint>
#include <string>

namespace loopback {

/// The name of the running process's node.
std::string node_name();
/// The virtual clock: a microsecond a pick.
std::uint64_t nanoseconds();

/// When the system refuses memory to share.
struct Refusals {
    std::uint64_t from = 0; ///< from this call on; 0: never
    unsigned percent = 0;   ///< of all calls
};
inline Refusals refusals;

} // namespace loopback
