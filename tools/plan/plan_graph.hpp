// SPDX-License-Identifier: BSD-3-Clause
// `ortho-plan graph`: the exchanges of a graph that is distributed over processes.
#pragma once

#include <string>

#include "plan/planned_call.hpp"

namespace plan {

struct GraphOptions {
    std::string file;         ///< Matrix Market or METIS
    std::string partition;    ///< a file; if empty, `by` makes the parts
    int processes = 0;        ///< 0: as many as the partition has
    std::string by;           ///< "rows" or "metis"; empty: METIS if it is there
    std::string nodes;        ///< "64" or "4,4,3", as ORTHO_NODES
    bool cyclic = false;      ///< processes are dealt to nodes one by one
    bool reorder = false;     ///< processes are placed, as where reorder is true
    std::string bytes = "8B"; ///< of an element
    std::string svg;          ///< a file, or empty
    std::string csv;          ///< a file, or empty
    std::string tune;         ///< as in MachineOptions
};

/// Prints counts and prices of the exchange that fills all ghosts.  Throws base::Error for a mistake in the
/// options or in a file.
void print_graph(const GraphOptions& options);

} // namespace plan
