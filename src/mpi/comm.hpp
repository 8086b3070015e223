// SPDX-License-Identifier: BSD-3-Clause
// Communicators: what we ask of them, and those that are ours.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>

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

/// The last tag that the MPI has, the same on all processes.
int last_tag();

/// What reports call a communicator: its name, or, if it has none, its size.
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
    /// Where processes have failed it stays to the end: with Open MPI 5 other processes' requests on it,
    /// which end with errors, wait for an answer from this one.
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

/// The error handler that a communicator had.
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

/// Where processes speak that set something up, all of them in one call.
struct SetUpComms {
    MPI_Comm collectives;
    MPI_Comm messages; ///< of the same processes with the same ranks
    int tag;           ///< of all messages
};

/// A communicator of the same processes without topology, attributes or info.  Collective: all processes are in
/// the call, and none waits elsewhere for another one (runtime::bare_copy sees to that).
Comm copy_of(MPI_Comm comm);

/// A communicator of this process alone, for messages to oneself that no receive of the user's
/// on MPI_COMM_SELF may steal.  Made at first use.
MPI_Comm self_channel();

/// Give `to` the error handler of `from`.
void copy_errhandler(MPI_Comm from, MPI_Comm to);

} // namespace ortho::mpi
