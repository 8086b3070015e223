// SPDX-License-Identifier: BSD-3-Clause
// Some communicators leave their neighborhood collectives to MPI, because small blocks take longer with ours:
// those on several nodes whose processes share cores and have few neighbors (doc/interposer.md).
//
// Large blocks take less time with ours.  But each process knows only its own blocks, and all must decide
// alike.  They can where two neighbors have the same two sizes: if each process sends blocks of one size and
// receives blocks of one size, and all edges lead both ways.
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
