// SPDX-License-Identifier: BSD-3-Clause
// Collectives: what a process gives to a meeting, and what it takes from it.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "communicators.hpp"
#include "mpi_requests.hpp"
#include "real_mpi.hpp"

namespace loopback {

/// One process's part in a collective.
struct Part {
    std::string name;              ///< the same on all processes
    int root = -1;                 ///< too
    std::vector<Elements> gives{}; ///< to each process, or the same to all
    std::vector<Elements> takes{}; ///< from each process; no address: nothing
    std::vector<bool> waits_for{}; ///< which processes must have come; none: nobody
    bool folds = false;            ///< takes one result instead, of the processes `first` .. `last`
    Elements result{};
    MPI_Op op = MPI_OP_NULL;
    int first = 0, last = -1;
};

/// The form without `persistent` starts at once.
struct Collective final : Request {
    Collective(Communicator& comm, Part part, bool persistent);
    const char* what() const override { return part_.name.c_str(); }
    bool is_ready() override;
    Outcome finish() override;
    void start() override;

private:
    int fold();

    std::shared_ptr<Context> context_;
    int member_;
    Part part_;
    std::vector<KeptType> types_;
    std::uint64_t number_; ///< of the meeting
    std::uint64_t starts_ = 0;
    std::shared_ptr<Meeting> meeting_;
    std::uint64_t ready_at_ = 0;
};

} // namespace loopback
