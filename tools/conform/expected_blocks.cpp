// SPDX-License-Identifier: BSD-3-Clause
#include "conform/expected_blocks.hpp"

#include <algorithm>
#include <cstddef>

#include "base/index.hpp"

namespace conform {

namespace {

using ortho::grid::gap;

using ortho::at;

void put(std::vector<int>& buffer, int place, int process, int block, int call)
{
    for (int k = 0; k < ints_per_block; ++k) buffer[at(place + k)] = content(process, block, call, k);
}

bool holds(const std::vector<int>& buffer, int place, int process, int block, int call)
{
    for (int k = 0; k < ints_per_block; ++k)
        if (buffer[at(place + k)] != content(process, block, call, k)) return false;
    return true;
}

std::string name(const Pattern& pattern, int process, int block, bool personal)
{
    const std::string owner = "process " + std::to_string(process);
    if (!personal) return "the block of " + owner;
    return "the block that " + owner + " sent " + pattern[at(process)].to[at(block)];
}

/// Describes the content of a buffer that has not the right content.
std::string found(const Pattern& pattern, bool personal, int place, int call,
                  const std::vector<int>& received)
{
    const auto begin = received.begin() + place;
    if (std::all_of(begin, begin + ints_per_block, [](int x) { return x == untouched; }))
        return "nothing has come";
    for (int process = 0; process < std::ssize(pattern); ++process) {
        const int blocks = personal ? static_cast<int>(pattern[at(process)].to.size()) : 1;
        for (int block = 0; block < blocks; ++block)
            for (int earlier = call; earlier >= 0; --earlier)
                if (holds(received, place, process, block, earlier))
                    return "there lies " + name(pattern, process, block, personal) +
                           (earlier < call ? " in an earlier call" : "");
    }
    return "there lies no block of any process";
}

} // namespace

int content(int process, int block, int call, int k)
{
    return 1'000'000 * process + 10'000 * block + 100 * call + k + 1;
}

int Placement::place(int slot, int slots) const
{
    return scattered ? (slots - 1 - slot) * (ints_per_block + 1) : slot * ints_per_block;
}

int Placement::ints(int slots) const { return slots * (ints_per_block + 1) + 1; }

std::vector<int> sent(const Part& part, bool personal, Placement placement, int call)
{
    const int slots = personal ? static_cast<int>(part.to.size()) : 1;
    std::vector<int> buffer(at(placement.ints(slots)), untouched);
    for (int slot = 0; slot < slots; ++slot)
        put(buffer, personal ? placement.place(slot, slots) : 0, part.lists.rank, slot, call);
    return buffer;
}

std::vector<int> expected(const Pattern& pattern, int process, bool personal, Placement placement, int call)
{
    const auto& origins = pattern[at(process)].origins;
    const int slots = static_cast<int>(origins.size());
    std::vector<int> buffer(at(placement.ints(slots)), untouched);
    for (int slot = 0; slot < slots; ++slot) {
        const Origin& origin = origins[at(slot)];
        if (origin.process != gap)
            put(buffer, placement.place(slot, slots), origin.process, personal ? origin.slot : 0, call);
    }
    return buffer;
}

std::string mistake(const Pattern& pattern, int process, bool personal, Placement placement, int call,
                    const std::vector<int>& received)
{
    if (received == expected(pattern, process, personal, placement, call)) return "";
    const Part& part = pattern[at(process)];
    const int slots = static_cast<int>(part.origins.size());
    for (int slot = 0; slot < slots; ++slot) {
        const Origin& origin = part.origins[at(slot)];
        const int place = placement.place(slot, slots);
        const std::string here = part.in_slots[at(slot)] + " of process " + std::to_string(process);
        const auto begin = received.begin() + place;
        if (origin.process == gap) {
            if (std::any_of(begin, begin + ints_per_block, [](int x) { return x != untouched; }))
                return "something was written into " + here + ", which has no neighbor";
            continue;
        }
        const int block = personal ? origin.slot : 0;
        if (!holds(received, place, origin.process, block, call))
            return name(pattern, origin.process, block, personal) + " did not land in " + here + ": " +
                   found(pattern, personal, place, call, received);
    }
    return "process " + std::to_string(process) + ": something was written outside the slots";
}

} // namespace conform
