// SPDX-License-Identifier: BSD-3-Clause
// Communicators: questions to MPI about them, and our own ones; groups.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "mpi/failure.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/object_info.hpp"
#include "mpi/process_failure.hpp"

namespace ortho::mpi {

inline int rank_of(MPI_Comm comm)
{
    int rank = 0;
    check_users(PMPI_Comm_rank(comm, &rank));
    return rank;
}

inline int size_of(MPI_Comm comm)
{
    int size = 0;
    check_users(PMPI_Comm_size(comm, &size));
    return size;
}

inline bool is_inter(MPI_Comm comm)
{
    int flag = 0;
    check_users(PMPI_Comm_test_inter(comm, &flag));
    return flag != 0;
}

inline int topology_of(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED;
    check_users(PMPI_Topo_test(comm, &topology));
    return topology;
}

/// Open MPI's MPI_Comm_create_group leaves the topology of the whole on a part, which has none then.
int own_topology_of(MPI_Comm comm);

/// The last tag of the MPI, the same on all processes.
int last_tag();

/// The title of a communicator in reports: its name, or its size if it has no name.
std::string title_of(MPI_Comm comm);
std::string title_of(const Name& name, int size);

/// A communicator of our own, freed with its last owner.
class Comm {
public:
    Comm() = default;
    explicit Comm(MPI_Comm comm) : comm_(comm) {}
    Comm(Comm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
    Comm& operator=(Comm&& other) noexcept
    {
        std::swap(comm_, other.comm_);
        return *this;
    }
    /// If processes have failed, the communicator stays to the end: otherwise requests may never end in
    /// Open MPI 5.
    ~Comm()
    {
        if (comm_ != MPI_COMM_NULL && is_running() && loss_on(comm_) == MPI_SUCCESS) PMPI_Comm_free(&comm_);
    }

    MPI_Comm get() const { return comm_; }
    MPI_Comm release() { return std::exchange(comm_, MPI_COMM_NULL); }
    explicit operator bool() const { return comm_ != MPI_COMM_NULL; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// The error handler of a communicator.
class Errhandler {
public:
    Errhandler() = default;
    explicit Errhandler(MPI_Comm comm) { check_users(PMPI_Comm_get_errhandler(comm, &handler_)); }
    Errhandler(Errhandler&& other) noexcept : handler_(std::exchange(other.handler_, MPI_ERRHANDLER_NULL)) {}
    Errhandler& operator=(Errhandler&& other) noexcept
    {
        std::swap(handler_, other.handler_);
        return *this;
    }
    ~Errhandler()
    {
        if (handler_ != MPI_ERRHANDLER_NULL && is_running()) PMPI_Errhandler_free(&handler_);
    }

    MPI_Errhandler get() const { return handler_; }

private:
    MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// The communicators for setting something up; all processes are in one call.
struct SetUpComms {
    MPI_Comm collectives;
    MPI_Comm messages; ///< has the same processes with the same ranks
    int tag;           ///< of all messages
};

/// A communicator of the same processes without topology, attributes or info.  Collective: all processes must
/// be in the call, and none may wait elsewhere for another one (runtime::bare_copy ensures this).
Comm copy_of(MPI_Comm comm);

/// A communicator of this process alone, made at first use.  No receive of the user's on MPI_COMM_SELF can
/// take messages to oneself on it.
MPI_Comm self_channel();

/// Gives `to` the error handler of `from`.
void copy_errhandler(MPI_Comm from, MPI_Comm to);

/// The processes of a communicator (of an inter-communicator, those on this side); frees the group.
class Group {
public:
    explicit Group(MPI_Comm comm);
    /// The processes with these ranks in `all`, in this order.
    Group(const Group& all, const std::vector<int>& ranks)
    {
        check(PMPI_Group_incl(all.get(), static_cast<int>(ranks.size()), ranks.data(), &group_));
    }
    ~Group() { PMPI_Group_free(&group_); }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    MPI_Group get() const { return group_; }

private:
    MPI_Group group_ = MPI_GROUP_NULL;
};

/// The list 0 ... size - 1.
std::vector<int> all_ranks(MPI_Group group);

/// Ranks of a communicator's processes in MPI_COMM_WORLD, or MPI_UNDEFINED.  The program has called MPI_Init.
std::vector<int> world_ranks(MPI_Comm comm);

/// The ranks in `to` of the processes with these ranks in `from`; MPI_UNDEFINED for those outside `to`.
std::vector<int> translate(const std::vector<int>& ranks, MPI_Group from, MPI_Group to);

} // namespace ortho::mpi
