// SPDX-License-Identifier: BSD-3-Clause
// Sparse exchanges of Fortran.
#include <algorithm>
#include <limits>
#include <vector>

#include "fortran/arguments.hpp"

namespace ortho::fortran {
namespace {

/// The blocks that a process sends.
struct Sent {
    const CFI_cdesc_t* sendbuf;
    const MPI_Fint* ntargets;
    const CFI_cdesc_t *targets, *sendcounts, *sdispls;
    MPI_Datatype sendtype;

    /// Calls `send` with the arguments of C, or so that it fails on all processes.
    template <class Send>
    int by(MPI_Comm comm, Send send) const
    {
        try {
            const MPI_Count n = *ntargets;
            void* const buffer = choice_buffer(sendbuf, "sendbuf");
            const std::vector<int> to = list_of<int>(*targets, "targets", n, 0);
            const std::vector<MPI_Count> counts = list_of<MPI_Count>(*sendcounts, "sendcounts", n, 0);
            const std::vector<MPI_Aint> displs = list_of<MPI_Aint>(*sdispls, "sdispls", n, 0);
            require_room(to, counts, displs);
            return send(buffer, *ntargets, to.data(), counts.data(), displs.data());
        } catch (const base::Error& error) {
            refuse_together(comm, error, [&] { send(nullptr, -1, nullptr, nullptr, nullptr); });
        }
    }
    void require_room(const std::vector<int>& to, const std::vector<MPI_Count>& counts,
                      const std::vector<MPI_Aint>& displs) const
    {
        const MPI_Count room = room_of(*sendbuf, sendtype);
        for (std::size_t i = 0; i < counts.size(); ++i)
            base::require(to[i] == MPI_PROC_NULL || counts[i] <= 0 || displs[i] < 0 ||
                              counts[i] <= room - displs[i],
                          ErrorKind::count, "sendcounts", "sendcounts(", i + 1, ") = ", counts[i],
                          " elements from sdispls(", i + 1, ") = ", displs[i],
                          " on, but sendbuf has room for ", room, " elements of sendtype");
    }
};

/// Lists that tell of the blocks that have come.
struct Told {
    const CFI_cdesc_t *sources, *recvcounts, *rdispls;
};

/// The most that is wanted; the library tells of more.
struct Most {
    MPI_Count elements = std::numeric_limits<MPI_Count>::max();
    int blocks = std::numeric_limits<int>::max();
};

/// Calls `get` with the arguments of C once there is room for all that has come and is wanted.
template <class Get>
void receive(const char* routine, ORTHO_Sparse exchange, const CFI_cdesc_t* recvbuf, const MPI_Fint* recvtype,
             const Most& most, const Told& told, MPI_Fint* ierror, Get get)
{
    answer(routine, MPI_COMM_SELF, ierror, [&] {
        int n = 0;
        MPI_Count total = 0;
        const int code = ORTHO_Sparse_count(exchange, &n, &total);
        if (code != MPI_SUCCESS) return code;
        void* const buffer = choice_buffer(recvbuf, "recvbuf");
        MPI_Datatype const type = MPI_Type_f2c(*recvtype);
        const MPI_Count room = room_of(*recvbuf, type);
        base::require(std::min(total, most.elements) <= room, ErrorKind::buffer, "recvbuf",
                      "recvbuf has room for ", room, " elements of recvtype, but ", total, " have come");
        n = std::min(n, most.blocks);
        return get(buffer, type, GotList<int>(told.sources, "sources", n, 0),
                   GotList<MPI_Count>(told.recvcounts, "recvcounts", n, 0),
                   GotList<MPI_Aint>(told.rdispls, "rdispls", n, 0));
    });
}

void receive_at_most(ORTHO_Sparse* exchange, const CFI_cdesc_t* recvbuf, MPI_Count recvcount,
                     const MPI_Fint* recvtype, int maxn, const Told& told, MPI_Fint* ierror)
{
    receive("ortho_sparse_receive_at_most", *exchange, recvbuf, recvtype, {recvcount, maxn}, told, ierror,
            [&](void* buffer, MPI_Datatype type, int* sources, MPI_Count* counts, MPI_Aint* displs) {
                return ORTHO_Sparse_receive_at_most(exchange, buffer, recvcount, type, maxn, sources, counts,
                                                    displs);
            });
}

} // namespace
} // namespace ortho::fortran

