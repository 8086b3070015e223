// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_VERIFY: compares calls on a graph across its edges, before a call begins or while it is under way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "call/call.hpp"
#include "topology/graph.hpp"
#include "verify/call_signature.hpp"

namespace ortho::verify {

/// The exchange of descriptions of one call with the neighbors.  All sends and receives are posted at once,
/// so that no partner waits for this process.  The graph must have its verification communicator.
class Verification {
public:
    /// Call it under the graph's mutex.
    Verification(topology::Graph& graph, const CallSignature& statement);
    Verification(const Verification&) = delete;
    Verification& operator=(const Verification&) = delete;

    /// Goes on without waiting; true once all neighbors have answered.
    bool advance();
    /// The neighbors that have not answered.
    std::vector<int> waiting_for() const;

    /// Called when processes have failed, after Graph::give_up(): all messages under way end with an error.
    void give_up(int code) { failure_ = code; }
    /// MPI's code if processes or a message failed; then nothing was compared.
    int failure() const { return failure_; }

    /// The first difference with a neighbor.
    const std::optional<base::Error>& finding() const { return finding_; }
    /// The ranks of all neighbors whose calls differ.
    const std::vector<int>& misfits() const { return misfits_; }
    /// True if one of those calls is non-blocking.
    bool meets_nonblocking() const { return meets_nonblocking_; }

private:
    struct Exchange {
        int partner;
        Telling mine;
        std::vector<std::byte> sent;
        std::vector<std::byte> received; ///< of the same size: both describe the same edges
    };

    void look_through();

    std::string title_; // of the communicator
    int rank_;
    std::vector<Exchange> exchanges_;
    std::vector<MPI_Request> requests_; // the receive and the send of each exchange
    bool is_over_ = false;
    int failure_ = MPI_SUCCESS;
    std::optional<base::Error> finding_;
    std::vector<int> misfits_;
    bool meets_nonblocking_ = false;
};

/// Throws base::Error if messages are left of calls that did not fit.  Under the graph's mutex.
void require_no_misfits(const topology::Graph& graph);

/// Verifies a blocking or _init call.  Throws base::Error, on all processes of the communicator, if the calls
/// of any two neighbors do not fit, or if `describe` throws on any process.  Collective; do not call it under
/// the mutex.
void verify(topology::Graph& graph, const char* function, const call::Describe& describe);

} // namespace ortho::verify
