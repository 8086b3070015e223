// SPDX-License-Identifier: BSD-3-Clause
// MPI's collectives, which ORTHO_PMPI=unify has mean the neighborhood on a communicator that carries a graph.

#include "pmpi/ineighbor.hpp"

#include "mpiortho.h"

using namespace ortho;
using pmpi::Carried;
using pmpi::Counter;

namespace {

/// The graph that a call means, or null.
Carried* graph_meant_by(MPI_Comm comm)
{
    if (pmpi::mode() != pmpi::Mode::unify) return nullptr;
    Carried* const carried = pmpi::carried_by(comm);
    return carried != nullptr && carried->kind == Carried::Kind::graph ? carried : nullptr;
}

/// `ours()` on a graph, else `mpis()`.
template <class Ours, class Mpis>
int unify(Counter& counter, MPI_Comm comm, Ours ours, Mpis mpis) noexcept
{
    return pmpi::guarded(counter.function(), comm, [&] {
        if (graph_meant_by(comm) == nullptr) return mpis();
        const Counter::Timing timing(counter);
        return ours();
    });
}

/// The exchange that `describe` says on a graph, else `mpis()`.
template <class Form, class Describe, class Mpis>
int unify(Counter& counter, MPI_Comm comm, Form form, MPI_Request* request, Describe describe, Mpis mpis) noexcept
{
    return pmpi::guarded(counter.function(), comm, [&] {
        Carried* const carried = graph_meant_by(comm);
        return carried != nullptr ? pmpi::post(counter, comm, *carried, form, request, describe) : mpis();
    });
}

/// Calls that have no form as one request of MPI's.  To let them mean all processes, while their blocking ones mean
/// the neighborhood, would be worse than to say so.
template <class Mpis>
int refuse(const char* function, MPI_Comm comm, Mpis mpis) noexcept
{
    return pmpi::guarded(function, comm, [&] {
        if (graph_meant_by(comm) == nullptr) return mpis();
        base::fail(base::ErrorKind::undefined, "comm",
                   "comm carries a graph, and ORTHO_PMPI=unify has no such form on "
                   "graphs: call ORTHO's, or the blocking one");
    });
}

/// The displacements of ORTHO_Alltoallw are of type MPI_Aint.
std::vector<MPI_Aint> widened(const int* displacements, std::size_t n)
{
    return displacements != nullptr ? std::vector<MPI_Aint>(displacements, displacements + n)
                                    : std::vector<MPI_Aint>();
}

} // namespace

extern "C" {

int MPI_Barrier(MPI_Comm comm)
{
    static Counter counter("MPI_Barrier");
    return unify(
        counter, comm, [&] { return ORTHO_Barrier(comm); }, [&] { return PMPI_Barrier(comm); });
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Bcast");
    return unify(
        counter, comm, [&] { return ORTHO_Bcast(buffer, count, datatype, root, comm); },
        [&] { return PMPI_Bcast(buffer, count, datatype, root, comm); });
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Gather");
    return unify(
        counter, comm,
        [&] { return ORTHO_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); },
        [&] { return PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Gatherv");
    return unify(
        counter, comm,
        [&] {
            return ORTHO_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
        },
        [&] {
            return PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
        });
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Scatter");
    return unify(
        counter, comm,
        [&] { return ORTHO_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); },
        [&] { return PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    static Counter counter("MPI_Scatterv");
    return unify(
        counter, comm,
        [&] {
            return ORTHO_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
        },
        [&] {
            return PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
        });
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Allgather");
    return unify(
        counter, comm,
        [&] { return ORTHO_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); },
        [&] { return PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Allgatherv");
    return unify(
        counter, comm,
        [&] { return ORTHO_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); },
        [&] { return PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm); });
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Alltoall");
    return unify(
        counter, comm,
        [&] { return ORTHO_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); },
        [&] { return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
    static Counter counter("MPI_Alltoallv");
    return unify(
        counter, comm,
        [&] {
            return ORTHO_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                   comm);
        },
        [&] {
            return PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                                  comm);
        });
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                  void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                  MPI_Comm comm)
{
    static Counter counter("MPI_Alltoallw");
    return unify(
        counter, comm,
        [&] {
            const pmpi::Neighbors& neighbors = *graph_meant_by(comm)->neighbors;
            const auto sends = widened(sdispls, neighbors.targets.size());
            const auto receives = widened(rdispls, neighbors.sources.size());
            return ORTHO_Alltoallw(sendbuf, sendcounts, sends.data(), sendtypes, recvbuf, recvcounts, receives.data(),
                                   recvtypes, comm);
        },
        [&] {
            return PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                  comm);
        });
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
               MPI_Comm comm)
{
    static Counter counter("MPI_Reduce");
    return unify(
        counter, comm, [&] { return ORTHO_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); },
        [&] { return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Allreduce");
    return unify(
        counter, comm, [&] { return ORTHO_Allreduce(sendbuf, recvbuf, count, datatype, op, comm); },
        [&] { return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                             MPI_Comm comm)
{
    static Counter counter("MPI_Reduce_scatter_block");
    return unify(
        counter, comm, [&] { return ORTHO_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); },
        [&] { return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm)
{
    static Counter counter("MPI_Reduce_scatter");
    return unify(
        counter, comm, [&] { return ORTHO_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); },
        [&] { return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Scan");
    return unify(
        counter, comm, [&] { return ORTHO_Scan(sendbuf, recvbuf, count, datatype, op, comm); },
        [&] { return PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    static Counter counter("MPI_Exscan");
    return unify(
        counter, comm, [&] { return ORTHO_Exscan(sendbuf, recvbuf, count, datatype, op, comm); },
        [&] { return PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm); });
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Ibarrier", comm, [&] { return PMPI_Ibarrier(comm, request); });
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Ibcast", comm, [&] { return PMPI_Ibcast(buffer, count, datatype, root, comm, request); });
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Igather", comm, [&] {
        return PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
    });
}

int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                 const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Igatherv", comm, [&] {
        return PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                             request);
    });
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Iscatter", comm, [&] {
        return PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
    });
}

