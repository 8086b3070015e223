// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Reduce_scatter_block, ORTHO_Reduce_scatter, ORTHO_Reduce_scatterv.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "collectives/arguments.hpp"
#include "engine/copy.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/operator.hpp"
#include "mpiortho.h"

using namespace ortho;
using base::ErrorKind;
using collectives::Arguments;
using planner::Collective;

namespace {

constexpr collectives::SideNames send_names{"sendbuf", "sendcount", "datatype", "senddispls"};
constexpr collectives::SideNames receive_names{"recvbuf", "recvcount", "datatype", ""};

/// ORTHO_Reduce_scatterv where every process has all others for neighbors: MPI's alltoallv, and
/// a reduction of what arrives, in rank order.  ([C] II: "an alternative is ...".)
void reduce_scatterv_on_mpi(const void* sendbuf, const int sendcounts[], const int senddispls[],
                            void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    base::require(sendbuf != MPI_IN_PLACE, ErrorKind::buffer, "sendbuf", "sendbuf is MPI_IN_PLACE");
    base::require(recvcount >= 0, ErrorKind::count, "recvcount", "recvcount = ", recvcount, " is negative");
    base::require(datatype != MPI_DATATYPE_NULL, ErrorKind::type, "datatype", "datatype is MPI_DATATYPE_NULL");
    mpi::require_operator(op, datatype);
    mpi::require_result(sendcounts, "sendcounts");
    mpi::require_result(senddispls, "senddispls");
    int partners = mpi::size_of(comm);
    if (mpi::is_inter(comm)) mpi::check_users(PMPI_Comm_remote_size(comm, &partners));

    // A block is one element of a type of its own, so that no displacement overflows.
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check_users(PMPI_Type_contiguous(recvcount, datatype, &made));
    const mpi::Datatype block(made);
    mpi::check(PMPI_Type_commit(&made));
    const mpi::Measures measures = mpi::measure(made);
    const mpi::Span span = mpi::span_of(measures, partners);
    const auto temp = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(std::max<MPI_Aint>(1, span.end - span.begin)));
    std::byte* const first = temp.get() - span.begin;

    const std::vector<int> ones(static_cast<std::size_t>(partners), 1);
    std::vector<int> positions(ones.size());
    std::iota(positions.begin(), positions.end(), 0);
    mpi::check_users(PMPI_Alltoallv(sendbuf, sendcounts, senddispls, datatype, first, ones.data(),
                                    positions.data(), made, comm));

    const auto block_at = [&](int i) { return first + i * measures.extent; };
    engine::copy({block_at(partners - 1), recvcount, datatype}, {recvbuf, recvcount, datatype});
    for (int i = partners - 1; i-- > 0;)
        mpi::check_users(PMPI_Reduce_local(block_at(i), recvbuf, recvcount, datatype, op));
}

} // namespace

extern "C" {

int ORTHO_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm);
    return mpi::guard("ORTHO_Reduce_scatter_block", comm, [&] {
        const Arguments arguments(comm);
        arguments.check_operator(op, datatype, recvcount);
        engine::Call call{.collective = Collective::reduce_scatter, .send = {}, .receive = {}, .op = op};
        if (arguments.sends())
            call.send = arguments.regular(sendbuf, arguments.outdegree(), recvcount, datatype,
                                          {"sendbuf", "recvcount", "datatype", ""});
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, recvcount, datatype, receive_names);
        arguments.check_distinct(call.send, call.receive);
        arguments.run(call);
    });
}

int ORTHO_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm)
{
    if (topology::collective_topology(comm) != ORTHO_GRAPH)
        return PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm);
    return mpi::guard("ORTHO_Reduce_scatter", comm, [&] {
        topology::graph_of(comm);
        base::fail(ErrorKind::undefined, "comm",
                   "Reduce_scatter has no meaning on a graph; see ORTHO_Reduce_scatterv");
    });
}

int ORTHO_Reduce_scatterv(const void* sendbuf, const int sendcounts[], const int senddispls[], void* recvbuf,
                          int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return mpi::guard("ORTHO_Reduce_scatterv", comm, [&] {
        if (topology::collective_topology(comm) != ORTHO_GRAPH) {
            reduce_scatterv_on_mpi(sendbuf, sendcounts, senddispls, recvbuf, recvcount, datatype, op, comm);
            return;
        }
        const Arguments arguments(comm);
        arguments.check_operator(op, datatype, recvcount);
        engine::Call call{.collective = Collective::reduce_scatter, .send = {}, .receive = {},
                          .irregular = true, .op = op};
        if (arguments.sends())
            call.send = arguments.varying(sendbuf, arguments.targets(), sendcounts, senddispls, datatype,
                                          send_names);
        if (arguments.receives())
            call.receive = arguments.regular(recvbuf, 1, recvcount, datatype, receive_names);
        arguments.run(call);
    });
}

} // extern "C"
