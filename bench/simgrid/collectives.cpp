// SPDX-License-Identifier: BSD-3-Clause
// The non-blocking collectives of agreements, with all messages at once.  SMPI's (SimGrid 3.32) send a
// message from each process to each other one, and take time that grows with the third power of their number.
// It makes no difference that each look waits (ORTHO_SIMULATED).
#include <mpi.h>

extern "C" {

int PMPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int PMPI_Iallgather(const void* send, int sendcount, MPI_Datatype sendtype, void* receive, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Allgather(send, sendcount, sendtype, receive, recvcount, recvtype, comm);
}

int PMPI_Iallgatherv(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Allgatherv(send, sendcount, sendtype, receive, recvcounts, displs, recvtype, comm);
}

int PMPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Bcast(data, count, type, root, comm);
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Barrier(comm);
}

} // extern "C"
