// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_VERIFY: calls on a graph are compared across its edges before anything is done, or while it is under
// way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/persistent_agreement.hpp"
#include "topology/graph.hpp"
#include "transport/unmatched_messages.hpp"
#include "verify/call_signature.hpp"

namespace ortho::verify {

/// What neighbors say of one call, on its way between this process and them.  All that is sent and received
/// is posted at once, so that no partner waits for this process to come by.  The graph must have its private
/// communicator for checks.
class Verification {
public:
    /// Under the graph's mutex.
    Verification(topology::Graph& graph, const CallSignature& statement);
    Verification(const Verification&) = delete;
    Verification& operator=(const Verification&) = delete;

    /// Go on without waiting; true once all neighbors have spoken.
    bool advance();
    /// The neighbors that have not.
    std::vector<int> waiting_for() const;

    /// Where processes have failed, and Graph::give_up() was called: all under way ends with an error.
    void give_up(int code) { failure_ = code; }
    /// MPI's code if that was so, or a message failed: then nothing was compared.
    int failure() const { return failure_; }

    /// What does not fit with the first neighbor with whom something does not.
    const std::optional<base::Error>& finding() const { return finding_; }
    /// All of those.
    const std::vector<transport::UnmatchedMessage>& misfits() const { return misfits_; }

private:
    struct Exchange {
        int partner;
        Telling mine;
        std::vector<std::byte> sent;
        std::vector<std::byte> received; ///< as many: what one of us says of an edge the other does, too
    };

    void look_through();

    std::string title_; // of the communicator
    int rank_;
    std::vector<Exchange> exchanges_;
    std::vector<MPI_Request> requests_; // of each exchange the receive and the send
    bool is_over_ = false;
    int failure_ = MPI_SUCCESS;
    std::optional<base::Error> finding_;
    std::vector<transport::UnmatchedMessage> misfits_;
};

/// Before a blocking or _init call: throws base::Error, on all processes of the communicator, if the calls of
/// any two neighbors do not fit, or if `describe` throws on any of them.  Collective; not to be called under
/// the mutex.
void verify(topology::Graph& graph, const char* function, const engine::Describe& describe);

} // namespace ortho::verify
