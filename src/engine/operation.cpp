// SPDX-License-Identifier: BSD-3-Clause
// A bound schedule on its way.

#include "engine/operation.hpp"

#include <utility>

#include "engine/copy.hpp"
#include "mpi/failure.hpp"

namespace ortho::engine {

Operation::Operation(std::shared_ptr<const Binding> binding, MPI_Comm channel, int tag, MPI_Op op)
    : binding_(std::move(binding)), channel_(channel), tag_(tag), op_(op)
{
    if (phase_ < binding_->phases().size()) begin_phase();
}

void Operation::begin_phase()
{
    const BoundPhase& phase = binding_->phases()[phase_];
    requests_.clear();
    completed_ = 0;
    const auto post = [&](const Message& message, const auto& call) {
        MPI_Request request = MPI_REQUEST_NULL;
        const Place& place = message.place;
        const int code = call(place.address, place.count, place.type, message.partner, tag_, channel_,
                              &request);
        note(code);
        if (code == MPI_SUCCESS) requests_.push_back(request);
    };
    for (const Message& message : phase.receives) post(message, PMPI_Irecv);
    for (const Message& message : phase.sends) post(message, PMPI_Isend);
    run(phase.meanwhile);
}

void Operation::run(std::span<const Step> steps)
{
    for (const Step& step : steps) {
        if (step.from.count == 0) continue;
        if (step.kind == schedule::Action::Kind::reduce) {
            note(PMPI_Reduce_local(step.from.address, step.to.address, step.to.count, step.to.type, op_));
            continue;
        }
        try {
            copy(step.from, step.to);
        } catch (const mpi::Failure& failure) {
            note(failure.code());
        } catch (...) {
            if (!thrown_) thrown_ = std::current_exception();
        }
    }
}

bool Operation::messages_done()
{
    // One by one, in order: in MPICH the errors of MPI_Testall and MPI_Testsome cannot be told
    // apart from others; a request that is complete costs next to nothing.
    while (completed_ < requests_.size()) {
        int flag = 0;
        const int code = PMPI_Test(&requests_[completed_], &flag, MPI_STATUS_IGNORE);
        note(code);
        if (flag == 0 && code == MPI_SUCCESS) return false;
        ++completed_;
    }
    return true;
}

bool Operation::advance()
{
    const auto phases = binding_->phases();
    while (phase_ < phases.size()) {
        if (!messages_done()) return false;
        run(phases[phase_].afterwards);
        ++phase_;
        if (phase_ < phases.size()) begin_phase();
    }
    return true;
}

} // namespace ortho::engine
