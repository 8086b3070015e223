// SPDX-License-Identifier: BSD-3-Clause
// Kinds of networks that a few messages can tell apart.  No MPI in this file.

#include "planner/network_kind.hpp"

#include <algorithm>
#include <iterator>

#include "base/index.hpp"

namespace ortho::planner {

namespace {

// With sockets each message is a system call at both ends, and an interrupt: at least 10 us.  A network with
// its own access to the processes' memory takes 1 to 3 us.
constexpr schedule::Machine built_in;
constexpr NetworkKind kinds[] = {
    {"a fast network", 0, 0, built_in.network, built_in.injection_byte_ps},
    {"sockets", 8'000'000, 0, {4'500'000, 4'500'000, 8'000'000, 500, 400}, 500},
    {"sockets of about 1 Gbit/s", 8'000'000, 2'500, {4'500'000, 4'500'000, 20'000'000, 8'000, 400}, 8'000},
};

} // namespace

std::span<const NetworkKind> network_kinds() { return kinds; }

int network_kind_of(std::int64_t latency_ps, std::int64_t byte_ps)
{
    int result = 0;
    for (int i = 0; i < static_cast<int>(std::size(kinds)); ++i)
        if (latency_ps >= kinds[i].latency_from_ps &&
            std::max<std::int64_t>(0, byte_ps) >= kinds[i].byte_from_ps)
            result = i;
    return result;
}

schedule::Machine with_network(schedule::Machine machine, int kind)
{
    if (kind == 0) return machine;
    machine.network = network_kinds()[at(kind)].link;
    machine.injection_byte_ps = network_kinds()[at(kind)].injection_byte_ps;
    return machine;
}

} // namespace ortho::planner
