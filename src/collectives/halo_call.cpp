// SPDX-License-Identifier: BSD-3-Clause
// Halo exchanges as calls of the engine, and what processes must have in common for them.

#include "collectives/halo_call.hpp"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "algorithm/edge_bundles.hpp"
#include "base/error.hpp"
#include "base/saturating_math.hpp"
#include "base/text.hpp"
#include "mpi/object_info.hpp"
#include "mpi/wait.hpp"
#include "topology/graph.hpp"

namespace ortho::collectives {

using base::ErrorKind;
using base::require;

std::vector<int> owned_extents(const grid::GhostedArray& shape)
{
    std::vector<int> extents;
    for (int k = 0; k < shape.dimensions(); ++k) extents.push_back(shape.owned(k));
    return extents;
}

std::map<int, std::vector<int>> extents_around(MPI_Comm private_comm, const grid::LocalGraph& lists,
                                               const std::vector<int>& mine)
{
    constexpr int tag = topology::setting_up_tag;
    const int d = static_cast<int>(mine.size());
    std::map<int, std::vector<int>> result{{lists.rank, mine}};
    std::vector<MPI_Request> requests;
    const auto next = [&] { return &requests.emplace_back(MPI_REQUEST_NULL); };
    for (const auto& from : algorithm::bundles(lists.sources)) {
        if (from.partner == lists.rank) continue;
        std::vector<int>& theirs = result[from.partner];
        theirs.resize(mine.size());
        mpi::check(PMPI_Irecv(theirs.data(), d, MPI_INT, from.partner, tag, private_comm, next()));
    }
    for (const auto& to : algorithm::bundles(lists.targets))
        if (to.partner != lists.rank)
            mpi::check(PMPI_Isend(mine.data(), d, MPI_INT, to.partner, tag, private_comm, next()));
    for (MPI_Request request : requests) mpi::wait(request);
    return result;
}

void check_extents(const grid::Halo& halo, const grid::GhostedArray& shape, int rank,
                   const std::map<int, std::vector<int>>& extents)
{
    for (int i = 0; i < halo.regions.size(); ++i) {
        const auto region = halo.regions[i];
        if (halo.grid.neighbor_against(rank, region) != grid::Grid::nowhere)
            grid::require_owned_layers(shape, region);
        if (!halo.is_filled(rank, i)) continue;
        const int other = halo.grid.neighbor(rank, region);
        for (int k = 0; k < halo.grid.dimensions(); ++k) {
            if (region[static_cast<std::size_t>(k)] != 0) continue;
            const int theirs = extents.at(other)[static_cast<std::size_t>(k)];
            require(shape.owned(k) == theirs, ErrorKind::mismatch, "sizes", "sizes[", k, "] leaves ",
                    shape.owned(k), " owned layers here, and ", theirs, " on rank ", other,
                    ", across a face");
        }
    }
}

namespace {

/// What an exchange, or its adjoint, moves.
std::string data_text(const Fields& fields, std::int64_t most_bytes, bool reduces)
{
    std::string size;
    for (const int cells : fields.shape.sizes) size += base::text(size.empty() ? "" : "x", cells);
    std::string types;
    std::set<std::string> named;
    for (MPI_Datatype element : fields.elements) {
        const std::string name = mpi::type_name(element);
        const std::string type = name.empty() ? "a datatype without a name" : name;
        if (named.insert(type).second) types += (types.empty() ? " of " : ", ") + type;
    }
    return base::text(reduces ? "sends the ghosts of " : "fills the ghosts of ",
                      base::counted(static_cast<std::int64_t>(fields.arrays.size()), "array"), " of ", size,
                      " elements", types, reduces ? " to their owners" : "", " (at most ",
                      base::counted(most_bytes, "byte"), " a process)");
}

} // namespace

engine::Call halo_call(grid::Halo halo, Fields fields, std::vector<std::int64_t> bytes, MPI_Op op)
{
    const bool reduces = op != MPI_OP_NULL;
    engine::Call call{.collective = reduces ? planner::Collective::halo_reduce : planner::Collective::halo,
                      .send = {},
                      .receive = {},
                      .op = op};
    std::int64_t all = 0;
    for (const std::int64_t slot : bytes) all = base::times_plus(1, slot, all);
    call.data = data_text(fields, all, reduces);
    call.halo_bytes = std::move(bytes);
    const auto blocks = std::make_shared<HaloBlocks>(halo, std::move(fields), reduces);
    call.halo = std::make_shared<const grid::Halo>(std::move(halo));
    call.lay = [blocks](const schedule::Schedule& schedule) { return blocks->lay(schedule); };
    return call;
}

} // namespace ortho::collectives
