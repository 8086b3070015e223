// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Allgatherw in its three forms.  MPI has no such call: on full and inter-communicators it is an
// MPI_Alltoallw of one block.

#include <memory>

#include "collectives/allgather.hpp"
#include "collectives/folded.hpp"
#include "collectives/forms.hpp"
#include "mpi/datatype.hpp"

using namespace ortho;

namespace {

struct Allgatherw {
    const void* sendbuf;
    int sendcount;
    MPI_Datatype sendtype;
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
        kept.keep(recvcounts, n);
        kept.keep(rdispls, n);
        kept.keep_types(recvtypes, n);
        if (sendbuf != MPI_IN_PLACE) kept.keep_type(sendtype);
    }
    template <class Each>
    void list(Each& each, [[maybe_unused]] std::size_t in, [[maybe_unused]] std::size_t out) const
    {
        each.blocks(sendbuf, out, sendcount, sendtype);
        each.blocks(recvbuf, in, recvcounts, rdispls, recvtypes);
    }

    engine::Call describe(const collectives::Arguments& arguments) const
    {
        engine::Call call = describe_allgather(arguments, sendbuf, sendcount, sendtype, true);
        if (arguments.receives())
            call.receive = arguments.typed(recvbuf, arguments.sources(), recvcounts, rdispls, recvtypes,
                                           collectives::receive_names);
        return call;
    }

private:
    const collectives::FoldedSides& folded() const
    {
        mpi::require_result(recvcounts, "recvcounts");
        mpi::require_result(rdispls, "rdispls");
        mpi::require_result(recvtypes, "recvtypes");
        const bool inter = mpi::is_inter(comm);
        const int self = inter ? -1 : mpi::rank_of(comm);
        const bool in_place = sendbuf == MPI_IN_PLACE;
        base::require(!(in_place && inter), base::ErrorKind::buffer, "sendbuf",
                      "sendbuf is MPI_IN_PLACE on an inter-communicator");
        if (sides) return *sides; // started before, with the same arguments

        auto made = std::make_shared<collectives::FoldedSides>();
        const void* from = sendbuf;
        int count = sendcount;
        MPI_Datatype type = sendtype;
        if (in_place) {
            // The block lies in the receive buffer already.  By its absolute address, since MPI would
            // take a send buffer that is the receive buffer for a mistake.
            MPI_Aint address = 0;
            mpi::check(PMPI_Get_address(recvbuf, &address));
            type = made->send.fold(recvcounts[self], MPI_Aint_add(address, rdispls[self]), recvtypes[self]);
            from = MPI_BOTTOM;
            count = 1;
        }
        for (int i = 0; i < collectives::partners_of(comm); ++i) {
            const bool stays = in_place && i == self;
            made->send.add(stays ? 0 : count, 0, type);
            made->receive.add(stays ? 0 : recvcounts[i], rdispls[i], recvtypes[i]);
        }
        made->sendbuf = from;
        made->recvbuf = recvbuf;
        sides = std::move(made);
        return *sides;
    }
};

} // namespace

extern "C" {

int ORTHO_Allgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                     MPI_Comm comm)
{
    return collectives::blocking("ORTHO_Allgatherw", Allgatherw{sendbuf, sendcount, sendtype, recvbuf,
                                                                recvcounts, rdispls, recvtypes, comm});
}

int ORTHO_Iallgatherw(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                      MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking(
        "ORTHO_Iallgatherw",
        Allgatherw{sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtypes, comm}, request);
}

int ORTHO_Allgatherw_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                          const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                          MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent(
        "ORTHO_Allgatherw_init",
        Allgatherw{sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtypes, comm}, info,
        request);
}

} // extern "C"
