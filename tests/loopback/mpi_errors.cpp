// SPDX-License-Identifier: BSD-3-Clause
// Error handlers.
#include "mpi_errors.hpp"

#include <string>
#include <utility>

#include "communicators.hpp"
#include "real_mpi.hpp"

namespace loopback {

Entered::Entered(const char* function, unsigned yields) : yields_(yields)
{
    if (me == nullptr) {
        std::fprintf(stderr, "loopback: %s is called outside of all processes\n", function);
        std::abort();
    }
    outer_ = std::exchange(me->call, function);
    ++mpi_calls;
    if (!me->is_initialized || me->is_finalized)
        fail(std::string(function) + " before MPI_Init or after MPI_Finalize");
    if (scheduler->below(1000) < yields_) scheduler->yield();
}

Entered::~Entered()
{
    if (scheduler->below(1000) < yields_) scheduler->yield();
    me->call = outer_;
}

int raise(Communicator* comm, int code)
{
    if (code == MPI_SUCCESS) return code;
    if (comm == nullptr) comm = me->world.get();
    const MPI_Errhandler handler = comm->errhandler;
    if (handler == MPI_ERRORS_RETURN) return code;
    if (comm->own_errhandler != nullptr) {
        MPI_Comm handle = comm->handle;
        comm->own_errhandler(&handle, &code);
        return code;
    }
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    PMPI_Error_string(code, text, &length);
    fail(std::string("error in ") + me->call + ", and errors are fatal: " + text);
}

} // namespace loopback

using namespace loopback;

LOCAL(Comm_create_errhandler, MPI_Comm_errhandler_function* function, MPI_Errhandler* result)
{
    *result = me->errhandlers.add(std::make_unique<MPI_Comm_errhandler_function*>(function));
}

LOCAL(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler)
{
    Communicator& c = communicator(comm);
    const auto* const own = me->errhandlers.find(handler);
    require(own != nullptr || handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL, MPI_ERR_ARG,
            &c);
    c.errhandler = handler;
    c.own_errhandler = own != nullptr ? *own : nullptr;
}

LOCAL(Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* handler)
{
    const Communicator& c = communicator(comm);
    *handler = c.own_errhandler != nullptr
                   ? me->errhandlers.add(std::make_unique<MPI_Comm_errhandler_function*>(c.own_errhandler))
                   : c.errhandler;
}

LOCAL(Comm_call_errhandler, MPI_Comm comm, int code) { raise(&communicator(comm), code); }

LOCAL(Errhandler_free, MPI_Errhandler* handler)
{
    if (me->errhandlers.find(*handler) != nullptr) me->errhandlers.remove(*handler);
    *handler = MPI_ERRHANDLER_NULL;
}
