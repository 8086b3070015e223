// SPDX-License-Identifier: BSD-3-Clause
// The memory that a process shares with its node for a call.

#include "plan/call_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nodequeue/ring.hpp"
#include "plan/slot_table.hpp"
#include "size_text.hpp"

namespace plan {

namespace {

namespace schedule = ortho::schedule;

/// By process of its node: the bytes of the longest message to it.
std::map<int, std::int64_t> longest_on_node(const Course& course, const grid::Nodes* nodes)
{
    std::map<int, std::int64_t> longest;
    const schedule::Schedule& schedule = *course.plan.schedule;
    for (const schedule::Phase& phase : schedule.phases) {
        std::map<int, std::int64_t> sent;
        for (const schedule::Round& round : schedule.rounds_of(phase)) {
            if (round.to == schedule::nobody) continue;
            const int partner = target_of(course, round);
            const bool is_here = nodes == nullptr || nodes->of(partner) == nodes->of(course.rank);
            if (is_here && partner != course.rank) sent[partner] += sent_bytes(course, round);
        }
        for (const auto& [partner, bytes] : sent) longest[partner] = std::max(longest[partner], bytes);
    }
    return longest;
}

std::string ring_bytes_text(const std::map<int, std::int64_t>& longest, std::uint64_t messages)
{
    std::int64_t sum = 0;
    for (const auto& [partner, bytes] : longest)
        sum += static_cast<std::int64_t>(
            sizeof(ortho::nodequeue::RingMemory) +
            ortho::nodequeue::ring_capacity(static_cast<std::uint64_t>(bytes), messages));
    return tools::size_text(sum);
}

} // namespace

void print_memory(const Course& course)
{
    const ortho::schedule::Layout& layout = course.setting->layout;
    const grid::Nodes* const nodes = layout.one_node ? nullptr : layout.nodes.get();
    const std::int64_t processes = nodes != nullptr  ? std::ssize(nodes->members(nodes->of(course.rank)))
                                   : layout.one_node ? course.grid().points()
                                                     : 1;
    if (processes == 1) {
        fmt::print("\nMemory of a node: none, as processes are alone on theirs (--nodes)\n");
        return;
    }
    const auto longest = longest_on_node(course, nodes);
    constexpr std::int64_t uses = 2; // by blocking and by other calls
    fmt::print("\nMemory of a node, by process {} on a node of {}:\n", course.rank,
               counted(processes, "process", "processes"));
    fmt::print("  mailboxes  {}\n",
               tools::size_text(uses * processes * std::int64_t{sizeof(ortho::nodequeue::Mailbox)}));
    fmt::print("  rings      {} to {}; {} once they have been used some times\n",
               ring_bytes_text(longest, ortho::nodequeue::a_few), counted(std::ssize(longest), "partner"),
               ring_bytes_text(longest, ortho::nodequeue::many));
}

} // namespace plan
