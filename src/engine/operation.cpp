// SPDX-License-Identifier: BSD-3-Clause
// A bound schedule on its way.

#include "engine/operation.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "mpi/failure.hpp"
#include "mpi/operator.hpp"
#include "transport/data_location.hpp"
#include "transport/packing.hpp"

namespace ortho::engine {

namespace {

/// How often to look for messages before what is local: late ones leave time for that.
constexpr unsigned looks_first(const BoundPhase& phase)
{
    // MPI copies these in the looks.  With 26 blocks of 128 KiB the other order takes a quarter longer.
    constexpr unsigned patient = 4000;
    return phase.local_last ? patient : 1;
}

} // namespace

Operation::Operation(std::shared_ptr<const Binding> binding, MPI_Op op)
    : binding_(std::move(binding)),
      op_(op),
      is_on_devices_(binding_->staging() != nullptr),
      phase_(binding_->phases().size()),
      passages_(binding_->transports().size())
{
    first_leg_.push_back(0);
    for (const BoundPhase& phase : binding_->phases()) {
        for (std::size_t i = 0; i < passages_.size(); ++i) {
            if (!phase.messages[i]) continue;
            if (!passages_[i]) passages_[i] = binding_->transports()[i]->passage(*binding_);
            passages_[i]->reserve(*phase.messages[i]);
            legs_.push_back({passages_[i].get(), phase.messages[i].get()});
            may_be_full_ = may_be_full_ || passages_[i]->may_be_full();
        }
        first_leg_.push_back(legs_.size());
    }
    may_begin_early_ = is_on_devices_ && first_leg_.size() > 1 && first_leg_[1] > 0 &&
                       legs_[first_leg_[1] - 1].messages->sends_from_rows();
}

template <class Action>
void Operation::attempt(Action action)
{
    try {
        action();
    } catch (...) {
        if (!error_) error_ = std::current_exception();
    }
}

[[gnu::hot]] void Operation::start(transport::Stamp stamp)
{
    reset(stamp);
    if (is_on_devices_) [[unlikely]] {
        staged_ = Staged::with_host;
        attempt([&] { fetch_now(); });
    }
    if (!binding_->phases().empty()) begin_phase();
}

void Operation::start_behind(void* stream, transport::Stamp stamp)
{
    reset(stamp);
    if (is_on_devices_) {
        staged_ = Staged::coming;
        attempt([&] { binding_->staging()->fetch(stream); });
        return;
    }
    attempt([&] { memory::wait_for(stream); });
    if (!binding_->phases().empty()) begin_phase();
}

void Operation::fetch_now()
{
    Staging& staging = *binding_->staging();
    staging.fetch(nullptr);
    while (staging.wait_for_piece()) begin_early();
}

void Operation::begin_early()
{
    if (!may_begin_early_ || !binding_->staging()->is_coming()) return;
    const Leg& leg = legs().back();
    if (std::exchange(has_begun_early_, true))
        leg.passage->post_more();
    else
        leg.passage->post(*leg.messages, stamp_);
}

/// Has what a start behind a stream waits for come?  Then it begins.
bool Operation::is_fetched()
{
    bool is = true;
    attempt([&] {
        is = binding_->staging()->is_fetched();
        if (!is) begin_early();
    });
    if (!is) return false;
    staged_ = Staged::with_host;
    if (!binding_->phases().empty()) begin_phase();
    return true;
}

/// All has come: copies it to the devices.  Is that done?
bool Operation::is_stored()
{
    Staging& staging = *binding_->staging();
    if (staged_ == Staged::with_host) {
        attempt([&] { staging.store(); });
        staged_ = Staged::leaving;
    }
    if (staged_ == Staged::leaving) {
        bool is = true;
        attempt([&] { is = staging.is_stored(); });
        if (is) staged_ = Staged::gone;
    }
    return staged_ == Staged::gone;
}

bool Operation::precede(void* stream)
{
    if (staged_ != Staged::leaving || (may_be_full_ && !is_ready())) return false;
    attempt([&] { binding_->staging()->precede(stream); });
    staged_ = Staged::gone;
    return true;
}

[[gnu::hot]] void Operation::begin_phase()
{
    if (has_begun_early_) [[unlikely]]
        legs().back().passage->post_more(); // all has come
    // The messages for which others may wait longest go first: the last transports lead farthest.
    for (const Leg& leg : std::views::reverse(legs()))
        if (!std::exchange(has_begun_early_, false)) leg.passage->post(*leg.messages, stamp_);
    has_run_meanwhile_ = false;
    looks_ = 0;
}

/// Runs the local steps that do not wait for messages.
[[gnu::hot]] void Operation::run_meanwhile()
{
    if (std::exchange(has_run_meanwhile_, true)) return;
    const BoundPhase& phase = binding_->phases()[phase_];
    if (!phase.meanwhile.empty()) run(phase, phase.meanwhile);
}

[[gnu::hot]] void Operation::run(const BoundPhase& phase, const Steps& steps)
{
    for (const auto& [from, to, bytes] : steps.copies) {
        // One number is copied by one instruction.
        if (bytes == 4)
            std::memcpy(to, from, 4);
        else if (bytes == 8)
            std::memcpy(to, from, 8);
        else if (bytes > 0)
            std::memcpy(to, from, bytes);
    }
    if (!steps.copies.empty()) return; // they are in place of all others
    for (const auto& [from, to, bytes] : steps.on_devices)
        attempt(
            [&] { to.transfer->copy_to_stored(*from.transfer->shared(), from.offset, to.offset, bytes); });
    for (const Step& step : steps.others) {
        if (step.from.count == 0) continue;
        if (step.kind == schedule::Action::Kind::reduce) {
            note(mpi::reduce_local(step.from.address, step.to.address, step.to.count, step.to.type, op_));
            continue;
        }
        if (!step.boxes.empty()) {
            copy(step.boxes, step.parts);
            continue;
        }
        try {
            copy(step.from, step.to);
        } catch (const base::Error& error) {
            if (error_) continue;
            error_ = std::make_exception_ptr(
                base::Error(error.kind(), error.argument(),
                            base::text(error.what(), " in ", binding_->contents_of(phase, step))));
        } catch (...) {
            if (!error_) error_ = std::current_exception();
        }
    }
}

void Operation::note(int code)
{
    if (code != MPI_SUCCESS && !error_) error_ = std::make_exception_ptr(mpi::Failure(code));
}

[[gnu::hot]] bool Operation::messages_done(runtime::Backoff& backoff)
{
    bool all = true;
    for (const Leg& leg : legs()) all = leg.passage->advance(backoff) && all;
    if (!all) return false;
    for (const Leg& leg : legs())
        if (!error_) error_ = leg.passage->error();
    return true;
}

[[gnu::hot]] bool Operation::advance(runtime::Backoff& backoff)
{
    const auto phases = binding_->phases();
    if (is_abandoned_) [[unlikely]] {
        for (const auto& passage : passages_)
            if (passage && !passage->advance(backoff)) return false;
        phase_ = phases.size();
        staged_ = Staged::gone;
        return true;
    }
    if (staged_ == Staged::coming && !is_fetched()) {
        backoff.looked_at_memory();
        return false;
    }
    while (phase_ < phases.size()) {
        const bool are_through = messages_done(backoff);
        if (are_through || ++looks_ == looks_first(phases[phase_])) run_meanwhile();
        if (!are_through) return false;
        if (const Steps& steps = phases[phase_].afterwards; !steps.empty()) run(phases[phase_], steps);
        ++phase_;
        if (phase_ < phases.size()) begin_phase();
    }
    const bool is_there = staged_ == Staged::gone || is_stored();
    if (is_there && (!may_be_full_ || is_ready())) return true;
    backoff.looked_at_memory();
    return false;
}

/// Is the next start() sure to find room?
bool Operation::is_ready()
{
    return std::ranges::all_of(legs_,
                               [](const Leg& leg) { return leg.passage->is_ready(*leg.messages, nullptr); });
}

void Operation::abandon(std::span<const int> ranks)
{
    is_abandoned_ = true;
    for (const auto& passage : passages_)
        if (passage) passage->abandon(ranks);
}

void Operation::give_up(int code)
{
    error_ = std::make_exception_ptr(mpi::Failure(code));
    is_abandoned_ = true;
    for (const auto& passage : passages_)
        if (passage) passage->give_up();
}

std::vector<int> Operation::waiting_for()
{
    std::set<int> ranks;
    if (phase_ < binding_->phases().size())
        for (const Leg& leg : legs()) leg.passage->add_waiting_for(ranks);
    else
        for (const Leg& leg : legs_) leg.passage->is_ready(*leg.messages, &ranks);
    return {ranks.begin(), ranks.end()};
}

bool Operation::has_arrived(int slot)
{
    if (staged_ == Staged::coming || !has_reached_host(slot)) return false;
    if (staged_ == Staged::with_host) attempt([&] { binding_->staging()->store_block(slot); });
    return staged_ != Staged::leaving;
}

bool Operation::has_reached_host(int slot)
{
    const Arrival& arrival = binding_->arrival(slot);
    if (arrival.with == Arrival::With::nothing || phase_ > arrival.phase) return true;
    if (phase_ < arrival.phase || arrival.with == Arrival::With::end) return false;
    if (arrival.with == Arrival::With::message)
        return passages_[arrival.transport]->has_arrived(arrival.message);
    run_meanwhile();
    return true;
}

} // namespace ortho::engine
