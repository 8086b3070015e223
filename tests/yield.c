// SPDX-License-Identifier: BSD-3-Clause
// For tests, by LD_PRELOAD: MPICH looks for messages again and again while it waits.  After some looks in
// vain it gives the core to other processes here, as Open MPI does by mpi_yield_when_idle, and after more it
// sleeps: long waits take no core.  All that MPICH waits for makes UCX look, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    static _Thread_local int in_vain;
    if (progress == NULL) {
        void *next = dlsym(RTLD_NEXT, "ucp_worker_progress");
        // The library may be that of an MPI that a program has loaded for itself.
        if (next == NULL) next = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
        *(void **)&progress = next;
    }
    const unsigned found = progress(worker);
    if (found != 0) {
        in_vain = 0;
    } else if (++in_vain % 20 == 0) {
        if (in_vain < 200) {
            sched_yield();
        } else {
            in_vain = 200;
            usleep(100);
        }
    }
    return found;
}
