// SPDX-License-Identifier: BSD-3-Clause
// A process pays for each message that it has received.  SMPI (SimGrid 3.32) charges this only for messages
// that are sent "detached".  It keeps them in one list, which it goes through for each that ends: a hundred
// thousand at once took hours.  So no message is detached, and the overhead is charged here, request by
// request.  The linker puts these functions in place of MPI's (--wrap).
#include <mpi.h>
#include <simgrid/actor.h>

#include <cstdlib>
#include <unordered_set>

namespace {

/// Receives that are under way.  Each process has its own set, as it has its own variables.
std::unordered_set<MPI_Request> receives;

void pay()
{
    // In seconds, from bench/simgrid/run.
    static const double overhead_s = std::atof(std::getenv("ORTHO_SIMULATED_OVERHEAD"));
    sg_actor_sleep_for(overhead_s);
}

} // namespace

extern "C" {

int __real_MPI_Wait(MPI_Request* request, MPI_Status* status);
int __real_MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request* request);
int __real_MPI_Sendrecv(const void* out, int sendcount, MPI_Datatype sendtype, int to, int sendtag, void* in,
                        int recvcount, MPI_Datatype recvtype, int from, int recvtag, MPI_Comm comm,
                        MPI_Status* status);

int __wrap_MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     MPI_Request* request)
{
    const int code = __real_MPI_Irecv(data, count, type, source, tag, comm, request);
    if (code == MPI_SUCCESS && source != MPI_PROC_NULL) receives.insert(*request);
    return code;
}

int __wrap_PMPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request* request)
{
    return __wrap_MPI_Irecv(data, count, type, source, tag, comm, request);
}

int __wrap_MPI_Wait(MPI_Request* request, MPI_Status* status)
{
    const bool receive = receives.erase(*request) == 1;
    const int code = __real_MPI_Wait(request, status);
    if (receive) pay();
    return code;
}

int __wrap_PMPI_Wait(MPI_Request* request, MPI_Status* status) { return __wrap_MPI_Wait(request, status); }

int __wrap_MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    static_cast<void>(statuses); // nobody here reads them
    int first = MPI_SUCCESS;
    for (int i = 0; i < count; ++i) {
        const int code = requests[i] == MPI_REQUEST_NULL ? MPI_SUCCESS
                                                         : __wrap_MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        if (first == MPI_SUCCESS) first = code;
    }
    return first;
}

int __wrap_PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    return __wrap_MPI_Waitall(count, requests, statuses);
}

/// For windows.  A look that finds nothing may come back for ever: it waits, as runtime::test does.
int __wrap_PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[])
{
    *flag = 1;
    return __wrap_MPI_Waitall(count, requests, statuses);
}

int __wrap_MPI_Sendrecv(const void* out, int sendcount, MPI_Datatype sendtype, int to, int sendtag, void* in,
                        int recvcount, MPI_Datatype recvtype, int from, int recvtag, MPI_Comm comm,
                        MPI_Status* status)
{
    const int code = __real_MPI_Sendrecv(out, sendcount, sendtype, to, sendtag, in, recvcount, recvtype, from,
                                         recvtag, comm, status);
    if (from != MPI_PROC_NULL) pay();
    return code;
}

} // extern "C"
