// SPDX-License-Identifier: BSD-3-Clause
// Sparse exchanges of Fortran.
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
            require_room(counts, displs);
            return send(buffer, *ntargets, to.data(), counts.data(), displs.data());
        } catch (const base::Error& error) {
            refuse_together(comm, error, [&] { send(nullptr, -1, nullptr, nullptr, nullptr); });
        }
    }
    void require_room(const std::vector<MPI_Count>& counts, const std::vector<MPI_Aint>& displs) const
    {
        const MPI_Count room = room_of(*sendbuf, sendtype);
        for (std::size_t i = 0; i < counts.size(); ++i)
            base::require(counts[i] <= 0 || displs[i] < 0 || counts[i] <= room - displs[i], ErrorKind::count,
                          "sendcounts", "sendcounts(", i + 1, ") = ", counts[i], " elements from sdispls(",
                          i + 1, ") = ", displs[i], " on, but sendbuf has room for ", room,
                          " elements of sendtype");
    }
};

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
    answer("ortho_sparse_receive", MPI_COMM_SELF, ierror, [&] {
        int n = 0;
        MPI_Count total = 0;
        const int code = ORTHO_Sparse_count(*exchange, &n, &total);
        if (code != MPI_SUCCESS) return code;
        void* const buffer = choice_buffer(recvbuf, "recvbuf");
        MPI_Datatype const type = MPI_Type_f2c(*recvtype);
        const MPI_Count room = room_of(*recvbuf, type);
        ortho::base::require(total <= room, ErrorKind::buffer, "recvbuf", "recvbuf has room for ", room,
                             " elements of recvtype, but ", total, " have come");
        return ORTHO_Sparse_receive(exchange, buffer, type, GotList<int>(sources, "sources", n, 0),
                                    GotList<MPI_Count>(recvcounts, "recvcounts", n, 0),
                                    GotList<MPI_Aint>(rdispls, "rdispls", n, 0));
    });
}

} // extern "C"
