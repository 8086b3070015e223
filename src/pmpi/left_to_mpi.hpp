// SPDX-License-Identifier: BSD-3-Clause
// Some communicators leave their neighborhood collectives to MPI, because small blocks take longer with ours.
//
// These communicators are on several nodes whose processes share cores, and each process has few neighbors.
// A call then takes as long as all processes of a core compute.  Small blocks offer little to win.  One more
// turn of the scheduler, and code that is cold after each turn, cost more.
//
// Large blocks take less time with ours.  But each process knows only its own blocks, and all must decide
// alike.  They can if each process sends blocks of one size and receives blocks of one size, on a grid or on
// a graph whose edges all lead both ways.  Then two neighbors have the same two sizes, since each one
// receives what the other one sends.  If all processes are connected, all have the same sizes.  On other
// graphs this is not so: on a ring with edges one way round, each edge has its own size.
#pragma once

#include <mpi.h>

#include "pmpi/interposed_topology.hpp"

namespace ortho::pmpi {

/// Does MPI's own call deliver the blocks in the right places?
bool is_right(const Neighbors& neighbors, InterposedTopology::Kind kind, Call call);

/// Have all blocks one size, small enough that MPI's call takes less time?  With Left::by_size the answer is
/// the same on all processes.
bool are_small(const RegularBlocks& blocks);

/// The numbers of communicators with these decisions.
struct NumbersLeft {
    int altogether; ///< Left::all
    int in_part;    ///< Left::by_size
};
NumbersLeft numbers_left_to_mpi();

} // namespace ortho::pmpi
