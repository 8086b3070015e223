// SPDX-License-Identifier: BSD-3-Clause
// A bound schedule on its way.

#include "engine/operation.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "engine/copy.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "mpi/wait.hpp"

namespace ortho::engine {

bool take_in(MPI_Comm comm, int tag, std::span<Misfit> misfits)
{
    bool all = true;
    for (Misfit& misfit : misfits)
        while (misfit.messages > 0) {
            int flag = 0;
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Status status;
            mpi::check(PMPI_Improbe(misfit.partner, tag, comm, &flag, &message, &status));
            if (flag == 0) {
                all = false;
                break;
            }
            MPI_Count bytes = 0;
            mpi::check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
            const auto room = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes) +
                                                                          1);
            const mpi::Datatype type = mpi::Datatype::of_bytes(static_cast<MPI_Aint>(bytes));
            mpi::check(PMPI_Mrecv(room.get(), 1, type.get(), &message, MPI_STATUS_IGNORE));
            --misfit.messages;
        }
    return all;
}

Operation::Operation(std::shared_ptr<const Binding> binding, MPI_Comm channel, int tag, MPI_Op op,
                     std::uint32_t number)
    : binding_(std::move(binding)),
      comm_(channel),
      tag_(tag),
      number_(number),
      op_(op),
      phase_(binding_->phases().size()),
      transfers_(*binding_, channel, tag)
{
    // A start must not fail half-way for want of memory.
    std::size_t messages = 0;
    for (const BoundPhase& phase : binding_->phases()) {
        messages = std::max(messages, phase.receives.size() + phase.sends.size());
        transfers_.reserve(phase);
    }
    requests_.reserve(messages);
}

Operation::Operation(std::shared_ptr<const Binding> binding, MPI_Comm users, MPI_Op op)
    : binding_(std::move(binding)),
      comm_(users),
      op_(op),
      phase_(binding_->phases().size()),
      transfers_(*binding_, users, by_collective)
{}

void Operation::start()
{
    phase_ = 0;
    error_ = nullptr;
    if (!binding_->phases().empty())
        begin_phase();
    else if (tag_ == by_collective)
        post_collective({});
}

void Operation::begin_phase()
{
    const BoundPhase& phase = binding_->phases()[phase_];
    if (tag_ == by_collective)
        post_collective(phase);
    else
        post_messages(phase);
    if (tag_ != by_collective) transfers_.advance(); // partners wait
    run(phase, phase.meanwhile);
}

void Operation::post_collective(const BoundPhase& phase)
{
    all_to_all_ = std::make_unique<AllToAll>(comm_, phase);
    requests_.assign(1, MPI_REQUEST_NULL);
    completed_ = 0;
    note(all_to_all_->post(comm_, &requests_[0]));
}

void Operation::post_messages(const BoundPhase& phase)
{
    requests_.assign(phase.receives.size() + phase.sends.size(), MPI_REQUEST_NULL);
    completed_ = 0;
    MPI_Request* request = requests_.data();
    for (const Message& message : phase.receives) {
        const Place& place = message.place;
        note(PMPI_Irecv(place.address, place.count, place.type, message.partner, tag_, comm_, request++));
    }
    transfers_.begin(phase, number_);
    for (const Message& message : phase.sends) {
        const Place& place = message.place;
        if (!message.parts.empty()) gather(message.parts, message.row());
        note(PMPI_Isend(place.address, place.count, place.type, message.partner, tag_, comm_, request++));
    }
}

