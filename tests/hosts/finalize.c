/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Finalize of MPICH 4.0.2 may never end.  Preloaded into the processes of MPICH by
   tests/hosts/hosts.sh, this waits in its place, while all processes still are inside MPI.  All names are
   weak: shells get it, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* As in ucp/api/ucp.h, without its types. */
int ucp_ep_create(void *worker, const void *parameters, void **endpoint);
void *ucp_disconnect_nb(void *endpoint);
unsigned ucp_worker_progress(void *worker) __attribute__((weak));
void *ucp_worker_flush_nb(void *worker, unsigned flags, void (*done)(void *, int)) __attribute__((weak));
int ucp_request_check_status(void *request) __attribute__((weak));
void ucp_request_free(void *request) __attribute__((weak));
#pragma weak PMPI_Barrier
#pragma weak PMPI_Finalize

static void *the_worker;
static int flushed;

int ucp_ep_create(void *worker, const void *parameters, void **endpoint)
{
    int (*next)(void *, const void *, void **);
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_ep_create");
    the_worker = worker;
    return next(worker, parameters, endpoint);
}

void *ucp_disconnect_nb(void *endpoint)
{
    void *(*next)(void *);
    *(void **)&next = dlsym(RTLD_NEXT, "ucp_disconnect_nb");
    return flushed ? NULL : next(endpoint);
}

static void nothing(void *request, int status) { (void)request, (void)status; }

int MPI_Finalize(void)
{
    if (the_worker != NULL) {
        void *request = ucp_worker_flush_nb(the_worker, 0, nothing);
        if (request != NULL && (intptr_t)request > 0) { /* neither done nor an error */
            while (ucp_request_check_status(request) == 1) ucp_worker_progress(the_worker);
            ucp_request_free(request);
        }
        PMPI_Barrier(MPI_COMM_WORLD); /* the others acknowledge meanwhile */
        flushed = 1;
    }
    return PMPI_Finalize();
}
