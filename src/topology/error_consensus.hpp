// SPDX-License-Identifier: BSD-3-Clause
// What some processes have found wrong, told to all.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/error.hpp"

namespace ortho::topology {

/// One question to all processes of a communicator, has anybody found an error?, and does everybody give the
/// same number?, on its way.  They must put their questions in the same order.
class ErrorConsensus {
public:
    /// `mine`: what this process has found.
    ErrorConsensus(MPI_Comm comm, std::optional<base::Error> mine, std::uint64_t number = 0);
    ~ErrorConsensus() = default;
    ErrorConsensus(const ErrorConsensus&) = delete;
    ErrorConsensus& operator=(const ErrorConsensus&) = delete;

    /// Go on without waiting; true once the answer is here.
    bool advance();
    /// Throws this process's own error, or if it has none that of the lowest rank that has one.
    void rethrow() const;
    /// Are there different numbers?
    bool numbers_differ() const { return least_[0] != ~least_[1] || least_[2] != ~least_[3]; }

private:
    struct Message {
        int kind;
        char argument[60];
        char text[960];
    };

    void ask_for_text();

    MPI_Comm comm_;
    std::optional<base::Error> mine_;
    int& finder() { return least_[4]; }
    int finder() const { return least_[4]; }

    /// Of each: both halves of the number and their complements, and the rank that has found something.
    std::array<int, 5> least_;
    bool asked_ = false;
    Message message_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// The whole of it.  Collective.
void fail_if_any(MPI_Comm comm, std::optional<base::Error> mine);

} // namespace ortho::topology
