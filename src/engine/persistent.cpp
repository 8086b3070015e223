// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a communicator agree on when a persistent operation is made.

#include "engine/persistent.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/message_rounds.hpp"
#include "engine/sizes.hpp"
#include "mpi/exchange.hpp"
#include "planner/registry.hpp"
#include "topology/agreement.hpp"
#include "topology/settings.hpp"

namespace ortho::engine {

namespace {

/// One of the names is that of an algorithm for the collective.
bool names_one_of(const std::vector<std::string>& algorithms, planner::Collective collective)
{
    return std::ranges::any_of(algorithms,
                               [&](const std::string& name) { return planner::serves(name, collective); });
}

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

/// How long the call is predicted to take.
std::int64_t predicted_ps(topology::Graph& graph, const Call& call, const Terms& terms)
{
    const std::lock_guard lock(graph.mutex);
    const auto candidates = engine_of(graph).context().candidates(call, terms);
    const planner::Candidate* const best = planner::cheapest(candidates);
    return best == nullptr ? std::numeric_limits<std::int64_t>::max() : best->choice.cost_ps;
}

/// Another call that does what this one does: is it to be made instead?  Both get a note that says so.
bool is_better(topology::Graph& graph, Call& other, Call& call, const Terms& terms)
{
    const bool bound = names_one_of(terms.algorithms, other.collective);
    // Where sizes of blocks are not known, their bytes are left out on both sides: they are the same.
    Call compared = other;
    if (terms.bytes.empty()) compared.halo_bytes = 0;
    const std::int64_t others_ps = predicted_ps(graph, compared, terms);
    const std::int64_t own_ps = predicted_ps(graph, call, terms);
    const bool better = bound || others_ps < own_ps;
    const std::string note =
        base::text(other.note, ": ", better ? "taken" : "not taken", bound ? ", as an algorithm for it is named" : "",
                   ", predicted ", others_ps / 1000, " ns, and ", own_ps / 1000, " ns without");
    other.note = call.note = note;
    return better;
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

    const bool bound = names_one_of(terms.algorithms, call.collective);
    if (terms.bytes.empty() && facts->isomorphism && may_combine(call) &&
        (terms.forwarding == planner::Forwarding::yes || bound))
        compare_sizes(channel, call, *facts->isomorphism, terms);
    const auto is_bound_to = [&](std::string_view name) {
        return std::ranges::find(terms.algorithms, name) != terms.algorithms.end();
    };
    // What takes the call's place may forward blocks, and is not tried.
    if (call.alternative && terms.forwarding == planner::Forwarding::yes && !bound && !is_bound_to(planner::measure)) {
        const std::shared_ptr<Call> other = call.alternative(call);
        if (other && is_better(graph, *other, call, terms)) {
            terms.bytes.clear();
            terms.sizes_compared = false;
            return {std::move(*other), std::move(terms)};
        }
    }
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
