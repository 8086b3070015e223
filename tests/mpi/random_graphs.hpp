// SPDX-License-Identifier: BSD-3-Clause
// Random communicators that carry graphs, of which all processes know everything.
#pragma once

#include "calls.hpp"

namespace test {

/// A communicator with a graph, and what may be known of it.
struct Made {
    cases::Multigraph graph;
    MPI_Comm comm = MPI_COMM_NULL;
    Sizes sizes = {};      ///< that v and w calls must use, if any
    bool combines = false; ///< alltoalls and allgathers may be bound to combining algorithms
};

/// The choices that info asks for.
struct Wishes {
    std::string algorithms = "auto";
    bool forward = false;
    bool complete = false; ///< on a torus, each process once
};

/// Block i goes to slot i; gaps at borders.
cases::Multigraph neighborhood_graph(const ortho::grid::Grid& grid, const ortho::grid::Stencil& stencil);
/// Takes the gaps away, which MPI's graphs do not have.
void close_gaps(cases::Multigraph& graph);

/// A multigraph over all processes.
Made random_multigraph(cases::Random& random, MPI_Comm base);
/// A stencil on a named communicator (`base` is named for it), with lists in any order and sizes that
/// depend on the offset alone, as asserted.
Made random_stencil_graph(cases::Random& random, MPI_Comm base, const Wishes& wishes);
/// Makes a graph by ORTHO_Cart_neighborhood_create, on grids that may be smaller than `base`: no communicator
/// on the processes beyond.
Made random_cart_neighborhood(cases::Random& random, MPI_Comm base, const Wishes& wishes);

} // namespace test
