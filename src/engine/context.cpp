// SPDX-License-Identifier: BSD-3-Clause
// What the engine keeps with a communicator that carries a graph.

#include "engine/context.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace ortho::engine {

namespace {

using planner::Collective;

/// Bindings kept, and the temporary space they may hold together.
constexpr std::size_t most_kept = 32;
constexpr std::size_t most_temp_bytes = std::size_t{64} << 20;

/// Tags of operations: 1..most_tags, in turn.  0 is for setting up.
constexpr int most_tags = 1 << 14;

planner::Situation situation_of(const topology::Facts& facts)
{
    planner::Situation situation;
    situation.graph = facts.lists;
    if (const auto& isomorphism = facts.isomorphism) {
        situation.neighborhood = isomorphism->neighborhood;
        situation.regular_sizes_agree = isomorphism->regular_sizes_agree;
        // A forwarding process reads the sizes of others' blocks off its own slots.
        const bool every_index_has_a_slot =
            isomorphism->neighborhood.grid.is_torus() || facts.stencil_size.has_value();
        situation.irregular_sizes_agree = facts.settings->assert_uniform && every_index_has_a_slot;
    }
    return situation;
}

std::uint64_t hash_of(const Key& key)
{
    // FNV-1a, by words; equality decides in the end.
    std::uint64_t hash = 14695981039346656037U;
    for (const std::uint64_t word : key) hash = (hash ^ word) * 1099511628211U;
    return hash;
}

void require_equal_sizes(MPI_Count sent, MPI_Count received)
{
    base::require(sent <= received, base::ErrorKind::truncate, "recvcount", "blocks of ", received,
                  " bytes received and of ", sent, " bytes sent, in a stencil that makes them equal");
    base::require(sent == received, base::ErrorKind::count, "sendcount", "blocks of ", sent,
                  " bytes sent and of ", received, " bytes received, in a stencil that makes them equal");
}

/// The bytes of the blocks of a call whose sizes agree everywhere: one number if they are
/// all equal, else one for each canonical index.
std::vector<std::int64_t> agreed_bytes(const Call& call, const topology::Isomorphism& isomorphism)
{
    const bool gathers = call.collective == Collective::allgather;
    if (!call.irregular || gathers) {
        // One number; a process may have a block on one side only to read it from.
        std::optional<MPI_Count> bytes;
        if (call.send.slots() > 0) bytes = call.send.bytes(0);
        const int different = call.irregular ? call.receive.slots() : std::min(1, call.receive.slots());
        for (int slot = 0; slot < different; ++slot) {
            if (call.receive.is_gap(slot)) continue;
            if (!bytes) bytes = call.receive.bytes(slot);
            require_equal_sizes(*bytes, call.receive.bytes(slot));
        }
        return {bytes.value_or(0)};
    }
    std::vector<std::int64_t> bytes;
    for (std::size_t i = 0; i < isomorphism.size_slots.size(); ++i) {
        bytes.push_back(call.send.bytes(isomorphism.size_slots[i]));
        const int slot = isomorphism.slots.receive[i];
        if (slot != grid::gap) require_equal_sizes(bytes.back(), call.receive.bytes(slot));
    }
    return bytes;
}

} // namespace

Context::Context(std::shared_ptr<const topology::Facts> facts)
    : facts_(std::move(facts)), planner_(situation_of(*facts_), {facts_->settings->algorithms, {}})
{
}

std::shared_ptr<const Binding> Context::bind(const Call& call)
{
    key_.clear();
    key_.push_back(static_cast<std::uint64_t>(call.collective));
    key_.push_back(static_cast<std::uint64_t>(call.root));
    key_.push_back((call.in_place ? 2U : 0U) | (call.irregular ? 1U : 0U));
    call.send.append_to(key_);
    call.receive.append_to(key_);
    const std::uint64_t hash = hash_of(key_);
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
        if (kept->hash != hash || kept->key != key_) continue;
        kept_.splice(kept_.begin(), kept_, kept);
        return kept->binding;
    }
    auto binding = make(call);
    keep({hash, key_, binding});
    return binding;
}

std::shared_ptr<const Binding> Context::make(const Call& call)
{
    const planner::Situation& situation = planner_.situation();
    planner::Problem problem{.collective = call.collective, .root = call.root, .in_place = call.in_place,
                             .irregular = call.irregular};
    std::vector<std::int64_t> bytes;
    const bool agree = situation.irregular_sizes_agree ||
                       (situation.regular_sizes_agree && !call.irregular);
    if (agree && (call.collective == Collective::alltoall || call.collective == Collective::allgather)) {
        bytes = agreed_bytes(call, *facts_->isomorphism);
        problem.block_bytes = bytes.size() == 1 ? bytes[0] : 0;
        problem.sizes = bytes;
    }
    const planner::Plan plan = planner_.plan(problem);
    const bool canonical = plan.algorithm->canonical;
    return std::make_shared<const Binding>(BindingRequest{
        .schedule = *plan.schedule,
        .facts = *facts_,
        .canonical_send = canonical && call.collective == Collective::alltoall,
        .canonical_receive = canonical,
        .send = call.send,
        .receive = call.receive,
        .reduces = call.op != MPI_OP_NULL,
        .transit_bytes = bytes,
    });
}

void Context::keep(Kept kept)
{
    if (kept.binding->temp_bytes() > most_temp_bytes) return;
    kept_temp_bytes_ += kept.binding->temp_bytes();
    kept_.push_front(std::move(kept));
    while (kept_.size() > most_kept || kept_temp_bytes_ > most_temp_bytes) {
        kept_temp_bytes_ -= kept_.back().binding->temp_bytes();
        kept_.pop_back();
    }
}

int Context::next_tag()
{
    last_tag_ = last_tag_ % most_tags + 1;
    return last_tag_;
}

Context& context_of(topology::Graph& graph)
{
    if (!graph.engine) graph.engine = std::make_unique<Context>(graph.facts);
    return static_cast<Context&>(*graph.engine);
}

} // namespace ortho::engine
