// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose neighborhood collectives stay MPI's, because ours are known to be slower there.
//
// So it is where several nodes are full, that is, processes share their cores, and a process has few
// neighbors.  The time of a call is then mostly that of waiting for a core.  What is left to win is little,
// and the code that a process finds cold after each turn of another one costs more.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "pmpi/topology_attribute.hpp"

namespace ortho::pmpi {

/// What a process knows that decides on it.  All take the largest of each number, in an operation of the
/// caller's.
constexpr std::size_t numbers_of_leaving = 5;
std::array<int, numbers_of_leaving> numbers_for_leaving(const Neighbors& neighbors);

/// Are the collectives on a communicator with these neighbors left to MPI?  The same on all processes.
bool are_left_to_mpi(const Neighbors& neighbors, std::span<const int, numbers_of_leaving> largest);

/// On how many communicators that was so.
int number_left_to_mpi();

} // namespace ortho::pmpi
