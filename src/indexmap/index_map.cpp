// SPDX-License-Identifier: BSD-3-Clause
// Which elements of a process other processes have copies of.

#include "indexmap/index_map.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "indexmap/ghost_exchange.hpp"
#include "mpi/failure.hpp"
#include "sparse/sparse_exchange.hpp"
#include "topology/agreement.hpp"

namespace ortho::indexmap {

namespace {

/// A holder tells an owner of each ghost: the element, and the ghost.
using Copy = std::array<std::int64_t, 2>;

std::vector<sparse::SparseMessage> messages_of(const std::vector<Shared>& owners,
                                               std::span<const MPI_Count> indices)
{
    std::vector<sparse::SparseMessage> result;
    for (const Shared& of : owners) {
        std::vector<Copy> copies;
        for (const MPI_Count ghost : of.places)
            copies.push_back({indices[static_cast<std::size_t>(ghost)], ghost});
        const std::size_t length = copies.size() * sizeof(Copy);
        std::memcpy(result.emplace_back(of.rank, length).bytes.get(), copies.data(), length);
    }
    return result;
}

} // namespace

std::shared_ptr<IndexMap> IndexMap::make(MPI_Comm comm, MPI_Count nowned, std::span<const int> owners,
                                         std::span<const MPI_Count> indices)
{
    auto map = std::make_shared<IndexMap>();
    map->owned_ = nowned;
    map->ghosts_ = std::ssize(owners);
    const auto exchange = sparse::run(comm, [&] {
        std::map<int, std::vector<MPI_Count>> ghosts_of;
        for (std::size_t g = 0; g < owners.size(); ++g)
            ghosts_of[owners[g]].push_back(static_cast<MPI_Count>(g));
        for (auto& [rank, ghosts] : ghosts_of) map->owners_.push_back({rank, std::move(ghosts), {}});
        return messages_of(map->owners_, indices);
    });
    topology::check_together(comm, [&] {
        for (const sparse::SparseMessage& message : exchange->received()) {
            std::vector<Copy> copies(message.length / sizeof(Copy));
            std::memcpy(copies.data(), message.bytes.get(), message.length);
            Shared& holder = map->holders_.emplace_back(Shared{message.partner, {}, {}});
            for (const auto& [element, ghost] : copies) {
                base::require(element < nowned, base::ErrorKind::arg, "indices", "ghost ", ghost, " of rank ",
                              message.partner, " is element ", element, " of rank ", mpi::rank_of(comm),
                              ", which owns ", nowned);
                holder.places.push_back(element);
                holder.copies.push_back(ghost);
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
