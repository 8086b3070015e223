// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find the same thing, or fail together.
#pragma once

#include <mpi.h>

#include <exception>
#include <functional>
#include <optional>

#include "agree/ballot.hpp"
#include "grid/grid.hpp"
#include "grid/local_graph.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// A check that must succeed on all processes, in a ballot.
class Checked {
public:
    /// Runs the check, keeps what it throws, and says whether it does.
    Checked(agree::Ballot& ballot, const std::function<void()>& check);

    bool has_failed() const { return error_ != nullptr; }
    /// Once the ballot was held.
    bool has_failed_anywhere() const { return failed_.holds(); }
    /// Once the ballot was held: throws if the check threw on any process, as check_together() does.
    /// Collective if it throws.
    void require(MPI_Comm comm) const;

private:
    std::exception_ptr error_;
    agree::AnyTrue failed_;
};

/// Run `check` on all processes.  If it throws on any of them, all throw, as Checked does.  Collective.
void fail_together(MPI_Comm comm, const std::function<void()>& check);

/// Run `check` on the way into a call that all processes of `comm` make.  Those of an intra-communicator fail
/// together, and have met if none fails; on an inter-communicator there is nothing to meet by
/// (mpi::nonblocking_barrier), and each checks for itself.  Collective.
void check_and_meet(MPI_Comm comm, const std::function<void()>& check);

/// Do all processes have one name?
class NameVote {
public:
    explicit NameVote(agree::Ballot& ballot) : is_there_(ballot), name_(ballot) {}
    /// `name`: null if there is none.
    void say(const grid::Grid* name);
    /// All have a name, and the same one.
    bool have_one() const { return is_there_.holds() && name_.holds(); }

private:
    agree::AllTrue is_there_;
    agree::SameList name_;
};

/// Do all processes have one stencil?  Answered where they have the same name, a torus: there each of them
/// knows the whole stencil.
class StencilVote {
public:
    explicit StencilVote(agree::Ballot& ballot) : is_there_(ballot), stencil_(ballot) {}
    void say(const grid::Grid* name, int processes, const grid::LocalGraph& lists);
    /// What they have in common, once the ballot was held.
    std::optional<grid::Isomorphism> agreed() &&;

private:
    agree::AllTrue is_there_;
    agree::SameList stencil_;
    std::optional<grid::Isomorphism> mine_;
};

/// Runs a check on all processes.  If it throws base::Error on any of them, all throw: where it did, the
/// same, elsewhere what the lowest rank has found, and who that is.  Collective.
void check_together(MPI_Comm comm, const std::function<void()>& check);

/// Is the name, should there be one, the same on all processes?  No if any has none.  Collective.
bool same_name_everywhere(MPI_Comm comm, const grid::Grid* name);

/// The stencil that the processes of a communicator have in common on the grid that they are named
/// with, if there is one; each process hands in its name and its lists.  The same answer
/// everywhere.  Collective; moves O(1) numbers on a torus, elsewhere O(t) for each corner of the grid, and
/// O(t) for all.
std::optional<grid::Isomorphism> find_isomorphism(const mpi::SetUpComms& comms, const grid::Grid* name,
                                                  const grid::LocalGraph& lists);

/// The same on a grid that all processes are known to be named with.
std::optional<grid::Isomorphism> find_isomorphism_on(const mpi::SetUpComms& comms, const grid::Grid& grid,
                                                     const grid::LocalGraph& lists);
/// The same of a new communicator that carries its graph, and that the user does not have yet; the graph
/// keeps what was found.
void find_isomorphism_of(MPI_Comm comm, const grid::Grid& name);

/// Give a new communicator its graph, as carry() does, with the stencil that is found on the grid that its
/// processes are named with, if there is one; what is found is decided for good.  Collective.
void carry_on_grid(MPI_Comm comm, GraphInfo graph_info, const grid::Grid* name);

} // namespace ortho::topology
