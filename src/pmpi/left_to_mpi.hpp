// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose neighborhood collectives stay MPI's, because small blocks take longer with ours there.
//
// So it is on several nodes whose processes share cores, if each process has few neighbors.  A call then
// takes as long as all processes of a core compute.  There is little to win, and one more turn of the
// scheduler, and code that a process finds cold after each turn, cost more.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <span>

#include "pmpi/topology_attribute.hpp"

namespace ortho::pmpi {

/// What a process with these neighbors knows that decides on it.  All take the largest of each number, in an
/// operation of the caller's.  `info`: of the constructor.
constexpr std::size_t numbers_of_leaving = 4;
std::array<int, numbers_of_leaving> numbers_for_leaving(const Neighbors& neighbors,
                                                        MPI_Info info = MPI_INFO_NULL);

/// Are a communicator's collectives left to MPI?  The same on all processes.
bool are_left_to_mpi(std::span<const int, numbers_of_leaving> largest);

/// On how many communicators that was so.
int number_left_to_mpi();

} // namespace ortho::pmpi