void Operation::run(const BoundPhase& phase, const Steps& steps)
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
    for (const Step& step : steps.others) {
        if (step.from.count == 0) continue;
        if (step.kind == schedule::Action::Kind::reduce) {
            note(PMPI_Reduce_local(step.from.address, step.to.address, step.to.count, step.to.type, op_));
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

/// A message of the phase has failed: its receives, then its sends.
void Operation::note_failure(int code, const BoundPhase& phase, std::size_t message)
{
    if (tag_ == by_collective || message >= phase.receives.size()) {
        note(code);
        return;
    }
    try {
        const Message& received = phase.receives[message];
        binding_->fail(code, phase, received, mpi::measure(received.place.type).size * received.place.count);
    } catch (...) {
        if (!error_) error_ = std::current_exception();
    }
}

bool Operation::messages_done()
{
    const bool shared_done = transfers_.advance();
    // One by one, in order: in MPICH the errors of MPI_Testall and MPI_Testsome cannot be told
    // apart from others; a request that is complete costs next to nothing.
    while (completed_ < requests_.size()) {
        if (!is_complete(completed_)) return false;
        ++completed_;
    }
    if (shared_done && transfers_.error() && !error_) error_ = transfers_.error();
    return shared_done;
}

bool Operation::is_ready()
{
    for (const BoundPhase& phase : binding_->phases())
        for (const Write& write : phase.writes)
            if (!write.line->is_ready()) {
                mpi::Patience::look_aside();
                return false;
            }
    return true;
}

bool Operation::is_complete(std::size_t message)
{
    // Where has_arrived() has come first there is no request any more, and the blocks may be the user's
    // again.
    if (requests_[message] == MPI_REQUEST_NULL) return true;
    int flag = 0;
    const int code = mpi::test(&requests_[message], &flag);
    if (code != MPI_SUCCESS) note_failure(code, binding_->phases()[phase_], message);
    if (flag == 0 && code == MPI_SUCCESS) return false;
    if (code == MPI_SUCCESS && tag_ != by_collective && !abandoned_) {
        const std::vector<Message>& receives = binding_->phases()[phase_].receives;
        if (message < receives.size() && !receives[message].parts.empty())
            spread(receives[message].row(), receives[message].parts);
    }
    return true;
}

bool Operation::advance()
{
    if (!messages_done()) return false; // of a collective, there are some without a phase, too
    const auto phases = binding_->phases();
    if (abandoned_) {
        if (!take_in(comm_, tag_, surplus_)) return false;
        phase_ = phases.size();
        return true;
    }
    while (phase_ < phases.size()) {
        if (!messages_done()) return false;
        run(phases[phase_], phases[phase_].afterwards);
        ++phase_;
        if (phase_ < phases.size()) begin_phase();
    }
    return is_ready();
}

void Operation::abandon(std::span<const Misfit> misfits)
{
    abandoned_ = true;
    if (binding_->phases().empty()) {
        surplus_.assign(misfits.begin(), misfits.end());
        return;
    }
    const BoundPhase& phase = binding_->phases().front();
    for (Misfit misfit : misfits) {
        for (std::size_t i = 0; i < phase.receives.size(); ++i) {
            if (phase.receives[i].partner != misfit.partner || misfit.messages-- > 0) continue;
            // It will not come; what has come already is complete.
            if (requests_[i] == MPI_REQUEST_NULL) continue;
            note(PMPI_Cancel(&requests_[i]));
            note(PMPI_Wait(&requests_[i], MPI_STATUS_IGNORE));
        }
        if (misfit.messages > 0) surplus_.push_back(misfit);
    }
}

std::vector<int> Operation::waiting_for()
{
    std::set<int> ranks;
    const auto phases = binding_->phases();
    if (tag_ == by_collective) return {};
    if (phase_ < phases.size()) {
        const BoundPhase& phase = phases[phase_];
        const std::size_t receives = phase.receives.size();
        for (std::size_t i = 0; i < requests_.size(); ++i)
            if (!is_complete(i))
                ranks.insert((i < receives ? phase.receives[i] : phase.sends[i - receives]).partner);
        transfers_.add_waiting_for(ranks);
    } else {
        for (const BoundPhase& phase : phases)
            for (const Write& write : phase.writes)
                if (!write.line->is_ready()) ranks.insert(write.message.partner);
    }
    return {ranks.begin(), ranks.end()};
}

bool Operation::has_arrived(int slot)
{
    const Arrival& arrival = binding_->arrival(slot);
    if (arrival.with == Arrival::With::nothing || phase_ > arrival.phase) return true;
    if (phase_ < arrival.phase || arrival.with == Arrival::With::end) return false;
    if (arrival.with == Arrival::With::beginning) return true;
    if (tag_ == by_collective) return messages_done();
    if (arrival.with == Arrival::With::read) return transfers_.has_arrived(arrival.message);
    return is_complete(arrival.message);
}

} // namespace ortho::engine
