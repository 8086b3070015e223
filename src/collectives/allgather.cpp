// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Allgather and ORTHO_Allgatherv in their three forms.

#include "collectives/allgather.hpp"

#include <cstdint>
#include <numeric>

#include "collectives/forms.hpp"

using namespace ortho;

namespace ortho::collectives {

engine::Call describe_allgather(const Arguments& arguments, const void* sendbuf, int sendcount,
                                MPI_Datatype sendtype, bool irregular)
{
    engine::Call call{
        .collective = planner::Collective::allgather, .send = {}, .receive = {}, .irregular = irregular};
    if (arguments.sends()) call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, send_names);
    return call;
}

} // namespace ortho::collectives

namespace {

std::int64_t size_of(MPI_Datatype type)
{
    int size = 0;
    mpi::check_users(PMPI_Type_size(type, &size));
    return size;
}

/// Blocks of so many bytes on average, where ORTHO would send them through shared memory.
bool is_faster_by_mpi([[maybe_unused]] const schedule::Layout& layout, [[maybe_unused]] std::int64_t bytes)
{
#ifdef MPICH_VERSION
    // With a core for each process MPICH 4.0 takes 0.3 us for small blocks, we 0.4 (ortho-bench dense, 2
    // processes).
    constexpr std::int64_t small = 2048;
    return layout.processes_a_core == 1 && bytes < small;
#else
    return false;
#endif
}

struct Allgather {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    int recvcount;
    MPI_Datatype recvtype;
    MPI_Comm comm;

    // MPICH 4.0's MPI_Allgather_init delivers wrong blocks from the second start on, on 2 or 4 processes.
#ifdef MPICH_VERSION
    ORTHO_ON_MPI_BUT_PERSISTENT(PMPI_Allgather, PMPI_Iallgather, sendbuf, sendcount, sendtype, recvbuf,
                                recvcount, recvtype, comm)
#else
    ORTHO_ON_MPI(PMPI_Allgather, PMPI_Iallgather, PMPI_Allgather_init, sendbuf, sendcount, sendtype, recvbuf,
                 recvcount, recvtype, comm)
#endif
    void keep(collectives::Kept& kept)
    {
        if (sendbuf != MPI_IN_PLACE) kept.keep_type(sendtype);
        kept.keep_type(recvtype);
    }

    template <class Each>
    void list(Each& each, [[maybe_unused]] std::size_t in, [[maybe_unused]] std::size_t out) const
    {
        each.blocks(sendbuf, out, sendcount, sendtype);
        each.blocks(recvbuf, in, recvcount, recvtype);
    }
    bool may_be_dense() const { return sendbuf != MPI_IN_PLACE; }
    bool is_faster_by_mpi(const schedule::Layout& layout) const
    {
        return ::is_faster_by_mpi(layout, recvcount * size_of(recvtype));
    }
    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, false);
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype,
                                             collectives::receive_names);
        arguments.check_distinct(call.send, call.receive);
        return call;
    }
};

struct Allgatherv {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
    void* recvbuf;
    const int* recvcounts;
    const int* displs;
    MPI_Datatype recvtype;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Allgatherv, PMPI_Iallgatherv, PMPI_Allgatherv_init, sendbuf, sendcount, sendtype,
                 recvbuf, recvcounts, displs, recvtype, comm)
    void keep(collectives::Kept& kept)
    {
        const int n = collectives::partners_of(comm);
        kept.keep(recvcounts, n);
        kept.keep(displs, n);
        if (sendbuf != MPI_IN_PLACE) kept.keep_type(sendtype);
        kept.keep_type(recvtype);
    }

    template <class Each>
    void list(Each& each, [[maybe_unused]] std::size_t in, [[maybe_unused]] std::size_t out) const
    {
        each.blocks(sendbuf, out, sendcount, sendtype);
        each.blocks(recvbuf, in, recvcounts, displs, recvtype);
    }
    bool may_be_dense() const { return sendbuf != MPI_IN_PLACE; }
    bool is_faster_by_mpi(const schedule::Layout& layout) const
    {
        const int n = mpi::size_of(comm);
        const std::int64_t elements = std::accumulate(recvcounts, recvcounts + n, std::int64_t{0});
        return ::is_faster_by_mpi(layout, elements * size_of(recvtype) / n);
    }
    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, true);
        if (arguments.receives())
            call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                             {"recvbuf", "recvcount", "recvtype", "displs"});
        return call;
    }
};

} // namespace

extern "C" {

int ORTHO_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Allgather",
                                 Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm});
}

int ORTHO_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Iallgather", Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
        request);
}

int ORTHO_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Allgather_init", Allgather{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm},
        info, request);
}

int ORTHO_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Allgatherv", Allgatherv{sendbuf, sendcount, sendtype, recvbuf,
                                                                recvcounts, displs, recvtype, comm});
}

int ORTHO_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                      ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Iallgatherv",
        Allgatherv{sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm}, request);
}

int ORTHO_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                          MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Allgatherv_init",
        Allgatherv{sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm}, info, request);
}

} // extern "C"
