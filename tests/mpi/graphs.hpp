// SPDX-License-Identifier: BSD-3-Clause
// Communicators that carry a graph, from lists.
#pragma once

#include <mpi.h>

#include <array>
#include <initializer_list>
#include <vector>

#include "check.hpp"
#include "mpiortho.h"

namespace test {

/// Integers in a list of any kind.
class Numbers : public std::vector<int> {
public:
    Numbers(std::initializer_list<int> list) : std::vector<int>(list) {}
    template <class List>
    requires requires(const List& list) { std::begin(list); }
    Numbers(const List& list) : std::vector<int>(std::begin(list), std::end(list)) {}
    int count() const { return static_cast<int>(size()); }
};

inline MPI_Comm adjacent(const Numbers& sources, const Numbers& targets, MPI_Comm comm = MPI_COMM_WORLD,
                         MPI_Info info = MPI_INFO_NULL, int reorder = 0)
{
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(comm, sources.count(), sources.data(), MPI_UNWEIGHTED,
                                              targets.count(), targets.data(), MPI_UNWEIGHTED, info, reorder,
                                              &graph));
    return graph;
}

inline MPI_Comm neighborhood(const Numbers& dims, const Numbers& periods, const Numbers& offsets,
                             MPI_Comm comm = MPI_COMM_WORLD, MPI_Info info = MPI_INFO_NULL)
{
    MPI_Comm graph = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Cart_neighborhood_create(comm, dims.count(), dims.data(), periods.data(),
                                            dims.empty() ? 0 : offsets.count() / dims.count(), offsets.data(),
                                            MPI_UNWEIGHTED, info, 0, &graph));
    return graph;
}

/// MPI's own grid.
inline MPI_Comm cart(const Numbers& dims, const Numbers& periods, MPI_Comm comm = MPI_COMM_WORLD)
{
    MPI_Comm result = MPI_COMM_NULL;
    CHECK_OK(MPI_Cart_create(comm, dims.count(), dims.data(), periods.data(), 0, &result));
    return result;
}

/// Names the processes of a communicator by the points of a grid.
inline void name(MPI_Comm comm, const Numbers& dims, const Numbers& periods, int order = ORTHO_ROWMAJOR)
{
    int points = -1;
    CHECK_OK(ORTHO_Cart_name(comm, dims.count(), order, dims.data(), periods.data(), &points));
}

/// The name of a communicator: whether there is one, its dimensions, its size.
inline std::array<int, 3> named(MPI_Comm comm)
{
    std::array<int, 3> result{-1, -1, -1};
    CHECK_OK(ORTHO_Cart_test(comm, &result[0], &result[1], &result[2]));
    return result;
}

/// Edges in and out, and whether they have weights.
inline std::array<int, 3> edges(MPI_Comm comm)
{
    std::array<int, 3> result{-1, -1, -1};
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(comm, &result[0], &result[1], &result[2]));
    return result;
}

inline int topology(MPI_Comm comm)
{
    int result = -1;
    CHECK_OK(ORTHO_Topo_test(comm, &result));
    return result;
}

/// The number of the offsets that are the same on all processes, or -1.
inline int isomorphic(MPI_Comm graph)
{
    int flag = -1, t = -1;
    CHECK_OK(ORTHO_Comm_isomorphic(graph, &flag, &t));
    CHECK(flag == 1 || t == 0);
    return flag == 1 ? t : -1;
}

} // namespace test
