/* SPDX-License-Identifier: BSD-3-Clause */
/* In the place of the interposer: functions that change one bit of what arrives, so that it can be seen that
   a test notices.  These are the functions of neighborhoods, or with SPOIL_DENSE MPI_Alltoallv.  Values are
   changed, never indices: programs must not fall over them. */
#include <mpi.h>
#include <stddef.h>

/* The type of which this one has several in a row; else this one. */
static MPI_Datatype element_of(MPI_Datatype type)
{
    int ints, addresses, types, how;
    MPI_Type_get_envelope(type, &ints, &addresses, &types, &how);
    if (how == MPI_COMBINER_CONTIGUOUS) MPI_Type_get_contents(type, 1, 0, 1, &ints, NULL, &type);
    return type;
}

/* The last byte of a floating-point number has its sign and exponent. */
static void spoil(void *received, int n, const int counts[], const int places[], MPI_Datatype type)
{
    const MPI_Datatype element = element_of(type);
    int size = 0;
    if (element != MPI_DOUBLE && element != MPI_FLOAT && element != MPI_C_DOUBLE_COMPLEX) return;
    MPI_Type_size(type, &size);
    for (int i = 0; i < n; i++) {
        if (counts[i] == 0) continue;
        ((unsigned char *)received)[((long)places[i] + 1) * size - 1] ^= 1;
        return;
    }
}

#ifdef SPOIL_DENSE

int MPI_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                  MPI_Comm comm)
{
    int n = 0;
    const int code = PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                                    recvtype, comm);
    MPI_Comm_size(comm, &n);
    spoil(recvbuf, n, recvcounts, rdispls, recvtype);
    return code;
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
    spoil(recvbuf, in, recvcounts, rdispls, recvtype);
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
