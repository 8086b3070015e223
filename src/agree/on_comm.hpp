// SPDX-License-Identifier: BSD-3-Clause
// Ballots of the processes of a communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "agree/ballot.hpp"

namespace ortho::agree {

/// Holds the ballot with all processes.  Collective.
void hold(MPI_Comm comm, Ballot& ballot);

/// Does something hold on all processes?  Collective.
bool all_true(MPI_Comm comm, bool mine);

/// A number that differs between processes.
struct Difference {
    std::size_t index;
    long long on_rank_0;
    int rank; ///< the lowest rank with another number
    long long there;
};
/// The first difference between processes' lists, all of one length; nothing if all are equal.  Collective.
std::optional<Difference> find_difference(MPI_Comm comm, std::span<const long long> numbers);

/// Words for a slot that does not hold: "4 on rank 0 and 8 on rank 3".  `mine`: the number of this process,
/// if it has said one.  Collective.
std::string words_of(MPI_Comm comm, const AllEqual& slot, std::optional<long long> mine);

} // namespace ortho::agree
