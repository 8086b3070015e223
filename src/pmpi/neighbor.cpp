// SPDX-License-Identifier: BSD-3-Clause
// MPI's blocking neighborhood collectives.

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "mpiortho.h"
#include "pmpi/replace.hpp"

using namespace ortho;
using pmpi::Neighbors;

namespace {

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

/// All blocks are alike, so that the w form alone can exchange them.
int swapped_alltoall(const Neighbors& neighbors, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                     void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm graph)
{
    const auto displacements = [](int n, int count, MPI_Datatype type) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        PMPI_Type_get_extent(type, &lower, &extent);
        std::vector<MPI_Aint> result;
        for (int i = 0; i < n; ++i) result.push_back(i * (count * extent));
        return result;
    };
    const std::size_t degree = neighbors.blocks.size();
    const int n = static_cast<int>(degree);
    const auto sdispls = displacements(n, sendcount, sendtype);
    return ORTHO_Alltoallw(
        sendbuf, std::vector<int>(degree, sendcount).data(), InEdgeOrder(sdispls.data(), neighbors).data(),
        std::vector<MPI_Datatype>(degree, sendtype).data(), recvbuf, std::vector<int>(degree, recvcount).data(),
        displacements(n, recvcount, recvtype).data(), std::vector<MPI_Datatype>(degree, recvtype).data(), graph);
}

} // namespace

extern "C" {

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_allgather");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors&, MPI_Comm graph) {
            return ORTHO_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, graph);
        },
        [&] { return PMPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_allgatherv");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors&, MPI_Comm graph) {
            return ORTHO_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, graph);
        },
        [&] {
            return PMPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                            comm);
        });
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                          MPI_Datatype recvtype, MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoall");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors& neighbors, MPI_Comm graph) {
            // A datatype that is none is complained of by the plain call.
            if (neighbors.swapped && sendtype != MPI_DATATYPE_NULL && recvtype != MPI_DATATYPE_NULL)
                return swapped_alltoall(neighbors, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, graph);
            return ORTHO_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, graph);
        },
        [&] { return PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                           void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                           MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoallv");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors& neighbors, MPI_Comm graph) {
            return ORTHO_Alltoallv(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                   InEdgeOrder(sdispls, neighbors).data(), sendtype, recvbuf, recvcounts, rdispls,
                                   recvtype, graph);
        },
        [&] {
            return PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                           recvtype, comm);
        });
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                           const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    static pmpi::Counter counter("MPI_Neighbor_alltoallw");
    return pmpi::replace(
        counter, comm,
        [&](const Neighbors& neighbors, MPI_Comm graph) {
            return ORTHO_Alltoallw(sendbuf, InEdgeOrder(sendcounts, neighbors).data(),
                                   InEdgeOrder(sdispls, neighbors).data(), InEdgeOrder(sendtypes, neighbors).data(),
                                   recvbuf, recvcounts, rdispls, recvtypes, graph);
        },
        [&] {
            return PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                           recvtypes, comm);
        });
}

} // extern "C"
