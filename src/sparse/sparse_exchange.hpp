// SPDX-License-Identifier: BSD-3-Clause
// An exchange of messages whose receivers know neither who sends, nor how much.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "sparse/count_exchange.hpp"
#include "sparse/sparse_comm.hpp"
#include "topology/error_consensus.hpp"
#include "transport/bound_datatypes.hpp"

namespace ortho::sparse {

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
