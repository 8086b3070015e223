// SPDX-License-Identifier: BSD-3-Clause
// What the environment says to the interposer.  The same on all processes, as LD_PRELOAD must be.
#pragma once

namespace ortho::pmpi {

/// ORTHO_PMPI, a list: the mode, and is_dense().
enum class Mode {
    off,      ///< every call is MPI's own
    neighbor, ///< MPI's meaning, our schedules
    unify,    ///< besides, the collectives mean the neighborhood on a communicator that carries a graph
};

Mode mode();

/// Besides, the library's schedules are taken where everybody exchanges with everybody.
bool is_dense();

/// Is either of them anything to collectives that are no neighborhood's?  Else these are MPI's at once.
bool replaces_collectives();

/// Both as the user would write them.
const char* modes_text();

/// ORTHO_PMPI_PAIRING=standard: which block is whose where a process has a neighbor twice is as the standard
/// says.  With "native", or unset, it is as the MPI does it (pmpi/pairing.hpp).
bool pairs_as_standard();

/// Says on stderr, once, on rank 0 of the program, what is wrong with the two above.
void tell_of_settings(int rank);

/// ORTHO_STRICT=1: point-to-point communication goes along the edges of the graph.
bool is_strict();

/// ORTHO_PMPI_REORDER=1: the program can do with other ranks where it says reorder.  Many say so and go on
/// with the old ones.
bool may_reorder();

/// Not with ORTHO_PMPI_LEAVE=0: communicators may be left to MPI (pmpi/left_to_mpi.hpp).
bool may_leave();

/// ORTHO_PMPI_REPORT=1.
bool wants_report();

} // namespace ortho::pmpi
