// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators.

#include "collectives/full_communicator.hpp"

#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>

#include "engine/road.hpp"
#include "mpi/comm.hpp"
#include "mpi/keyval.hpp"
#include "mpi/last_found.hpp"
#include "topology/agreed_settings.hpp"

namespace ortho::collectives {

namespace {

/// How many have been deleted.
std::atomic<std::uint64_t> deleted{0};

extern "C" int ortho_delete_dense(MPI_Comm, int, void* value, void*)
{
    deleted.fetch_add(1, std::memory_order_release);
    auto* const dense = static_cast<Dense*>(value);
    try {
        if (dense->complete) dense->complete.graph->lose_user_comm();
    } catch (...) {
        // Nothing that is under way needs it.
    }
    delete dense;
    return MPI_SUCCESS;
}

using Last = mpi::LastFound<Dense>;

mpi::CommKeyval& key()
{
    // A duplicate decides for itself.
    static mpi::CommKeyval keyval(MPI_COMM_NULL_COPY_FN, ortho_delete_dense);
    return keyval;
}

/// The complete graph.
topology::GraphInfo complete_graph_info(MPI_Comm comm, topology::Settings settings)
{
    topology::GraphInfo graph_info;
    graph_info.settings = std::move(settings);
    graph_info.lists.rank = mpi::rank_of(comm);
    graph_info.lists.sources.resize(static_cast<std::size_t>(mpi::size_of(comm)));
    std::iota(graph_info.lists.sources.begin(), graph_info.lists.sources.end(), 0);
    graph_info.lists.targets = graph_info.lists.sources;
    graph_info.isomorphism_decided = true;
    return graph_info;
}

GraphInUse in_use(std::shared_ptr<topology::Graph> graph)
{
    const std::lock_guard lock(graph->mutex);
    engine::Engine& engine = engine::engine_of(*graph);
    return {std::move(graph), &engine};
}

Dense decide(MPI_Comm comm)
{
    Dense dense;
    if (mpi::size_of(comm) == 1) return dense;
    topology::Settings settings = topology::agree_on_settings(comm);
    // Both settings are for graphs.
    settings.algorithms.clear();
    settings.verify = false;
    if (!settings.layout.one_node) return dense;
    auto graph = topology::make_attached(comm, complete_graph_info(comm, std::move(settings)));
    if (engine::all_share_memory(*graph)) dense.complete = in_use(std::move(graph));
    return dense;
}

} // namespace

[[gnu::hot]] Dense* last_dense(MPI_Comm comm) noexcept
{
    return Last::of(comm, deleted.load(std::memory_order_acquire));
}

Dense* find_dense(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) return nullptr;
    if (Dense* const dense = last_dense(comm)) return dense;
    const std::uint64_t before = deleted.load(std::memory_order_acquire);
    return Last::keep(comm, before, static_cast<Dense*>(key().find(comm)));
}

Dense& decide_dense(MPI_Comm comm)
{
    auto dense = std::make_unique<Dense>(decide(comm));
    if (dense->complete) dense->complete.graph->set_user_comm(comm);
    return key().hand_over(comm, std::move(dense));
}

} // namespace ortho::collectives
