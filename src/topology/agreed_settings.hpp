// SPDX-License-Identifier: BSD-3-Clause
// Agreement on settings from the environment and from infos.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "topology/graph.hpp"

namespace ortho::topology {

/// The calls that read an info: a constructor of a graph, an _init call, a halo's _init call on a named
/// communicator, and one for fields of one shape.  The latter two are _init calls as well.
enum Reads : unsigned {
    reads_nothing = 0,
    when_made = 1,
    in_init = 2,
    in_halo_by_name = 4,
    in_halo_of_one_shape = 8
};

/// Warns of keys that begin like ours, but do nothing in this call.
void look_at_keys(MPI_Info info, unsigned reads);

/// Promises in an info.  A promise counts if all processes make it.
struct Promises {
    agree::Ballot& ballot;
    agree::AllTrue assert_uniform{ballot}; ///< info ortho_assert_uniform
    agree::AllTrue forward{ballot};        ///< info ortho_forward is true
    agree::AllTrue by_weights{ballot};     ///< info ortho_sizes is weights
    agree::AllTrue independent{ballot};    ///< info ortho_independent is true

    /// `reads`: what the call is, of Reads.  Warns of keys that do nothing in it.  Throws base::Error (info) for
    /// values that are neither true nor false.
    void say(MPI_Info info, unsigned reads);
};

/// The neighbors among the processes around a process: all 3^d - 1, or those along the axes.
enum class Around : std::uint8_t { all, faces };
/// The value of info ortho_regions.  Throws base::Error (info) for unknown values.
Around around_in(MPI_Info info);
/// The value of info ortho_order, MPI_ORDER_C or MPI_ORDER_FORTRAN; nothing if it is not there.  Throws
/// base::Error (info) for unknown values.
std::optional<int> order_in(MPI_Info info);
/// The value of info ortho_name; empty if it is not there.
std::string name_in(MPI_Info info);

/// Does info ortho_rebind say, on all processes, that a persistent operation will get other buffers?  Throws
/// base::Error, on the processes concerned: (info) for a value that is neither true nor false, (mismatch) for
/// several values of ortho_name.  Collective, over both groups of an inter-communicator.
bool agree_on_rebinding(MPI_Comm comm, MPI_Info info);

/// A user's list of algorithms.
struct NamedAlgorithms {
    std::string list;
    bool found = false;
    bool in_environment = false; ///< not in an info
};

/// The list in an info.
NamedAlgorithms algorithms_in(MPI_Info info);
/// The list in an info, or in the environment if there is none in the info.
NamedAlgorithms algorithms_of(MPI_Info info);

/// Rank 0's list of algorithms on its way to all processes, without waiting.  One process speaks for all,
/// since mpiexec often does not pass the environment on.  It is one operation of MPI, which goes on by
/// itself.
class Announcement {
public:
    /// Starts to send rank 0's `named`.  All processes of `comm` must make an Announcement.
    Announcement(MPI_Comm comm, const NamedAlgorithms& named);
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;
    /// True once the list is here.
    bool advance();
    /// Is it here, and empty?
    bool says_nothing() const { return request_ == MPI_REQUEST_NULL && message_.length == 0; }
    /// Throws base::Error (algorithm), on all processes alike, if the list is too long.
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

/// The settings of a list.
/// Throws base::Error (algorithm), on all processes alike, for an unknown algorithm.
Settings make_settings(const NamedAlgorithms& named);

/// The nodes of a communicator's processes; null if there is one node.  Throws base::Error (info), on all
/// processes alike, for a wrong ORTHO_NODES.  Collective.
std::shared_ptr<const grid::Nodes> agree_on_nodes(MPI_Comm comm);

/// Runs `check` on all processes, fails together as Checked does, and agrees on the settings of a new
/// communicator.  `ballot` may have slots that `check` fills.  Collective in any communicator of the same
/// processes.  Takes one operation, if the texts are short and the nodes are known.  Throws base::Error, on
/// all processes.
Settings check_and_agree(agree::Ballot& ballot, MPI_Comm comm, MPI_Info info,
                         const std::function<void()>& check);

/// The settings of a new communicator without a check.
Settings agree_on_settings(MPI_Comm comm);

} // namespace ortho::topology
