// SPDX-License-Identifier: BSD-3-Clause
// Which processes of a communicator share a node.

#include "topology/node_map.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "mpi/internal_collectives.hpp"
#include "topology/memory_domain.hpp"

namespace ortho::topology {

namespace {

/// The smallest rank in `comm` of this process's node.
int first_of_node(MPI_Comm comm)
{
    mpi::nonblocking_barrier(comm);
    const int rank = mpi::rank_of(comm);
    MPI_Comm part = MPI_COMM_NULL;
    mpi::check_users(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &part));
    const mpi::Comm node(part);
    int first = rank;
    mpi::broadcast(node.get(), &first, sizeof first);
    return first;
}

} // namespace

int processor_number()
{
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    mpi::check(PMPI_Get_processor_name(name, &length));
    const auto hash = base::hash_of(std::string_view(name, static_cast<std::size_t>(length)));
    return static_cast<int>(hash >> 33U);
}

std::shared_ptr<const grid::Nodes> find_nodes(MPI_Comm comm, const std::string& wanted, bool one_processor)
{
    int label = 0;
    if (!wanted.empty()) {
        const auto sizes = grid::parse_node_sizes(wanted);
        base::require(sizes.has_value(), base::ErrorKind::info, "ORTHO_NODES", "ORTHO_NODES = '", wanted,
                      "' is no list of numbers of processes, such as 16 or 4,4,3");
        const mpi::World world = mpi::world();
        label = grid::Nodes::consecutive(world.size, *sizes).of(world.rank);
    } else {
        // Seldom are there several, and splitting is the dearest step of all.
        if (one_processor) return nullptr;
        label = first_of_node(comm);
    }
    auto nodes = std::make_shared<const grid::Nodes>(mpi::gather_all(comm, std::vector<int>{label}));
    return nodes->count() == 1 ? nullptr : nodes;
}

std::vector<grid::Nodes> find_levels(MPI_Comm comm, const grid::Nodes* nodes)
{
    std::vector<int> labels = mpi::gather_all(comm, std::vector<int>{memory_domain()});
    std::vector<grid::Nodes> levels;
    levels.push_back(nodes != nullptr ? *nodes : grid::Nodes(std::vector<int>(labels.size(), 0)));
    if (std::ranges::min(labels) < 0) return levels;
    const int domains = std::ranges::max(labels) + 1;
    for (int r = 0; r < levels[0].processes(); ++r)
        labels[static_cast<std::size_t>(r)] += levels[0].of(r) * domains;
    if (grid::Nodes inner(labels); inner.count() > levels[0].count()) levels.push_back(std::move(inner));
    return levels;
}

} // namespace ortho::topology
