// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find one answer, or fail together.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>
#include <optional>
#include <span>

#include "agree/ballot.hpp"
#include "grid/grid.hpp"
#include "grid/grid_search.hpp"
#include "grid/local_graph.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// A check that must succeed on all processes, as a slot of a ballot.
class Checked {
public:
    /// Runs the check and keeps its exception; the slot says whether it failed.
    Checked(agree::Ballot& ballot, const std::function<void()>& check);

    bool has_failed() const { return error_ != nullptr; }
    /// Has the check failed on any process?  Valid once the ballot was held.
    bool has_failed_anywhere() const { return failed_.holds(); }
    /// Throws, once the ballot was held, if the check threw on any process, as check_together() does.
    /// Collective if it throws.
    void require(MPI_Comm comm) const;

private:
    std::exception_ptr error_;
    agree::AnyTrue failed_;
};

/// Runs `check` on all processes.  If it throws on any of them, all throw, as with Checked.  Collective.
void fail_together(MPI_Comm comm, const std::function<void()>& check);

/// Runs `check` at the beginning of a call that all processes of `comm` make.  Processes of an
/// intra-communicator fail together, and have met if none fails.  On an inter-communicator each checks for
/// itself, since there is no way to meet (runtime::nonblocking_barrier).  Collective.
void check_and_meet(MPI_Comm comm, const std::function<void()>& check);

/// Do all processes have one name?
class NameVote {
public:
    explicit NameVote(agree::Ballot& ballot) : is_there_(ballot), name_(ballot) {}
    /// `name`: null if there is none.
    void say(const grid::Grid* name);
    /// Have all processes the same name?
    bool have_one() const { return is_there_.holds() && name_.holds(); }

private:
    agree::AllTrue is_there_;
    agree::SameList name_;
};

/// Do all processes have one stencil?  Answered if all have one name, a torus: there each process knows the
/// whole stencil.
class StencilVote {
public:
    explicit StencilVote(agree::Ballot& ballot) : is_there_(ballot), stencil_(ballot) {}
    void say(const grid::Grid* name, int processes, const grid::LocalGraph& lists);
    /// The common stencil, once the ballot was held.
    std::optional<grid::Isomorphism> agreed() &&;

private:
    agree::AllTrue is_there_;
    agree::SameList stencil_;
    std::optional<grid::Isomorphism> mine_;
};

/// May the edges of all processes be one stencil on some grid?
class MirrorVote {
public:
    explicit MirrorVote(agree::Ballot& ballot)
        : edges_(ballot),
          largest_(ballot),
          largest_mirror_(ballot),
          smallest_(ballot),
          smallest_mirror_(ballot)
    {}
    /// All edges of this process, on each process; ...
    void say(int processes, const grid::LocalGraph& lists);
    /// ... or edges from any process to its targets.
    void say(int processes, int from, std::span<const int> targets);
    /// If not there is none, or it is not worth a search.  Valid once the ballot was held.
    bool may_have_stencil() const;

private:
    void say(const grid::MirrorHashes& hashes);

    agree::Largest edges_; ///< from one process
    agree::Largest largest_, largest_mirror_;
    agree::Smallest smallest_, smallest_mirror_;
};

/// Runs a check on all processes.  If it throws base::Error on any of them, all throw: a process with an
/// error its own one, the others the error of the lowest rank that has one, with this rank.  Collective.
void check_together(MPI_Comm comm, const std::function<void()>& check);

/// Do all processes have the same name?  False if any has none.  Collective.
bool same_name_everywhere(MPI_Comm comm, const grid::Grid* name);

/// The common stencil of a communicator's processes on the grid of their name, if there is one.  Each process
/// gives its name and its lists.  The answer is the same everywhere.  Collective; moves O(1) numbers on a
/// torus, elsewhere O(t) for each corner of the grid, and O(t) for all.
std::optional<grid::Isomorphism> find_isomorphism(const mpi::SetUpComms& comms, const grid::Grid* name,
                                                  const grid::LocalGraph& lists);

/// The common stencil on a grid that is known to be the name of all processes.
std::optional<grid::Isomorphism> find_isomorphism_on(const mpi::SetUpComms& comms, const grid::Grid& grid,
                                                     const grid::LocalGraph& lists);
/// Finds the common stencil on the name of all processes, or, without a name, on a grid that is searched for.
/// Collective.
void find_isomorphism_in(GraphInfo& graph_info, const mpi::SetUpComms& comms, const grid::Grid* name);
/// Does so for a new communicator that carries its graph, and that the user does not have yet.  The graph
/// keeps the stencil.
void find_isomorphism_of(MPI_Comm comm, const grid::Grid* name);

/// Gives a new communicator its graph, as carry() does, with the common stencil on the grid of its processes'
/// name, if there is one.  This decides for good.  Collective.
void carry_on_grid(MPI_Comm comm, GraphInfo graph_info, const grid::Grid* name);

} // namespace ortho::topology
