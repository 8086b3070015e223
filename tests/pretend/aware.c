/* SPDX-License-Identifier: BSD-3-Clause */
/* Has the MPI take addresses on the pretended devices (driver.cpp): a library that tests preload.
 * ORTHO_TEST_AWARE=lies: the MPI says that it takes them, and does nothing with them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uintptr_t device_bits = (uintptr_t)3 << 52;

static int is_on_device(const void *address) { return ((uintptr_t)address & device_bits) != 0; }
/* Data of other types may lie far from the address. */
static void *real(const void *address, MPI_Datatype type)
{
    return type == MPI_BYTE ? (void *)((uintptr_t)address & ~device_bits) : (void *)address;
}
static void *next(const char *name)
{
    void *const found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    return found;
}

int MPIX_Query_cuda_support(void) { return 1; }

int PMPI_Isend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    int (*const send)(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                      MPI_Request *) = next("PMPI_Isend");
    return send(real(buf, type), count, type, dest, tag, comm, request);
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    int (*const receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = next("PMPI_Irecv");
    return receive(real(buf, type), count, type, source, tag, comm, request);
}

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                  MPI_Status *status)
{
    const char *const how = getenv("ORTHO_TEST_AWARE");
    int (*const both)(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int,
                      MPI_Comm, MPI_Status *) = next("PMPI_Sendrecv");
    if (how != NULL && strcmp(how, "lies") == 0 && (is_on_device(sendbuf) || is_on_device(recvbuf)))
        return MPI_SUCCESS;
    return both(real(sendbuf, sendtype), sendcount, sendtype, dest, sendtag, real(recvbuf, recvtype),
                recvcount, recvtype, source, recvtag, comm, status);
}
