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

/// A number that is not the same on all processes.
struct Difference {
    std::size_t index;
    long long on_rank_0;
    int rank; ///< the lowest that has another one
    long long there;
};
/// The first number in which these lists, which are all of one length, differ; nothing if all are the same.
/// Collective.
std::optional<Difference> find_difference(MPI_Comm comm, std::span<const long long> numbers);

/// Who says what in a slot that does not hold: "4 on rank 0 and 8 on rank 3".  `mine`: what this process has
/// said, if it has said something.  Collective.
std::string words_of(MPI_Comm comm, const AllEqual& slot, std::optional<long long> mine);

} // namespace ortho::agree
