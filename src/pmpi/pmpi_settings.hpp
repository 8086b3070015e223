// SPDX-License-Identifier: BSD-3-Clause
// The interposer's settings in the environment.  They must be the same on all processes, as LD_PRELOAD.
#pragma once

namespace ortho::pmpi {

/// ORTHO_PMPI, a list: the mode, and is_dense().
enum class Mode {
    off,      ///< every call is MPI's own
    neighbor, ///< MPI's meaning, our schedules
    unify,    ///< also, collectives mean the neighborhood on a communicator with a graph
};

Mode mode();

/// Does ORTHO_PMPI contain "dense"?  Then the library's schedules also serve exchanges between all processes.
bool is_dense();

/// Do unify or dense concern collectives that are not neighborhood collectives?  If not, these are MPI's.
bool replaces_collectives();

/// Both settings in the user's words.
const char* modes_text();

/// ORTHO_PMPI_PAIRING=standard: blocks of repeated neighbors are paired as in the standard.  With "native",
/// or unset, they are paired as in the MPI (pmpi/pairing.hpp).
bool pairs_as_standard();

/// Reports errors in these two variables on stderr, once, on rank 0 of the program.
void tell_of_settings(int rank);

/// ORTHO_STRICT=1: point-to-point communication goes along the edges of the graph.
bool is_strict();

/// ORTHO_PMPI_REORDER=1: the program really accepts other ranks where it sets reorder.  Many programs set it
/// and use the old ranks.
bool may_reorder();

/// ORTHO_PMPI_REPORT=1.
bool wants_report();

} // namespace ortho::pmpi
