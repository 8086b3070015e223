// SPDX-License-Identifier: BSD-3-Clause
// Errors of some processes, told to all.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "agree/ballot.hpp"
#include "base/error.hpp"

namespace ortho::topology {

/// A question to all processes of a communicator: has any process an error, and do all give the same number?
/// Nobody waits for the answer.  Processes must ask their questions in the same order.
class ErrorConsensus {
public:
    /// `mine` is the error of this process.
    ErrorConsensus(MPI_Comm comm, std::optional<base::Error> mine, std::uint64_t number = 0);
    ~ErrorConsensus() = default;
    ErrorConsensus(const ErrorConsensus&) = delete;
    ErrorConsensus& operator=(const ErrorConsensus&) = delete;

    /// Goes on without waiting; true once the answer is here.
    bool advance();
    /// Throws this process's own error; without one, the error of the lowest rank that has one.
    void rethrow() const;
    /// Are there different numbers?
    bool numbers_differ() const { return !number_.holds(); }

private:
    struct Message {
        int kind;
        char argument[60];
        char text[960];
    };

    static constexpr int nobody = std::numeric_limits<int>::max();
    int finder() const { return finder_.value<int>(); }
    void ask_for_text();

    MPI_Comm comm_;
    std::optional<base::Error> mine_;
    agree::Ballot ballot_;
    agree::AllEqual number_;
    agree::Smallest finder_; ///< the rank of a process with an error
    bool asked_ = false;
    Message message_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Asks, waits, and throws if any process has an error.  Collective.
void fail_if_any(MPI_Comm comm, std::optional<base::Error> mine);

} // namespace ortho::topology
