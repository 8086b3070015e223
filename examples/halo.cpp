// SPDX-License-Identifier: BSD-3-Clause
// Exchanging the borders of a block with its eight neighbors: the heart of the examples.

#include "halo.hpp"

Halo::Halo(MPI_Comm comm, int rows, int columns, MPI_Datatype element)
    : rows_(rows),
      columns_(columns),
      element_(element)
{
    // All that is at most one step away in either dimension: the eight neighbors, and the process itself.
    int dimorder = 0;
    int dims[2];
    int periods[2];
    ORTHO_Cart_get(comm, &dimorder, 2, dims, periods);
    int offsets[9 * 2];
    ORTHO_Cart_stencil(comm, ORTHO_CHEBYSHEV_DISTANCE, 1, 9, offsets);
    ORTHO_Cart_neighborhood_create(comm, 2, dims, periods, 9, offsets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph_);
    ORTHO_Comm_base(graph_, &base_);
}

Halo::~Halo()
{
    for (auto& [block, request] : requests_) ORTHO_Request_free(&request);
    MPI_Comm_free(&base_);
    MPI_Comm_free(&graph_);
}

void Halo::exchange(void* block)
{
    const auto [entry, is_new] = requests_.try_emplace(block, ORTHO_REQUEST_NULL);
    ORTHO_Request& request = entry->second;
    if (is_new) {
        const int sizes[] = {rows_ + 2, columns_ + 2};
        const int ghosts[] = {1, 1};
        ORTHO_Halo_init(1, &block, &element_, 2, sizes, ghosts, ghosts, graph_, MPI_INFO_NULL, &request);
    }
    ORTHO_Run(&request, MPI_STATUS_IGNORE);
}
