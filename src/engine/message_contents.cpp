// SPDX-License-Identifier: BSD-3-Clause
// Which blocks a message brings, in words, for errors.

#include "engine/message_contents.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/text.hpp"

namespace ortho::engine {

using schedule::Buffer;
using schedule::Partners;
using schedule::Slot;

namespace {

/// A message may bring thousands.
constexpr std::size_t most_in_words = 16;

/// "slot 3", "slots 0, 3": nothing if there are none.
std::string numbered(const char* one, const char* several, std::vector<int> numbers)
{
    if (numbers.empty()) return {};
    std::ranges::sort(numbers);
    const std::size_t all = numbers.size();
    numbers.resize(std::min(all, most_in_words));
    std::string result = base::text(all == 1 ? one : several, ' ', base::list_of(numbers));
    if (all > numbers.size()) result += base::text(" and ", all - numbers.size(), " more");
    return result;
}

/// The in-edges from a process.
std::vector<int> edges_from(const topology::GraphInfo& graph_info, int source)
{
    std::vector<int> result;
    const std::vector<int>& sources = graph_info.lists.sources;
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (sources[i] == source) result.push_back(static_cast<int>(i));
    return result;
}

} // namespace

[[gnu::hot]] int source_of(const schedule::Schedule& schedule, const topology::GraphInfo& graph_info,
                           const schedule::Round& round)
{
    if (schedule.partners == Partners::graph_edges) return graph_info.lists.sources[at(round.from)];
    return graph_info.isomorphism->neighborhood.grid.neighbor_against(graph_info.lists.rank,
                                                                      schedule.steps[round.from]);
}

[[gnu::hot]] int MessageContents::index_of(Slot slot) const
{
    return canonical_receive ? graph_info->isomorphism->slots.receive[at(slot.index)] : slot.index;
}

std::string MessageContents::of_message(const schedule::Round& round, int block) const
{
    const std::span<const Slot> slots = schedule->receives(round);
    if (schedule->partners == Partners::graph_edges) {
        // A block that goes along an edge is for the slot of that edge, wherever it is put.
        std::vector<int> edges = edges_from(*graph_info, source_of(*schedule, *graph_info, round));
        if (edges.size() != slots.size())
            edges = {round.from};
        else if (block >= 0)
            edges = {edges[at(block)]};
        return numbered("slot", "slots", std::move(edges));
    }
    if (reduces) return "partial results";
    if (block >= 0) return of_slot(slots[at(block)]);
    std::vector<int> here;
    for (const Slot slot : slots)
        if (slot.buffer == Buffer::receive) here.push_back(index_of(slot));
    const std::size_t others = slots.size() - here.size();
    const std::string ours = numbered("slot", "slots", std::move(here));
    if (others == 0) return ours;
    return base::text(ours, ours.empty() ? "" : ", and ",
                      base::counted(static_cast<std::int64_t>(others), "block"), " for other processes");
}

std::string MessageContents::of_slot(Slot slot) const
{
    return reduces || slot.buffer != Buffer::receive ? "a result"
                                                     : numbered("slot", "slots", {index_of(slot)});
}

} // namespace ortho::engine
