// SPDX-License-Identifier: BSD-3-Clause
// Communicators: what we ask of them, and those that are ours.

#include "mpi/comm.hpp"

#include <mutex>

#include "base/text.hpp"
#include "mpi/exchange.hpp"
#include "mpi/group.hpp"

namespace ortho::mpi {

std::string title_of(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length = 0;
    check_users(PMPI_Comm_get_name(comm, name, &length));
    return length > 0 ? base::text('\'', name, '\'') : "a communicator without a name";
}

int last_tag()
{
    static const int last = [] {
        constexpr int promised = 32767;
        const int* bound = nullptr;
        int found = 0;
        check(PMPI_Comm_get_attr(has_world() ? MPI_COMM_WORLD : self(), MPI_TAG_UB, &bound, &found));
        return found != 0 && bound != nullptr ? *bound : promised;
    }();
    return last;
}

Comm bare_copy(MPI_Comm comm)
{
    // Alone there is nobody to wait for, and nothing must go on meanwhile that needs what is being made.
    if (size_of(comm) > 1) meet(comm);
    // Not MPI_Comm_dup: that copies the topology, and runs the user's attribute callbacks.
    MPI_Comm copy = MPI_COMM_NULL;
    check_users(PMPI_Comm_create(comm, Group(comm).get(), &copy));
    return Comm(copy);
}

MPI_Comm self_channel()
{
    static std::mutex mutex;
    static MPI_Comm channel = MPI_COMM_NULL;
    const std::lock_guard lock(mutex);
    if (channel != MPI_COMM_NULL) return channel;
    require_running();
    channel = bare_copy(self()).release();
    check(PMPI_Comm_set_errhandler(channel, MPI_ERRORS_RETURN));
    at_farewell([] { PMPI_Comm_free(&channel); });
    return channel;
}

void copy_errhandler(MPI_Comm from, MPI_Comm to)
{
    const Errhandler handler(from);
    check(PMPI_Comm_set_errhandler(to, handler.get()));
}

} // namespace ortho::mpi
