// SPDX-License-Identifier: BSD-3-Clause
// The beginning and the end of a process's MPI, and what belongs to no communicator.
#include <cstring>
#include <string>

#include "communicators.hpp"
#include "mpi_errors.hpp"
#include "mpi_messages.hpp"
#include "real_mpi.hpp"
#include "virtual_system.hpp"

using namespace loopback;

namespace {

void init()
{
    if (me->is_initialized) fail("MPI_Init is called twice");
    me->is_initialized = true;
}

void finalize()
{
    for (Communicator* const c : {me->self.get(), me->world.get()})
        if (const int code = delete_attributes(*c)) throw Error{c, code};
    wait_inside([] { return me->freed_requests.empty(); });
    me->requests.for_each([](const Request& request) {
        if (request.is_active) fail(std::string(request.what()) + " is under way at MPI_Finalize");
    });
    tell_all(*me->world, {});
}

} // namespace

PLAYED(int, Init, int*, char***)
{
    init();
    return MPI_SUCCESS;
}

PLAYED(int, Init_thread, int*, char***, int required, int* provided)
{
    init();
    me->thread_level = *provided = std::min<int>(required, MPI_THREAD_SERIALIZED);
    return MPI_SUCCESS;
}

PLAYED(int, Query_thread, int* provided)
{
    *provided = me->thread_level;
    return MPI_SUCCESS;
}

PLAYED(int, Initialized, int* flag)
{
    *flag = me != nullptr && me->is_initialized ? 1 : 0;
    return MPI_SUCCESS;
}

PLAYED(int, Finalized, int* flag)
{
    *flag = me != nullptr && me->is_finalized ? 1 : 0;
    return MPI_SUCCESS;
}

PLAYED(int, Finalize, void)
{
    const int result = play("MPI_Finalize", finalize);
    me->is_finalized = true;
    return result;
}

PLAYED(int, Abort, MPI_Comm, int code) { fail("MPI_Abort with code " + std::to_string(code)); }

PLAYED(double, Wtime, void)
{
    scheduler->yield();
    return static_cast<double>(nanoseconds()) * 1e-9;
}

LOCAL(Get_processor_name, char* name, int* length)
{
    *length = static_cast<int>(node_name().copy(name, MPI_MAX_PROCESSOR_NAME - 1));
    name[*length] = 0;
}

LOCAL(Pack, const void* from, int count, MPI_Datatype type, void* to, int room, int* position, MPI_Comm comm)
{
    Communicator& c = communicator(comm);
    require(is_usable(type), MPI_ERR_TYPE, &c);
    const Bytes bytes = Elements{from, count, type}.pack();
    require(bytes.size() <= static_cast<std::size_t>(room - *position), MPI_ERR_ARG, &c);
    if (!bytes.empty()) std::memcpy(static_cast<std::byte*>(to) + *position, bytes.data(), bytes.size());
    *position += static_cast<int>(bytes.size());
}

LOCAL(Unpack, const void* from, int size, int* position, void* to, int count, MPI_Datatype type,
      MPI_Comm comm)
{
    Communicator& c = communicator(comm);
    require(is_usable(type), MPI_ERR_TYPE, &c);
    const Elements elements{to, count, type};
    const auto* const begin = static_cast<const std::byte*>(from) + *position;
    require(elements.bytes() <= static_cast<std::size_t>(size - *position), MPI_ERR_ARG, &c);
    elements.unpack(Bytes(begin, begin + elements.bytes()));
    *position += static_cast<int>(elements.bytes());
}

PLAYED(int, Type_free, MPI_Datatype* type) { return free_type(type); }

// Modules may name these functions, but not call them: they would reach the real MPI with communicators of ours.
#define UNPLAYED(name, ...)                                                                                  \
    PLAYED(int, name, __VA_ARGS__) { fail(std::string("MPI_" #name) + " is not played"); }

UNPLAYED(Neighbor_alltoall, const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm)
UNPLAYED(Comm_idup, MPI_Comm, MPI_Comm*, MPI_Request*)
UNPLAYED(Win_create, void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*)
UNPLAYED(Win_allocate, MPI_Aint, int, MPI_Info, MPI_Comm, void*, MPI_Win*)
#if MPI_VERSION >= 4
UNPLAYED(Session_init, MPI_Info, MPI_Errhandler, MPI_Session*)
UNPLAYED(Session_finalize, MPI_Session*)
UNPLAYED(Group_from_session_pset, MPI_Session, const char*, MPI_Group*)
UNPLAYED(Comm_create_from_group, MPI_Group, const char*, MPI_Info, MPI_Errhandler, MPI_Comm*)
#endif
