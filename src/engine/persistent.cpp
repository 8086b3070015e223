// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a communicator agree on when a persistent operation is made.

#include "engine/persistent.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/message_rounds.hpp"
#include "engine/sizes.hpp"
#include "mpi/exchange.hpp"
#include "planner/registry.hpp"
#include "topology/agreement.hpp"
#include "topology/settings.hpp"

namespace ortho::engine {

namespace {

/// If all sizes that processes know of are equal, block by block, they are in the terms.
void compare_sizes(MPI_Comm channel, const Call& call, const topology::Isomorphism& isomorphism, Terms& terms)
{
    // The largest and the smallest size of each block must meet; -1 is no size.
    std::vector<long long> extremes = known_sizes(call, isomorphism);
    const std::size_t n = extremes.size();
    for (std::size_t i = 0; i < n; ++i)
        extremes.push_back(extremes[i] < 0 ? std::numeric_limits<long long>::min() : -extremes[i]);
    mpi::maximize(channel, extremes);
    std::vector<std::int64_t> bytes;
    for (std::size_t i = 0; i < n; ++i) {
        const bool differ = extremes[i] >= 0 && extremes[i] != -extremes[n + i];
        if (differ || extremes[i] == contradictory_size) return;
        bytes.push_back(std::max(0LL, extremes[i])); // nobody has a block that nobody knows
    }
    terms.bytes = std::move(bytes);
    terms.sizes_compared = true;
}

} // namespace

std::pair<Call, Terms> agree_on_call(topology::Graph& graph, const Describe& describe, MPI_Info info)
{
    MPI_Comm const channel = graph.channel.get();
    Call call{};
    Terms terms;
    std::shared_ptr<const topology::Facts> facts;
    const topology::Votes agreed = topology::fail_together(channel, [&] {
        call = describe();
        const std::lock_guard lock(graph.mutex);
        terms = engine_of(graph).context().terms_of(call, Form::persistent);
        facts = graph.facts;
        return topology::votes_of(info);
    });
    if (agreed.forward) terms.forwarding = planner::Forwarding::yes;
    // Who calls for a halo exchange promises to come by, if nothing else is said.
    if (call.halo) terms.forwarding = agreed.may_forward ? planner::Forwarding::yes : planner::Forwarding::if_bound;
    if (!agreed.no_info) {
        topology::Announcement announcement(
            channel, facts->lists.rank == 0 ? topology::algorithms_in(info) : std::string());
        mpi::wait_until([&] { return announcement.advance(); });
        if (!announcement.list().empty())
            terms.algorithms = topology::make_settings(announcement.list(), {}).algorithms;
    }

    const bool bound = std::ranges::any_of(terms.algorithms, [&](const std::string& name) {
        return planner::serves(name, call.collective);
    });
    if (terms.bytes.empty() && facts->isomorphism && may_combine(call) &&
        (terms.forwarding == planner::Forwarding::yes || bound))
        compare_sizes(channel, call, *facts->isomorphism, terms);
    const auto is_bound_to = [&](const char* name) {
        return std::ranges::find(terms.algorithms, name) != terms.algorithms.end();
    };
    if (call.collective == planner::Collective::alltoall && call.irregular &&
        (!bound || is_bound_to("alltoall_ordered")))
        terms.rounds = agree_on_rounds(channel, call, facts->lists, is_bound_to("alltoall_ordered"));
    return {std::move(call), std::move(terms)};
}

int agree_on_tag(topology::Graph& graph)
{
    const auto locked = [&](auto action) {
        const std::lock_guard lock(graph.mutex);
        return action(engine_of(graph).tags());
    };
    // All begin with the same proposal, and go on from the largest to one that is free with them, until
    // all propose the same; after the last tag once more from the first one on.
    int proposal = locked([](const Tags& tags) { return tags.next_persistent(); });
    for (const bool again : {true, false}) {
        while (proposal <= Tags::last_persistent) {
            proposal = locked([&](const Tags& tags) { return tags.free_persistent(proposal); });
            int extremes[] = {proposal, -proposal};
            mpi::maximize(graph.channel.get(), extremes);
            proposal = extremes[0];
            if (extremes[0] != -extremes[1] || proposal > Tags::last_persistent) continue;
            locked([&](Tags& tags) {
                tags.take_persistent(proposal);
                return 0;
            });
            return proposal;
        }
        if (again) proposal = Tags::first_persistent;
    }
    base::fail(base::ErrorKind::other, "request", "too many persistent operations on one communicator");
}

} // namespace ortho::engine
