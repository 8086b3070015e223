// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase that go through shared memory, on their way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "engine/binding.hpp"

namespace ortho::engine {

class Transfers {
public:
    /// Of phases of `binding`, which must stay.  `channel`, `tag`: the operation's, for messages that there is no
    /// memory for.
    Transfers(const Binding& binding, MPI_Comm channel, int tag)
        : binding_(&binding),
          channel_(channel),
          tag_(tag)
    {}

    /// Make room for what begin() needs.
    void reserve(const BoundPhase& phase)
    {
        writes_.reserve(phase.writes.size());
        reads_.reserve(phase.reads.size());
    }

    /// The phase must stay where it is.  `number`: the operation's, on its lines.
    void begin(const BoundPhase& phase, std::uint32_t number);

    /// Go on as far as possible without waiting; true once all messages are through: those that are sent are
    /// in the ring, those that are received in their blocks.
    bool advance();

    /// Has this one of the phase's reads arrived?
    bool has_arrived(std::size_t read);

    /// The ranks at the other ends of messages that are not through.
    void add_waiting_for(std::set<int>& ranks) const;

    /// The first thing that went wrong since begin(), if anything did.
    const std::exception_ptr& error() const { return error_; }

private:
    /// Of a message that does not go in one piece: what is left of it.
    struct Progress {
        bool done = false;
        bool begun = false;
        MPI_Request request = MPI_REQUEST_NULL; ///< of one that goes by MPI
        std::uint64_t posted = 0;               ///< not 0: where in the ring the directions to it end
        std::size_t piece = 0;
        std::size_t offset = 0;                 ///< in the piece
        std::unique_ptr<std::byte[]> staging{}; ///< of what is no pieces
        Piece staged{};
    };

    bool write(std::size_t i);
    bool begin_to_write(const Write& write, Progress& progress);
    void send_by_mpi(const Write& write, Progress& progress);
    void receive_by_mpi(const Read& read, Progress& progress);
    void post_receive(const Read& read, Progress& progress);
    bool is_through(Progress& progress, const Read* read = nullptr);
    bool go_on_writing(const Write& write, Progress& progress);
    bool read(std::size_t i);
    bool begin_to_read(const Read& read, Progress& progress);
    bool write_parts(const Write& write, Progress& progress);
    bool read_parts(const Read& read, Progress& progress);
    bool go_on_reading(const Read& read, Progress& progress);
    bool stage(Progress& progress, std::size_t bytes);
    /// Of a message of that many bytes: keeps an error, if there is no room for it.
    void require_room(std::size_t length, const Read& read);
    /// Do it, and keep what goes wrong.
    template <class Action>
    void attempt(Action action);

    const Binding* binding_;
    MPI_Comm channel_;
    int tag_;
    const BoundPhase* phase_ = nullptr;
    std::uint32_t number_ = 0;
    std::vector<Progress> writes_;
    std::vector<Progress> reads_;
    std::size_t written_ = 0; // writes before are done
    std::size_t read_ = 0;    // reads before are done
    std::exception_ptr error_;
};

} // namespace ortho::engine
