// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Alltoallw in its three forms.  Its displacements are of type MPI_Aint on any communicator;
// what MPI_Alltoallw's ints cannot hold is folded into datatypes.

#include <memory>

#include "collectives/folded.hpp"
#include "collectives/forms.hpp"
#include "collectives/halo_search.hpp"

using namespace ortho;

namespace {

struct Alltoallw {
    const void* sendbuf;
    const int* sendcounts;
    const MPI_Aint* sdispls;
    const MPI_Datatype* sendtypes;
    void* recvbuf;
    const int* recvcounts;
    const MPI_Aint* rdispls;
    const MPI_Datatype* recvtypes;
    MPI_Comm comm;
    /// The call as MPI gets it.
    mutable std::shared_ptr<collectives::FoldedSides> sides = nullptr;

    int run() const { return folded().run(comm); }
    int post(MPI_Request* request) const { return folded().post(comm, request); }
    void finish() const {}
    void keep(collectives::Kept& kept)
    {
        const int n = collectives::partners_of(comm);
        if (sendbuf != MPI_IN_PLACE) {
            kept.keep(sendcounts, n);
            kept.keep(sdispls, n);
            kept.keep_types(sendtypes, n);
        }
        kept.keep(recvcounts, n);
        kept.keep(rdispls, n);
        kept.keep_types(recvtypes, n);
    }
    template <class Each>
    void list(Each& each, [[maybe_unused]] std::size_t in, [[maybe_unused]] std::size_t out) const
    {
        each.blocks(sendbuf, out, sendcounts, sdispls, sendtypes);
        each.blocks(recvbuf, in, recvcounts, rdispls, recvtypes);
    }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call{
            .collective = planner::Collective::alltoall, .send = {}, .receive = {}, .irregular = true};
        if (arguments.sends())
            call.send = arguments.typed(sendbuf, arguments.targets(), sendcounts, sdispls, sendtypes,
                                        collectives::send_names);
        if (arguments.receives())
            call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                           collectives::receive_names);
        return call;
    }
    std::shared_ptr<engine::Call> alternative(const topology::Graph& graph, const engine::Call& call) const
    {
        return collectives::find_halo(graph, call);
    }

private:
    const collectives::FoldedSides& folded() const
    {
        const bool in_place = sendbuf == MPI_IN_PLACE;
        mpi::require_result(recvcounts, "recvcounts");
        mpi::require_result(rdispls, "rdispls");
        mpi::require_result(recvtypes, "recvtypes");
        if (!in_place) {
            mpi::require_result(sendcounts, "sendcounts");
            mpi::require_result(sdispls, "sdispls");
            mpi::require_result(sendtypes, "sendtypes");
        }
        if (sides) return *sides; // started before, with the same arguments

        auto made = std::make_shared<collectives::FoldedSides>();
        for (int i = 0; i < collectives::partners_of(comm); ++i) {
            made->receive.add(recvcounts[i], rdispls[i], recvtypes[i]);
            if (!in_place) made->send.add(sendcounts[i], sdispls[i], sendtypes[i]);
        }
        made->sendbuf = sendbuf;
        made->recvbuf = recvbuf;
        sides = std::move(made);
        return *sides;
    }
};

} // namespace

extern "C" {

int ORTHO_Alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Alltoallw", Alltoallw{sendbuf, sendcounts, sdispls, sendtypes,
                                                              recvbuf, recvcounts, rdispls, recvtypes, comm});
}

int ORTHO_Ialltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                     ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Ialltoallw",
        Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm},
        request);
}

int ORTHO_Alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                         const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                         MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Alltoallw_init",
        Alltoallw{sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm},
        info, request);
}

} // extern "C"
