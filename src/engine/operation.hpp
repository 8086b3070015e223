// SPDX-License-Identifier: BSD-3-Clause
// A bound schedule on its way.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "engine/binding.hpp"
#include "runtime/wait.hpp"
#include "transport/transport.hpp"

namespace ortho::engine {

/// Executions of a binding, one after the other: begun by start(), driven by advance(), over when
/// that returns true.  Errors on the way do not stop it, lest partners wait for ever; the first is
/// kept.
class Operation {
public:
    /// `op` is MPI_OP_NULL for operations that reduce nothing.
    Operation(std::shared_ptr<const Binding> binding, MPI_Op op);

    void start(transport::Stamp stamp);
    /// Work that is in the stream comes before it, and only what advance() does goes on.
    void start_behind(void* stream, transport::Stamp stamp);

    /// Go on as far as possible without waiting.
    bool advance(runtime::Backoff& backoff);

    /// Ends an operation once the host has nothing more to do: work that is put into the stream from now on
    /// finds the result.  False if the host still has something to do.
    bool precede(void* stream);

    /// For an operation of one phase: ends without these ranks, and does nothing with the data that has come.
    void abandon(std::span<const int> ranks);

    /// Where processes have failed, and Graph::give_up() was called: bring it to an end, with that error.
    void give_up(int code);

    /// The ranks whose messages have not come, or who have not taken ours, as far as is known.
    std::vector<int> waiting_for();

    /// Has the receive block of this index arrived?  True for blocks that nothing is received into.
    bool has_arrived(int slot);

    bool has_failed() const { return error_ != nullptr; }
    /// Throws the first thing that went wrong, if anything did.
    void rethrow() const
    {
        if (error_) std::rethrow_exception(error_);
    }

    bool reduces() const { return op_ != MPI_OP_NULL; }
    const Binding& binding() const { return *binding_; }

private:
    /// The messages of a phase that go by one transport.
    struct Leg {
        transport::Passage* passage;
        const transport::Messages* messages;
    };
    /// The legs of this phase.
    std::span<const Leg> legs() const
    {
        return {legs_.data() + first_leg_[phase_], legs_.data() + first_leg_[phase_ + 1]};
    }

    void reset(transport::Stamp stamp)
    {
        stamp_ = stamp;
        phase_ = 0;
        error_ = nullptr;
        is_abandoned_ = has_begun_early_ = false;
    }
    void begin_phase();
    /// Sends what has come from devices so far, if nothing that is sent comes another way.
    void begin_early();
    void fetch_now();
    bool has_reached_host(int slot);
    bool is_fetched();
    bool is_stored();
    bool is_ready();
    void run_meanwhile();
    void run(const BoundPhase& phase, const Steps& steps);
    bool messages_done(runtime::Backoff& backoff);
    void note(int code);
    /// Does it, and keeps what goes wrong.
    template <class Action>
    void attempt(Action action);

    std::shared_ptr<const Binding> binding_;
    transport::Stamp stamp_;
    MPI_Op op_;
    bool is_on_devices_;
    bool may_begin_early_ = false;
    std::size_t phase_ = 0;
    // In this phase:
    bool has_run_meanwhile_ = false;
    unsigned looks_ = 0; // that found messages missing
    bool has_begun_early_ = false;
    /// By transport of the binding; null where it has no messages.
    std::vector<std::unique_ptr<transport::Passage>> passages_;
    std::vector<Leg> legs_;              // of the first phase, then of the second
    std::vector<std::size_t> first_leg_; // of each phase, and how many there are
    bool may_be_full_ = false;
    std::exception_ptr error_;
    bool is_abandoned_ = false;
    /// Where blocks that lie in the memory of devices are.
    enum class Staged : std::uint8_t { coming, with_host, leaving, gone };
    Staged staged_ = Staged::gone;
};

} // namespace ortho::engine
