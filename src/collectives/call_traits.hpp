// SPDX-License-Identifier: BSD-3-Clause
// Properties of single collectives.
#pragma once

#include <mpi.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "calls/arguments.hpp"
#include "collectives/folded_call.hpp"
#include "collectives/full_communicator.hpp"
#include "mpi/operator.hpp"
#include "mpi/which_mpi.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

// --- On MPI ----------------------------------------------------------------------------------------

/// MPICH 4.0's MPI_Allgather_init delivers wrong blocks from the second start on, on 2 or 4 processes, its
/// MPI_Scatter_init to other processes than the root; its MPI_Gather_init leaves the root's own block out.
template <class Collective>
bool persistent_is_right()
{
    constexpr bool is_concerned = std::is_same_v<Collective, Allgather> ||
                                  std::is_same_v<Collective, Gather> || std::is_same_v<Collective, Scatter>;
    return !is_concerned || !mpi::which_mpi().is_mpich;
}

/// Neither graphs nor inter-communicators have an order that a prefix could follow.
inline constexpr const char* no_order = "prefix reductions have a meaning on full communicators only";

/// Another call of MPI's that does the same, where MPI has no such collective.
FoldedCall stand_in(const Allgatherw& call);
FoldedCall stand_in(const Alltoallw& call);

/// MPI's alltoallw, and a reduction of what arrives, in rank order.
class Reduction {
public:
    explicit Reduction(const Reduce_scatterv& call);

    int run() const;
    int post(MPI_Request* request) const { return FoldedCall{comm, sides_}.post(request); }
    void keep(mpi::ArgumentCopies& kept);
    void finish() const;

    MPI_Comm comm;

private:
    class Inbox;

    Reduce_scatterv call_;
    std::shared_ptr<Inbox> inbox_;
    std::shared_ptr<FoldedSides> sides_ = std::make_shared<FoldedSides>(comm);
};
Reduction stand_in(const Reduce_scatterv& call);

/// Another call of MPI's that does the same.  It is made where MPI's counts are ints, and a count is larger.
FoldedCall folded(const Gatherv& call);
FoldedCall folded(const Scatterv& call);
FoldedCall folded(const Allgatherv& call);
FoldedCall folded(const Alltoallv& call);
/// MPICH 4.0's MPI_Allgatherv on one process does not look at the displacement.
inline bool must_be_folded(const Allgatherv& call)
{
    return mpi::which_mpi().is_mpich && mpi::size_of(call.comm) == 1 && !mpi::is_inter(call.comm);
}
/// MPICH's MPI_Reduce_scatter_block, and its MPI_Reduce_scatter of equal counts, take elements for as long as
/// their true extent, if the operator does not commute.
template <class Collective>
requires std::is_same_v<Collective, Reduce_scatter> || std::is_same_v<Collective, Reduce_scatter_block>
bool must_be_folded(const Collective& call)
{
    return mpi::which_mpi().is_mpich && !mpi::is_inter(call.comm) && !mpi::commutes(call.op);
}
/// Lets the call refer to `counts`, which become its counts as ints.  False if a count does not fit in an
/// int; this is the same on all processes.
bool narrow(Reduce_scatter& call, std::vector<int>& counts);
/// On full communicators.
Reduction folded(const Reduce_scatter& call);
Reduction folded(const Reduce_scatter_block& call);

} // namespace ortho::collectives
