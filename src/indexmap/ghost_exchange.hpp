// SPDX-License-Identifier: BSD-3-Clause
// An exchange of ghosts: the engine's, and what this process does with the elements once all have come.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "call/buffer_blocks.hpp"
#include "engine/binding.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/mutex.hpp"
#include "request/task.hpp"
#include "topology/graph.hpp"

namespace ortho::indexmap {

/// Elements of one field that a message has.
struct Piece {
    std::size_t base;  ///< number of the array, in call::Bases
    MPI_Aint offset;   ///< bytes behind where the array begins
    MPI_Datatype type; ///< one element of it is all these elements; the GhostSide owns it
};

/// One side of the call: a block for each partner.
class GhostSide {
public:
    void add_partner() { partners_.emplace_back(); }
    /// Adds elements to the block of the last partner; the type is kept.
    void add(std::size_t base, MPI_Aint offset, mpi::Datatype type);
    /// Likewise, with a type that somebody else keeps.
    void add(std::size_t base, MPI_Aint offset, MPI_Datatype type)
    {
        partners_.back().push_back({base, offset, type});
    }

    /// The blocks of arrays that begin there.  The result is a view of this object, until the next call.
    call::BufferBlocks of(const call::Bases& bases);

private:
    std::vector<std::vector<Piece>> partners_;
    std::vector<mpi::Datatype> types_;
    std::vector<mpi::Datatype> blocks_; ///< datatypes of blocks with elements of several fields
    std::vector<MPI_Count> counts_;
    std::vector<MPI_Aint> addresses_;
    std::vector<MPI_Datatype> block_types_;
};

/// Both sides of an exchange.  Each has a block for each partner, with elements of each field.
struct GhostBlocks {
    GhostSide send{}, receive{};

    call::Sides of(const call::Bases& bases) { return {send.of(bases), receive.of(bases), {}}; }
};

/// A committed datatype: the elements of an array at these places, in this order.
mpi::Datatype elements_at(const std::vector<MPI_Count>& places, MPI_Datatype element);

/// Elements whose places follow each other.
struct Stretch {
    MPI_Count first;
    MPI_Count count;
};
std::vector<Stretch> stretches_of(const std::vector<MPI_Count>& places);

/// The graph of an exchange: blocks come from the ranks `in`, and go to the ranks `out`.  Returns an error
/// code, which has been raised.
int make_exchange_graph(const char* function, MPI_Comm comm, const std::vector<int>& in,
                        const std::vector<int>& out, MPI_Info info, mpi::Comm& graph);

/// The words of an exchange, for errors and reports.
struct ExchangeWords {
    const char* function; ///< the public one
    const char* no_halo;  ///< says that the request is no halo exchange
};

/// The engine's exchange of these blocks, which it keeps.  `may_separate`: call::Call.  Collective.
std::unique_ptr<request::Task> prepare_exchange(const std::shared_ptr<topology::Graph>& graph,
                                                const std::shared_ptr<GhostBlocks>& blocks,
                                                const call::Bases& bases, const ExchangeWords& words,
                                                bool may_separate, MPI_Info info);

/// The engine's exchange, and an end that follows it on the host, if there is one.
class GhostExchange : public request::Task {
public:
    void follow(void* stream) override { exchange_->follow(stream); }
    bool precede(void* stream, runtime::Backoff& backoff) override
    {
        return has_end_ ? advance(true, backoff) : exchange_->precede(stream, backoff);
    }
    void start(bool to_run) override
    {
        failure_ = nullptr;
        has_ended_ = false;
        exchange_->start(to_run);
    }
    bool advance(bool eager, runtime::Backoff& backoff) override;
    bool takes_mpi() const override { return exchange_->takes_mpi(); }
    void rethrow() const override
    {
        if (failure_) std::rethrow_exception(failure_);
        exchange_->rethrow();
    }
    bool has_arrived(int slot) override
    {
        if (!has_end_) return exchange_->has_arrived(slot);
        runtime::Backoff backoff;
        return exchange_->has_arrived(slot) && advance(true, backoff);
    }
    std::string explanation() const override { return exchange_->explanation(); }
    runtime::Waiting waiting() override { return exchange_->waiting(); }
    MPI_Comm error_comm() const noexcept override { return exchange_->error_comm(); }

protected:
    GhostExchange(std::unique_ptr<request::Task> exchange, bool has_end)
        : exchange_(std::move(exchange)),
          has_end_(has_end)
    {}
    /// The other arrays that the next start exchanges.
    void rebind_exchange(const call::Bases& bases) { exchange_->rebind_fields(bases); }
    /// The destructor of a class that has what the exchange uses calls this first.
    void drop_exchange() { exchange_.reset(); }

private:
    /// All has come.
    virtual void end() = 0;

    std::unique_ptr<request::Task> exchange_;
    bool has_end_;
    mpi::Mutex mutex_; // several threads may drive it
    bool has_ended_ = false;
    std::exception_ptr failure_;
};

} // namespace ortho::indexmap
