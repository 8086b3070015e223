// SPDX-License-Identifier: BSD-3-Clause
// Exchanging the borders of a block with its eight neighbors: the heart of the examples.

#include "halo.hpp"

#include <mpiortho.h>

#include <algorithm>

namespace {

/// One side of one dimension: where the elements lie that are `side` of a block of n elements
/// (-1: the first, +1: the last, 0: all of them), or of its ghosts.
struct Stretch {
    int begin;
    int size;
};
Stretch owned(int side, int n) { return side == 0 ? Stretch{1, n} : Stretch{side < 0 ? 1 : n, 1}; }
Stretch ghosts(int side, int n) { return side == 0 ? Stretch{1, n} : Stretch{side < 0 ? 0 : n + 1, 1}; }

MPI_Datatype rectangle(int rows, int columns, Stretch down, Stretch across, MPI_Datatype element)
{
    const int sizes[] = {rows + 2, columns + 2};
    const int subsizes[] = {down.size, across.size};
    const int starts[] = {down.begin, across.begin};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, element, &type);
    MPI_Type_commit(&type);
    return type;
}

} // namespace

Halo::Halo(MPI_Comm comm, int rows, int columns, MPI_Datatype element)
{
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    // The sides on which there is a neighbor, in lexicographic order.
    int t = 0;
    ORTHO_Cart_neighbors_count(comm, rank, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, &t);
    const auto n = static_cast<std::size_t>(t);
    std::vector<int> sides(2 * n + 2);
    ORTHO_Cart_neighbors(comm, rank, ORTHO_CHEBYSHEV_DISTANCE, 1, 1, t, sides.data());
    std::vector<int> targets(n + 1);
    ORTHO_Cart_allranks_relative(comm, rank, t, sides.data(), targets.data());

    // We send to every side, and receive from every side what travels the other way.  On a grid of
    // one or two processes several sides are one process, and MPI pairs edges by their order:
    // receiving in the order of the way that blocks travel is the sides' order backwards.
    std::vector<int> sources(targets.begin(), targets.begin() + t);
    std::ranges::reverse(sources);
    sources.push_back(MPI_PROC_NULL); // never hand out a null pointer
    ORTHO_Dist_graph_create_adjacent(comm, t, sources.data(), MPI_UNWEIGHTED, t, targets.data(),
                                     MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph_);
    ORTHO_Comm_base(graph_, &base_);

    ones_.assign(n, 1);
    zeros_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const int* const to = &sides[2 * i];
        const int* const from = &sides[2 * (n - 1 - i)];
        send_types_.push_back(rectangle(rows, columns, owned(to[0], rows), owned(to[1], columns), element));
        receive_types_.push_back(
            rectangle(rows, columns, ghosts(from[0], rows), ghosts(from[1], columns), element));
    }
}

Halo::~Halo()
{
    for (MPI_Datatype& type : send_types_) MPI_Type_free(&type);
    for (MPI_Datatype& type : receive_types_) MPI_Type_free(&type);
    MPI_Comm_free(&base_);
    MPI_Comm_free(&graph_);
}

void Halo::exchange(void* block) const
{
    ORTHO_Alltoallw(block, ones_.data(), zeros_.data(), send_types_.data(), block, ones_.data(),
                    zeros_.data(), receive_types_.data(), graph_);
}
