// SPDX-License-Identifier: BSD-3-Clause
// Processes that must find the same thing, or fail together.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "grid/grid.hpp"
#include "grid/local_graph.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/graph.hpp"

namespace ortho::topology {

/// What a check has found on this process, as numbers of which all processes get the largest.
class Checked {
public:
    /// Runs the check, and keeps what it throws.
    explicit Checked(const std::function<AgreedFlags()>& check);

    bool has_failed() const { return error_ != nullptr; }

    static constexpr std::size_t count = 6;
    std::array<int, count> numbers() const;
    /// Throws if the check threw on any process, as check_together() does.  Else what all voted for.
    /// Collective if it throws.
    AgreedFlags agreed(MPI_Comm comm, std::span<const int, count> largest) const;

private:
    AgreedFlags flags_;
    std::exception_ptr error_;
};

/// Run `check` on all processes.  If it throws on any of them, all throw, as Checked does.  Returns what all
/// voted for.  Collective.
AgreedFlags fail_together(MPI_Comm comm, const std::function<AgreedFlags()>& check);

/// Run `check` on the way into a call that all processes of `comm` make.  Those of an intra-communicator fail
/// together, and have met if none fails; on an inter-communicator there is nothing to meet by
/// (mpi::nonblocking_barrier), and each checks for itself.  Collective.
void check_and_meet(MPI_Comm comm, const std::function<void()>& check);

/// What tells a list from others, to see whether all processes have the same one, as numbers of which all get
/// the largest.  Lists that differ look alike in one case of 2^128.
class Fingerprint {
public:
    explicit Fingerprint(std::span<const int> list = {});

    static constexpr std::size_t count = 10;
    std::array<int, count> numbers() const;
    static bool are_equal(std::span<const int, count> largest);

private:
    std::array<int, count / 2> numbers_{};
};
/// Of the communicator's name, should there be one.
Fingerprint fingerprint_of(const grid::Grid* name);

/// Whether all processes have one stencil, where the grid that they are named with is a torus: each of them
/// has the whole stencil there, so that numbers of which all get the largest tell.
class StencilVote {
public:
    /// What this process says; on other grids, nothing that is of use.
    StencilVote(const grid::Grid* name, int processes, const grid::LocalGraph& lists);

    static constexpr std::size_t count = 1 + Fingerprint::count;
    std::array<int, count> numbers() const;
    /// What they have in common.  All have the same name, a torus.
    std::optional<grid::Isomorphism> agreed(std::span<const int, count> largest) &&;

private:
    std::optional<grid::Isomorphism> mine_;
};

/// A number that is not the same on all processes.
struct Difference {
    std::size_t index;
    long long on_rank_0;
    int rank; ///< the lowest that has another one
    long long there;
};
/// The first number in which these lists, which are all of one length, differ; nothing if all are the same.
/// Collective.
std::optional<Difference> find_difference(MPI_Comm comm, std::span<const long long> numbers);

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
