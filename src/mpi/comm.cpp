// SPDX-License-Identifier: BSD-3-Clause
// Communicators: questions to MPI about them, and our own ones; groups.

#include "mpi/comm.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <numeric>

#include "base/text.hpp"
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

int own_topology_of(MPI_Comm comm)
{
    const int topology = topology_of(comm);
    const int size = size_of(comm);
    bool is_own = true;
    int n = 0;
    if (topology == MPI_CART) {
        check_users(PMPI_Cartdim_get(comm, &n));
        std::vector<int> numbers(3 * static_cast<std::size_t>(n));
        int* const sizes = numbers.data();
        if (n > 0) check_users(PMPI_Cart_get(comm, n, sizes, sizes + n, sizes + 2 * n));
        is_own = std::accumulate(sizes, sizes + n, 1, std::multiplies{}) == size;
    } else if (topology == MPI_GRAPH) { // each process knows all of it
        for (int rank = 0; is_own && rank < size; ++rank) {
            check_users(PMPI_Graph_neighbors_count(comm, rank, &n));
            std::vector<int> neighbors(static_cast<std::size_t>(n) + 1);
            check_users(PMPI_Graph_neighbors(comm, rank, n, neighbors.data()));
            is_own = std::ranges::all_of(neighbors, [&](int neighbor) { return neighbor < size; });
        }
    }
    return is_own ? topology : MPI_UNDEFINED;
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

Group::Group(MPI_Comm comm)
{
    check_users(PMPI_Comm_group(comm, &group_));
    int in_group = 0;
    check(PMPI_Group_size(group_, &in_group));
    const int in_comm = size_of(comm);
    if (in_group == in_comm) return;
    // For a grid with fewer points than its parent has processes, MPICH 5.0 returns the parent's group.  The
    // first processes of that group have the points.
    std::vector<int> first(static_cast<std::size_t>(in_comm));
    std::iota(first.begin(), first.end(), 0);
    MPI_Group members = MPI_GROUP_NULL;
    check(PMPI_Group_incl(group_, in_comm, first.data(), &members));
    std::swap(group_, members);
    check(PMPI_Group_free(&members));
}

std::vector<int> all_ranks(MPI_Group group)
{
    int size = 0;
    check_users(PMPI_Group_size(group, &size));
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<int> world_ranks(MPI_Comm comm)
{
    const Group group(comm);
    return translate(all_ranks(group.get()), group.get(), Group(MPI_COMM_WORLD).get());
}

std::vector<int> translate(const std::vector<int>& ranks, MPI_Group from, MPI_Group to)
{
    std::vector<int> result(ranks.size());
    if (ranks.empty()) return result;
    check_users(
        PMPI_Group_translate_ranks(from, static_cast<int>(ranks.size()), ranks.data(), to, result.data()));
    return result;
}

} // namespace ortho::mpi
