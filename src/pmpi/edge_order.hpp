// SPDX-License-Identifier: BSD-3-Clause
// The send blocks of a call on a grid in the order of the edges that they go along.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "pmpi/topology_attribute.hpp"

namespace ortho::pmpi {

/// What send block blocks[k] has, at k.  A null pointer stays one: to be complained of.
template <class T>
class InEdgeOrder {
public:
    InEdgeOrder(const T* values, const Neighbors& neighbors) : given_(values)
    {
        if (values == nullptr || !neighbors.swapped) return;
        for (const int block : neighbors.blocks) ordered_.push_back(values[block]);
    }
    const T* data() const { return ordered_.empty() ? given_ : ordered_.data(); }

private:
    const T* given_;
    std::vector<T> ordered_;
};

/// Blocks that are all alike: `regular(arguments)`, those of an MPI_Neighbor_alltoall, where they lie in the
/// order of edges, else `typed(arguments)`, those of an MPI_Neighbor_alltoallw, the one form that can
/// exchange them.
template <class Count, class Regular, class Typed>
int alltoall_in_edge_order(const Neighbors& neighbors, const void* sendbuf, Count sendcount,
                           MPI_Datatype sendtype, void* recvbuf, Count recvcount, MPI_Datatype recvtype,
                           Regular regular, Typed typed)
{
    // A datatype that is none is complained of by the plain call.
    if (!neighbors.swapped || sendtype == MPI_DATATYPE_NULL || recvtype == MPI_DATATYPE_NULL)
        return regular(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype);
    const std::size_t degree = neighbors.blocks.size();
    const auto displacements = [&](Count count, MPI_Datatype type) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        PMPI_Type_get_extent(type, &lower, &extent);
        std::vector<MPI_Aint> result;
        for (std::size_t i = 0; i < degree; ++i)
            result.push_back(static_cast<MPI_Aint>(i) * (count * extent));
        return result;
    };
    const auto sends = displacements(sendcount, sendtype);
    const InEdgeOrder ordered(sends.data(), neighbors);
    const auto receives = displacements(recvcount, recvtype);
    const std::vector<Count> sendcounts(degree, sendcount);
    const std::vector<Count> recvcounts(degree, recvcount);
    const std::vector<MPI_Datatype> sendtypes(degree, sendtype);
    const std::vector<MPI_Datatype> recvtypes(degree, recvtype);
    return typed(sendbuf, sendcounts.data(), ordered.data(), sendtypes.data(), recvbuf, recvcounts.data(),
                 receives.data(), recvtypes.data());
}

} // namespace ortho::pmpi