int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Iscatterv", comm, [&] {
        return PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                              request);
    });
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Iallgather");
    return unify(
        counter, comm, pmpi::Nonblocking{}, request,
        pmpi::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
        [&] { return PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request); });
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Iallgatherv");
    return unify(counter, comm, pmpi::Nonblocking{}, request,
                 pmpi::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] {
                     return PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                             comm, request);
                 });
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ialltoall");
    return unify(counter, comm, pmpi::Nonblocking{}, request,
                 pmpi::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                     return PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
                 });
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Request* request)
{
    static Counter counter("MPI_Ialltoallv");
    return unify(counter, comm, pmpi::Nonblocking{}, request,
                 pmpi::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
                 [&] {
                     return PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                            recvtype, comm, request);
                 });
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                   void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                   MPI_Comm comm, MPI_Request* request)
{
    static Counter counter("MPI_Ialltoallw");
    return unify(counter, comm, pmpi::Nonblocking{}, request,
                 pmpi::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes),
                 [&] {
                     return PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                            recvtypes, comm, request);
                 });
}

int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Ireduce", comm,
                  [&] { return PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request); });
}

int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request)
{
    return refuse("MPI_Iallreduce", comm,
                  [&] { return PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Ireduce_scatter_block", comm, [&] {
        return PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
    });
}

int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Request* request)
{
    return refuse("MPI_Ireduce_scatter", comm,
                  [&] { return PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request); });
}

int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request* request)
{
    return refuse("MPI_Iscan", comm,
                  [&] { return PMPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                MPI_Request* request)
{
    return refuse("MPI_Iexscan", comm,
                  [&] { return PMPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request); });
}

#if MPI_VERSION >= 4

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Barrier_init", comm, [&] { return PMPI_Barrier_init(comm, info, request); });
}

int MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request)
{
    return refuse("MPI_Bcast_init", comm,
                  [&] { return PMPI_Bcast_init(buffer, count, datatype, root, comm, info, request); });
}

int MPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Gather_init", comm, [&] {
        return PMPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                                request);
    });
}

int MPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                     const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                     MPI_Request* request)
{
    return refuse("MPI_Gatherv_init", comm, [&] {
        return PMPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                                 info, request);
    });
}

int MPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Scatter_init", comm, [&] {
        return PMPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                                 request);
    });
}

int MPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                      void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                      MPI_Request* request)
{
    return refuse("MPI_Scatterv_init", comm, [&] {
        return PMPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                                  info, request);
    });
}

int MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Allgather_init");
    return unify(counter, comm, pmpi::Persistent{info}, request,
                 pmpi::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                     return PMPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                                info, request);
                 });
}

int MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                        MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Allgatherv_init");
    return unify(counter, comm, pmpi::Persistent{info}, request,
                 pmpi::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype), [&] {
                     return PMPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                                                 comm, info, request);
                 });
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Alltoall_init");
    return unify(counter, comm, pmpi::Persistent{info}, request,
                 pmpi::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype), [&] {
                     return PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                                               request);
                 });
}

int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Alltoallv_init");
    return unify(counter, comm, pmpi::Persistent{info}, request,
                 pmpi::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype),
                 [&] {
                     return PMPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                                recvtype, comm, info, request);
                 });
}

int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                       const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                       const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    static Counter counter("MPI_Alltoallw_init");
    return unify(counter, comm, pmpi::Persistent{info}, request,
                 pmpi::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes),
                 [&] {
                     return PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                                recvtypes, comm, info, request);
                 });
}

int MPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Reduce_init", comm,
                  [&] { return PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request); });
}

int MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Allreduce_init", comm,
                  [&] { return PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

int MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Reduce_scatter_block_init", comm, [&] {
        return PMPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
    });
}

int MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Reduce_scatter_init", comm, [&] {
        return PMPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
    });
}

int MPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Scan_init", comm,
                  [&] { return PMPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

int MPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                    MPI_Info info, MPI_Request* request)
{
    return refuse("MPI_Exscan_init", comm,
                  [&] { return PMPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request); });
}

#endif

} // extern "C"
