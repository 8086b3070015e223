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
    if (const auto& own = comm->own_errhandler) {
        MPI_Comm handle = comm->handle;
        own->function(&handle, &code);
        return code;
    }
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    PMPI_Error_string(code, text, &length);
    fail(std::string("error in ") + me->call + ", and errors are fatal: " + text);
}

} // namespace loopback

using namespace loopback;

PLAYED(int, Comm_create_errhandler, MPI_Comm_errhandler_function* function, MPI_Errhandler* result)
{
    return play_local("MPI_Comm_create_errhandler", [&] {
        *result = me->errhandlers.add(std::make_unique<std::shared_ptr<Errhandler>>(
            std::make_shared<Errhandler>(Errhandler{function})));
    });
}

PLAYED(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler)
{
    return play_local("MPI_Comm_set_errhandler", [&] {
        Communicator& c = communicator(comm);
        const auto* const own = me->errhandlers.find(handler);
        require(own != nullptr || handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL,
                MPI_ERR_ARG, &c);
        c.errhandler = handler;
        c.own_errhandler = own != nullptr ? *own : nullptr;
    });
}

PLAYED(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler* handler)
{
    return play_local("MPI_Comm_get_errhandler", [&] {
        const Communicator& c = communicator(comm);
        *handler = c.own_errhandler
                       ? me->errhandlers.add(std::make_unique<std::shared_ptr<Errhandler>>(c.own_errhandler))
                       : c.errhandler;
    });
}

PLAYED(int, Comm_call_errhandler, MPI_Comm comm, int code)
{
    return play_local("MPI_Comm_call_errhandler", [&] { raise(&communicator(comm), code); });
}

PLAYED(int, Errhandler_free, MPI_Errhandler* handler)
{
    return play_local("MPI_Errhandler_free", [&] {
        if (me->errhandlers.find(*handler) != nullptr) me->errhandlers.remove(*handler);
        *handler = MPI_ERRHANDLER_NULL;
    });
}
