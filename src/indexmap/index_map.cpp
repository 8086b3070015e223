// SPDX-License-Identifier: BSD-3-Clause
// Which elements of a process other processes have copies of.

#include "indexmap/index_map.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "indexmap/directory.hpp"
#include "indexmap/ghost_exchange.hpp"
#include "mpi/failure.hpp"
#include "topology/agreement.hpp"

namespace ortho::indexmap {

std::shared_ptr<IndexMap> IndexMap::make(MPI_Comm comm, MPI_Count nowned, std::span<const int> owners,
                                         std::span<const MPI_Count> indices)
{
    auto map = std::make_shared<IndexMap>();
    map->owned_ = nowned;
    map->ghosts_ = std::ssize(owners);
    // A holder tells an owner of each ghost: the element, and the ghost.
    const Rows received = exchange_rows(comm, [&] {
        Rows rows;
        for (std::size_t g = 0; g < owners.size(); ++g)
            rows[owners[g]].insert(rows[owners[g]].end(), {indices[g], static_cast<std::int64_t>(g)});
        for (const auto& [rank, row] : rows) {
            Shared& owner = map->owners_.emplace_back(Shared{rank, {}, {}});
            for (std::size_t i = 1; i < row.size(); i += 2) owner.places.push_back(row[i]);
        }
        return rows;
    });
    topology::check_together(comm, [&] {
        for (const auto& [rank, row] : received) {
            Shared& holder = map->holders_.emplace_back(Shared{rank, {}, {}});
            for (std::size_t i = 0; i < row.size(); i += 2) {
                base::require(row[i] < nowned, base::ErrorKind::arg, "indices", "ghost ", row[i + 1],
                              " of rank ", rank, " is element ", row[i], " of rank ", mpi::rank_of(comm),
                              ", which owns ", nowned);
                holder.places.push_back(row[i]);
                holder.copies.push_back(row[i + 1]);
            }
        }
    });
    return map;
}

std::vector<std::pair<int, MPI_Count>> IndexMap::copies_of(MPI_Count element) const
{
    std::vector<std::pair<int, MPI_Count>> result;
    for (const Shared& holder : holders_)
        for (std::size_t i = 0; i < holder.places.size(); ++i)
            if (holder.places[i] == element) result.emplace_back(holder.rank, holder.copies[i]);
    return result;
}

int IndexMap::make_graph(const char* function, MPI_Comm comm, bool is_reversed, MPI_Info info)
{
    mpi::Comm& graph = graphs_[is_reversed ? 1 : 0];
    if (graph) return MPI_SUCCESS;
    const auto ranks_of = [](const std::vector<Shared>& list) {
        std::vector<int> ranks;
        for (const Shared& shared : list) ranks.push_back(shared.rank);
        return ranks;
    };
    const std::vector<int> owners = ranks_of(owners_);
    const std::vector<int> holders = ranks_of(holders_);
    const std::vector<int>& in = is_reversed ? holders : owners;
    const std::vector<int>& out = is_reversed ? owners : holders;
    return make_exchange_graph(function, comm, in, out, info, graph);
}

} // namespace ortho::indexmap
