// SPDX-License-Identifier: BSD-3-Clause
// A bound schedule on its way.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "engine/all_to_all.hpp"
#include "engine/binding.hpp"
#include "engine/transfers.hpp"

namespace ortho::engine {

/// A partner whose call does not fit, and how many messages of it come from there.
struct Misfit {
    int partner;
    int messages;
};

/// Take in what has come of these messages, and throw it away; true once all have.
bool take_in(MPI_Comm comm, int tag, std::span<Misfit> misfits);

/// Executions of a binding, one after the other: begun by start(), driven by advance(), over when
/// that returns true.  Errors on the way do not stop it, lest partners wait for ever; the first is
/// kept.
class Operation {
public:
    /// By messages on a channel.  `op` is MPI_OP_NULL for operations that reduce nothing.  `number`: of the
    /// operation on its lines through shared memory, if it has some.
    Operation(std::shared_ptr<const Binding> binding, MPI_Comm channel, int tag, MPI_Op op,
              std::uint32_t number = 0);

    /// By a collective of MPI's on the user's communicator, which all its processes must start in
    /// their turn.  For bindings of at most one phase.
    Operation(std::shared_ptr<const Binding> binding, MPI_Comm users, MPI_Op op);

    void start();
    /// The number of the next execution on its lines.
    void renumber(std::uint32_t number) { number_ = number; }

    /// Drive MPI's progress and go on as far as possible without waiting.
    bool advance();

    /// Of one that has started its one phase, and has not been driven since: bring it to an end, partners
    /// included, and do nothing with what has come.
    void abandon(std::span<const Misfit> misfits);

    /// The ranks whose messages have not come, or who have not taken ours, as far as is known.
    std::vector<int> waiting_for();

    /// Has the receive block of this index arrived?  True for blocks that nothing is received into.
    bool has_arrived(int slot);

    /// Throws the first thing that went wrong, if anything did.
    void rethrow() const
    {
        if (error_) std::rethrow_exception(error_);
    }

    const Binding& binding() const { return *binding_; }

private:
    static constexpr int by_collective = -1; // in place of a tag

    void begin_phase();
    void post_messages(const BoundPhase& phase);
    void post_collective(const BoundPhase& phase);
    void run(const BoundPhase& phase, const Steps& steps);
    bool messages_done();
    /// Is all that the next start will write sure to find room?
    bool is_ready();
    /// A message of the phase: receives, then sends.  What it brings lies in its blocks then.
    bool is_complete(std::size_t message);
    void note(int code);
    void note_failure(int code, const BoundPhase& phase, std::size_t message);

    std::shared_ptr<const Binding> binding_;
    MPI_Comm comm_;
    int tag_ = by_collective;
    std::uint32_t number_ = 0;
    MPI_Op op_;
    std::size_t phase_ = 0;
    std::vector<MPI_Request> requests_; // of the phase: its receives, then its sends
    std::size_t completed_ = 0;         // requests_[0..completed_) are
    std::unique_ptr<AllToAll> all_to_all_;
    Transfers transfers_;
    std::exception_ptr error_;
    bool abandoned_ = false;
    std::vector<Misfit> surplus_; // messages that nothing is posted for
};

} // namespace ortho::engine
