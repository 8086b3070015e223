// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose neighborhood collectives stay MPI's, because small blocks take longer with ours there.
//
// So it is on several nodes whose processes share cores, if each process has few neighbors.  A call then
// takes as long as all processes of a core compute.  With small blocks there is little to win, and one more
// turn of the scheduler, and code that a process finds cold after each turn, cost more.
//
// Large blocks take less time with ours, but whose are large?  Each process knows its own blocks, and all
// must decide alike.  They can if each of them sends blocks of one size and receives blocks of one size, on
// a grid or on a graph whose edges all lead both ways: what a process sends its neighbor receives, and what
// that one sends it receives itself.  So both have the same two sizes, and from neighbor to neighbor all
// have, if all are joined.  On other graphs that does not hold: one way round a ring, each edge has a size of
// its own.
#pragma once

#include <mpi.h>

#include "pmpi/interposed_topology.hpp"

namespace ortho::pmpi {

/// Does MPI's own call deliver the blocks where they are to arrive?
bool is_right(const Neighbors& neighbors, InterposedTopology::Kind kind, Call call);

/// Have all of them one size, and so small a one that MPI's call takes less time?  With Left::by_size the
/// same on all processes.
bool are_small(const RegularBlocks& blocks);

/// Communicators of which that was decided.
struct NumbersLeft {
    int altogether; ///< Left::all
    int in_part;    ///< Left::by_size
};
NumbersLeft numbers_left_to_mpi();

} // namespace ortho::pmpi
