/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of the interposer: functions that change one bit of what arrives, so that it can be seen that
   a test notices.  These are the functions of neighborhoods, or with SPOIL_DENSE those of everybody with
   everybody, or with SPOIL_MESSAGES messages.  Values are changed, never indices: programs must not fall over
   them. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

/* The type of whose numbers this one consists. */
static MPI_Datatype element_of(MPI_Datatype type)
{
    for (;;) {
        int ints, addresses, types, how, numbers[64];
        MPI_Type_get_envelope(type, &ints, &addresses, &types, &how);
        if (how != MPI_COMBINER_CONTIGUOUS && (how != MPI_COMBINER_SUBARRAY || ints > 64)) return type;
        MPI_Type_get_contents(type, ints, addresses, types, numbers, NULL, &type);
    }
}

/* Returns whether it has changed one of so many: the first one that is not 0, since programs may lose what is
   almost 0.  The last byte of a floating-point number has its sign and exponent. */
static int spoil(void *first, int count, MPI_Datatype type)
{
    const MPI_Datatype element = element_of(type);
    int size = 0, packed = 0, from = 0, to = 0;
    unsigned char *bytes;
    if (count == 0 || (element != MPI_DOUBLE && element != MPI_FLOAT && element != MPI_C_DOUBLE_COMPLEX))
        return 0;
    MPI_Type_size(element, &size);
    MPI_Pack_size(count, type, MPI_COMM_SELF, &packed);
    bytes = malloc((size_t)packed + 1);
    MPI_Pack(first, count, type, bytes, packed, &to, MPI_COMM_SELF);
    if (to > 0) {
        int first_other = 0;
        while (first_other < to && bytes[first_other] == 0) first_other++;
        bytes[(first_other < to ? first_other / size * size : 0) + size - 1] ^= 1;
        MPI_Unpack(bytes, to, &from, first, count, type, MPI_COMM_SELF);
    }
    free(bytes);
    return to > 0;
}

#ifndef SPOIL_MESSAGES
/* The first of n blocks that has numbers.  Their places are so many extents of their type. */
static void spoil_one(void *received, int n, const int counts[], const int places[], MPI_Datatype type)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(type, &low, &extent);
    for (int i = 0; i < n; i++)
        if (spoil((char *)received + places[i] * extent, counts[i], type)) return;
}
#endif

#if defined SPOIL_DENSE

int MPI_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm)
{
    const int code = PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    spoil(recvbuf, recvcount, recvtype);
    return code;
}

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm)
{
    int n = 0;
    const int code = PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                    recvtype, comm);
    MPI_Comm_size(comm, &n);
    spoil_one(recvbuf, n, recvcounts, rdispls, recvtype);
    return code;
}

int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                  const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
                  const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    int n = 0;
    const int code = PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                                    recvtypes, comm);
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < n; i++)
        if (spoil((char *)recvbuf + rdispls[i], recvcounts[i], recvtypes[i])) break;
    return code;
}

#elif defined SPOIL_MESSAGES

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status *status)
{
    const int code = PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                   source, recvtag, comm, status);
    if (source != MPI_PROC_NULL) spoil(recvbuf, recvcount, recvtype);
    return code;
}

/* Bytes are changed before they are sent: programs send from buffers that they filled for it. */
int MPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (dest != MPI_PROC_NULL) spoil((void *)buf, count, type);
    return PMPI_Isend(buf, count, type, dest, tag, comm, request);
}

#else

int MPI_Neighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                           MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                           MPI_Datatype recvtype, MPI_Comm comm)
{
    int in = 0, out = 0, weighted = 0;
    const int code = PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                             rdispls, recvtype, comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    spoil_one(recvbuf, in, recvcounts, rdispls, recvtype);
    return code;
}

/* All processes begin this one before they wait for anything else: it may wait itself. */
int MPI_Ineighbor_alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                  recvtype, comm);
}

#endif
