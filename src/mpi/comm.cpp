// SPDX-License-Identifier: BSD-3-Clause
// Communicators: questions to MPI about them, and our own ones.

#include "mpi/comm.hpp"

#include <mutex>

#include "base/text.hpp"
#include "mpi/group.hpp"
#include "mpi/which_mpi.hpp"

namespace ortho::mpi {

std::string title_of(MPI_Comm comm) { return title_of(comm_name_in_place(comm), size_of(comm)); }

std::string title_of(const Name& name, int size)
{
    return name[0] != '\0' ? base::text('\'', name.data(), '\'')
                           : base::text("a communicator of ", size, size == 1 ? " process" : " processes");
}

int last_tag()
{
    static const int last = last_tag_of(has_world() ? MPI_COMM_WORLD : self());
    return last;
}

Comm copy_of(MPI_Comm comm)
{
    // Not MPI_Comm_dup: it copies the topology, and runs the user's attribute callbacks.
    MPI_Comm copy = MPI_COMM_NULL;
    check_users(PMPI_Comm_create(comm, Group(comm).get(), &copy));
    return Comm(copy);
}

MPI_Comm self_channel()
{
    static std::mutex mutex;
    static MPI_Comm private_comm = MPI_COMM_NULL;
    const std::lock_guard lock(mutex);
    if (private_comm != MPI_COMM_NULL) return private_comm;
    require_running();
    private_comm = copy_of(self()).release();
    check(return_errors(private_comm)); // callers raise the errors
    at_finalize([] { PMPI_Comm_free(&private_comm); });
    return private_comm;
}

void copy_errhandler(MPI_Comm from, MPI_Comm to)
{
    const Errhandler handler(from);
    check(handler.get() == MPI_ERRORS_RETURN ? return_errors(to)
                                             : PMPI_Comm_set_errhandler(to, handler.get()));
}

} // namespace ortho::mpi
