// SPDX-License-Identifier: BSD-3-Clause
// An exchange of messages whose receivers know neither who sends, nor how much.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/mutex.hpp"
#include "sparse/count_exchange.hpp"
#include "topology/error_consensus.hpp"
#include "transport/bound_datatypes.hpp"

namespace ortho::sparse {

/// The library's communicator for sparse exchanges on a communicator of the user's.  It is made with the
/// first exchange, and kept with the user's.  All processes make the calls on a communicator in the same
/// order.  MPI matches collectives by their order, too: so exchanges take turns.
class SparseComm {
public:
    /// The object of the user's intra-communicator.  Local: it makes no communicator yet.
    static std::shared_ptr<SparseComm> of(MPI_Comm user);

    /// Makes the communicator, if there is none yet.  `user`: as in of().  Collective.
    void make(MPI_Comm user);
    /// Begins to make the communicator, without waiting.  is_made() goes on, and is true once it is there.
    void begin_to_make(MPI_Comm user);
    bool is_made();

    MPI_Comm get() const { return comm_.get(); }
    /// The number of the next exchange.
    unsigned take_number() { return taken_++; }
    /// Is it the turn of the exchange with this number?
    bool has_turn(unsigned number) const { return over_.load(std::memory_order_acquire) == number; }
    /// The exchange whose turn it is is over.
    void end_turn() { over_.fetch_add(1, std::memory_order_release); }

private:
    mpi::Comm comm_;
    MPI_Comm next_ = MPI_COMM_NULL; ///< the communicator while MPI makes it
    MPI_Request request_ = MPI_REQUEST_NULL;
    mpi::Mutex mutex_; ///< protects the two members above: several threads may call is_made()
    unsigned taken_ = 0;
    std::atomic<unsigned> over_ = 0;
};

/// Bytes for a process, or from it.  There is at least one.
struct SparseMessage {
    SparseMessage(int other, std::size_t size)
        : partner(other),
          bytes(std::make_unique_for_overwrite<std::byte[]>(size)),
          length(size)
    {}

    int partner;
    std::unique_ptr<std::byte[]> bytes;
    std::size_t length;
};

/// One exchange, on its way.  In up to `most_counted` processes each tells each how many bytes come
/// (CountExchange).  In more of them messages are synchronous: a process whose messages have been received
/// says so in a reduction without waiting, and goes on to receive until all have said it.  That is the
/// nonblocking consensus of Hoefler, Siebert and Lumsdaine, "Scalable communication protocols for dynamic
/// sparse data exchange", PPoPP 2010: its cost grows with the partners and with log p.
class SparseExchange {
public:
    static inline int most_counted = 256; ///< tests have another

    /// `out`: one message a partner.  `mine`: what is wrong with the call of this process, which sends
    /// nothing then.  `comm` may be on its way.  All processes have made one in the same order.
    SparseExchange(std::shared_ptr<SparseComm> comm, std::vector<SparseMessage> out,
                   std::optional<base::Error> mine = {});
    SparseExchange(const SparseExchange&) = delete;
    SparseExchange& operator=(const SparseExchange&) = delete;

    /// Goes on without waiting; true once it is over.  Throws mpi::Failure.
    bool advance();
    bool is_over() const { return state_ == State::over; }
    /// Once it is over: throws if the call of any process was wrong.  If several were, the error is that of
    /// the lowest rank.
    void rethrow() const;

    /// By rising source, once it is over; one message a source.
    std::vector<SparseMessage>& received() { return in_; }

private:
    enum class State : std::uint8_t { connecting, counting, receiving_known, probing, agreeing, over };

    /// Another process may be in the next exchange already, but not in the one after that.  Counts have
    /// another tag, which is larger by 2.
    int tag() const { return static_cast<int>(number_ % 2); }
    bool go_on();
    void begin();
    void begin_to_receive();
    void post(SparseMessage& message, bool is_send, bool is_synchronous);
    bool are_complete();
    void probe();
    bool go_on_probing();
    void end(bool any_wrong);

    std::shared_ptr<SparseComm> comm_;
    std::vector<SparseMessage> out_;
    std::vector<SparseMessage> in_;
    std::optional<base::Error> mine_;
    State state_ = State::connecting;
    int rank_ = 0;
    unsigned number_;                       ///< on the communicator
    std::unique_ptr<CountExchange> counts_; ///< bytes by rank; `wrong` of a process whose call is wrong
    std::vector<long long> theirs_to_me_;
    MPI_Request collective_ = MPI_REQUEST_NULL;
    long long any_wrong_ = 0;
    bool asks_ = false; ///< whether all messages of all have been received
    std::vector<MPI_Request> requests_;
    std::size_t completed_ = 0;
    transport::BoundDatatypes layouts_; ///< of messages that no int can count
    std::optional<topology::ErrorConsensus> consensus_;
};

/// Checks the arguments of a call, and makes its messages.
using Prepare = std::function<std::vector<SparseMessage>()>;

struct Started {
    std::shared_ptr<SparseExchange> exchange;
    std::exception_ptr refusal; ///< what `prepare` threw, if it did: the exchange tells the other processes
};
/// Starts an exchange on the user's communicator, and does not wait.  Collective.
Started start(MPI_Comm user, const Prepare& prepare);
/// An exchange on the user's communicator, and waits until it is over.  Throws on all processes if `prepare`
/// throws on any.  Collective.
std::shared_ptr<SparseExchange> run(MPI_Comm user, const Prepare& prepare);

} // namespace ortho::sparse