using namespace ortho::fortran;

extern "C" {

void mpiortho_fortran_sparse_alltoallv(const CFI_cdesc_t* sendbuf, const MPI_Fint* ntargets,
                                       const CFI_cdesc_t* targets, const CFI_cdesc_t* sendcounts,
                                       const CFI_cdesc_t* sdispls, const MPI_Fint* sendtype,
                                       const MPI_Fint* comm, const MPI_Fint* info, ORTHO_Sparse* exchange,
                                       MPI_Fint* ierror)
{
    *exchange = ORTHO_SPARSE_NULL;
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    answer("ortho_sparse_alltoallv", c_comm, ierror, [&] {
        return Sent{sendbuf, ntargets, targets, sendcounts, sdispls, MPI_Type_f2c(*sendtype)}.by(
            c_comm,
            [&](const void* buffer, int n, const int* to, const MPI_Count* counts, const MPI_Aint* displs) {
                return ORTHO_Sparse_alltoallv(buffer, n, to, counts, displs, MPI_Type_f2c(*sendtype), c_comm,
                                              info_of(info), exchange);
            });
    });
}

void mpiortho_fortran_isparse_alltoallv(const CFI_cdesc_t* sendbuf, const MPI_Fint* ntargets,
                                        const CFI_cdesc_t* targets, const CFI_cdesc_t* sendcounts,
                                        const CFI_cdesc_t* sdispls, const MPI_Fint* sendtype,
                                        const MPI_Fint* comm, const MPI_Fint* info, ORTHO_Sparse* exchange,
                                        ORTHO_Request* request, MPI_Fint* ierror)
{
    *exchange = ORTHO_SPARSE_NULL;
    *request = ORTHO_REQUEST_NULL;
    const MPI_Comm c_comm = MPI_Comm_f2c(*comm);
    answer("ortho_isparse_alltoallv", c_comm, ierror, [&] {
        return Sent{sendbuf, ntargets, targets, sendcounts, sdispls, MPI_Type_f2c(*sendtype)}.by(
            c_comm,
            [&](const void* buffer, int n, const int* to, const MPI_Count* counts, const MPI_Aint* displs) {
                return ORTHO_Isparse_alltoallv(buffer, n, to, counts, displs, MPI_Type_f2c(*sendtype), c_comm,
                                               info_of(info), exchange, request);
            });
    });
}

void mpiortho_fortran_sparse_receive(ORTHO_Sparse* exchange, const CFI_cdesc_t* recvbuf,
                                     const MPI_Fint* recvtype, const CFI_cdesc_t* sources,
                                     const CFI_cdesc_t* recvcounts, const CFI_cdesc_t* rdispls,
                                     MPI_Fint* ierror)
{
    receive("ortho_sparse_receive", *exchange, recvbuf, recvtype, {}, {sources, recvcounts, rdispls}, ierror,
            [&](void* buffer, MPI_Datatype type, int* from, MPI_Count* counts, MPI_Aint* displs) {
                return ORTHO_Sparse_receive(exchange, buffer, type, from, counts, displs);
            });
}

void mpiortho_fortran_sparse_receive_at_most(ORTHO_Sparse* exchange, const CFI_cdesc_t* recvbuf,
                                             const MPI_Fint* recvcount, const MPI_Fint* recvtype,
                                             const MPI_Fint* maxn, const CFI_cdesc_t* sources,
                                             const CFI_cdesc_t* recvcounts, const CFI_cdesc_t* rdispls,
                                             MPI_Fint* ierror)
{
    receive_at_most(exchange, recvbuf, *recvcount, recvtype, *maxn, {sources, recvcounts, rdispls}, ierror);
}

void mpiortho_fortran_sparse_receive_at_most_c(ORTHO_Sparse* exchange, const CFI_cdesc_t* recvbuf,
                                               const MPI_Count* recvcount, const MPI_Fint* recvtype,
                                               const MPI_Fint* maxn, const CFI_cdesc_t* sources,
                                               const CFI_cdesc_t* recvcounts, const CFI_cdesc_t* rdispls,
                                               MPI_Fint* ierror)
{
    receive_at_most(exchange, recvbuf, *recvcount, recvtype, *maxn, {sources, recvcounts, rdispls}, ierror);
}

} // extern "C"
