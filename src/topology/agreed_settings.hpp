// SPDX-License-Identifier: BSD-3-Clause
// Agreeing on what environment and info say.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "topology/graph.hpp"

namespace ortho::topology {

/// Which keys of an info a call reads: one that makes a graph, an _init call, or that of a halo on a named
/// communicator.
enum class Reads : std::uint8_t { when_made, in_init, in_halo_by_name };

/// What an info promises.  A promise counts if all processes make it.
struct Promises {
    agree::Ballot& ballot;
    agree::AllTrue assert_uniform{ballot}; ///< info ortho_assert_uniform
    agree::AllTrue forward{ballot};        ///< info ortho_forward is true
    agree::AllTrue no_info{ballot};        ///< there is no info at all

    /// Tells of keys that do nothing in the call.  Throws base::Error (info) for values that are neither true
    /// nor false.
    void say(MPI_Info info, Reads reads);
};

/// Which of the processes around a process are its neighbors: all 3^d - 1, or those along the axes.
enum class Around : std::uint8_t { all, faces };
/// Info ortho_regions.  Throws base::Error (info) for anything else.
Around around_in(MPI_Info info);

/// Does info ortho_rebind say, on all processes, that a persistent operation will get other buffers?  Throws
/// base::Error (info), where it is, for a value that is neither true nor false.  Collective, over both groups
/// of an inter-communicator.
bool agree_on_rebinding(MPI_Comm comm, MPI_Info info);

/// A list of algorithms, as a user gave it.
struct NamedAlgorithms {
    std::string list;
    bool found = false;
    bool in_environment = false; ///< and not in an info
};

/// The list in an info.
NamedAlgorithms algorithms_in(MPI_Info info);
/// The list in an info, or in the environment if there is none in the info.
NamedAlgorithms algorithms_of(MPI_Info info);

/// Rank 0's list of algorithms on its way to all processes, without waiting: mpiexec often does not
/// pass the environment on, so that one process must speak for all.  One operation of MPI's, which
/// goes on by itself.
class Announcement {
public:
    /// `named` counts on rank 0.  All processes of `comm` must make one.
    Announcement(MPI_Comm comm, const NamedAlgorithms& named);
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;
    /// True once the list is here.
    bool advance();
    /// Throws base::Error (algorithm), on all processes alike, if it is longer than any sensible list.
    NamedAlgorithms named() const;

private:
    struct Message {
        int length;
        char found;
        char in_environment;
        char text[1018];
    };

    Message message_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// The settings that a list makes.
/// Throws base::Error (algorithm), on all processes alike, for an unknown algorithm.
Settings make_settings(const NamedAlgorithms& named);

/// The nodes of a communicator's processes; null if there is one.  Throws base::Error (info), on all
/// processes alike, for an ORTHO_NODES that is none.  Collective.
std::shared_ptr<const grid::Nodes> agree_on_nodes(MPI_Comm comm);

/// Runs `check` on all processes, fails together as Checked does, and agrees on the settings of a new
/// communicator.  `ballot`: with slots of the caller's, in which `check` may say something.  Collective in
/// any communicator of the processes concerned: one operation, if little is said in words and it is known
/// who shares a node.  Throws base::Error, on all processes.
Settings check_and_agree(agree::Ballot& ballot, MPI_Comm comm, MPI_Info info,
                         const std::function<void()>& check);

/// The settings of a new communicator, where there is nothing to check.
Settings agree_on_settings(MPI_Comm comm);

} // namespace ortho::topology
