// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Scan and ORTHO_Exscan in their three forms: for full communicators only.

#include "collectives/forms.hpp"

using namespace ortho;

namespace {

/// Neither graphs nor inter-communicators have an order that a prefix could follow.
[[noreturn]] void refuse()
{
    base::fail(base::ErrorKind::undefined, "comm",
               "prefix reductions have a meaning on full communicators only");
}

void refuse_inter(MPI_Comm comm)
{
    if (topology::collective_topology(comm) == ORTHO_INTER) refuse();
}

struct Scan {
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Scan, PMPI_Iscan, PMPI_Scan_init, sendbuf, recvbuf, count, datatype, op, comm)
    void keep(collectives::Kept& kept)
    {
        refuse_inter(comm);
        kept.keep_type(datatype);
    }
    engine::Call describe(const collectives::Arguments&) const { refuse(); }
};

struct Exscan {
    const void* sendbuf;
    void* recvbuf;
    int count;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;

    ORTHO_ON_MPI(PMPI_Exscan, PMPI_Iexscan, PMPI_Exscan_init, sendbuf, recvbuf, count, datatype, op, comm)
    void keep(collectives::Kept& kept)
    {
        refuse_inter(comm);
        kept.keep_type(datatype);
    }
    engine::Call describe(const collectives::Arguments&) const { refuse(); }
};

template <class Collective>
int blocking(const char* function, const Collective& collective)
{
    if (topology::collective_topology(collective.comm) == ORTHO_INTER)
        return mpi::guard(function, collective.comm, [] { refuse(); });
    return collectives::blocking(function, collective);
}

} // namespace

extern "C" {

int ORTHO_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    return blocking("ORTHO_Scan", Scan{sendbuf, recvbuf, count, datatype, op, comm});
}

int ORTHO_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Iscan", Scan{sendbuf, recvbuf, count, datatype, op, comm},
                                    request);
}

int ORTHO_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Scan_init", Scan{sendbuf, recvbuf, count, datatype, op, comm}, info,
                                   request);
}

int ORTHO_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm)
{
    return blocking("ORTHO_Exscan", Exscan{sendbuf, recvbuf, count, datatype, op, comm});
}

int ORTHO_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm, ORTHO_Request* request)
{
    return collectives::nonblocking("ORTHO_Iexscan", Exscan{sendbuf, recvbuf, count, datatype, op, comm},
                                    request);
}

int ORTHO_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Info info, ORTHO_Request* request)
{
    return collectives::persistent("ORTHO_Exscan_init", Exscan{sendbuf, recvbuf, count, datatype, op, comm},
                                   info, request);
}

} // extern "C"
