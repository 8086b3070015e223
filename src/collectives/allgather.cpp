// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Allgather, ORTHO_Allgatherv and ORTHO_Allgatherw on a graph.

#include <cstdint>
#include <numeric>

#include "collectives/call_traits.hpp"

namespace ortho::collectives {

namespace {

/// One block for all out-neighbors; the receive side is still to be described.
engine::Call describe_allgather(const Arguments& arguments, const void* sendbuf, MPI_Count sendcount,
                                MPI_Datatype sendtype, bool irregular)
{
    engine::Call call{
        .collective = planner::Collective::allgather, .send = {}, .receive = {}, .irregular = irregular};
    if (arguments.sends()) call.send = arguments.regular(sendbuf, 1, sendcount, sendtype, send_names);
    return call;
}

/// Blocks of so many bytes on average, where ORTHO would send them through shared memory.
bool mpi_is_faster([[maybe_unused]] const schedule::Layout& layout, [[maybe_unused]] std::int64_t bytes)
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

std::int64_t size_of(MPI_Datatype type)
{
    MPI_Count size = 0;
    mpi::check_users(PMPI_Type_size_x(type, &size));
    return size;
}

} // namespace

engine::Call Allgather::describe(const Arguments& arguments) const
{
    engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, false);
    if (arguments.receives())
        call.receive = arguments.regular(recvbuf, arguments.indegree(), recvcount, recvtype, receive_names);
    arguments.check_distinct(call.send, call.receive);
    return call;
}

engine::Call Allgatherv::describe(const Arguments& arguments) const
{
    engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, true);
    if (arguments.receives())
        call.receive = arguments.varying(recvbuf, arguments.sources(), recvcounts, displs, recvtype,
                                         {"recvbuf", "recvcount", "recvtype", "displs"});
    return call;
}

engine::Call Allgatherw::describe(const Arguments& arguments) const
{
    engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, true);
    if (arguments.receives())
        call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                       receive_names);
    return call;
}

bool is_faster_by_mpi(const Allgather& call, const schedule::Layout& layout)
{
    return mpi_is_faster(layout, call.recvcount * size_of(call.recvtype));
}

bool is_faster_by_mpi(const Allgatherv& call, const schedule::Layout& layout)
{
    const int n = mpi::size_of(call.comm);
    std::int64_t elements = 0;
    for (int i = 0; i < n; ++i) elements += call.recvcounts[i];
    return mpi_is_faster(layout, elements * size_of(call.recvtype) / n);
}

} // namespace ortho::collectives
