// SPDX-License-Identifier: BSD-3-Clause
// Collectives on full communicators.

#include "collectives/full_communicator.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "agree/on_comm.hpp"
#include "base/saturating_math.hpp"
#include "engine/run.hpp"
#include "grid/isomorphism.hpp"
#include "mpi/comm.hpp"
#include "mpi/keyval.hpp"
#include "mpi/last_found.hpp"
#include "planner/network_kind.hpp"
#include "schedule/off_node.hpp"
#include "schedule/price.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/cart_name.hpp"

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
        if (dense->on_torus) dense->on_torus.graph->lose_user_comm();
    } catch (...) {
        // Nothing that is under way needs them.
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
    settings.algorithms.clear(); // they are for graphs
    settings.verify = false;     // so is that
    if (!settings.layout.one_node) {
        dense.settings = std::move(settings);
        return dense;
    }
    auto graph = topology::make_attached(comm, complete_graph_info(comm, std::move(settings)));
    if (engine::all_share_memory(*graph)) dense.complete = in_use(std::move(graph));
    return dense;
}

/// A torus of all processes: the one that they are named by, if it is the same everywhere, else one that MPI
/// finds.  A later name changes nothing.  Collective.
///
/// Source    J. L. Traff: arXiv 2605.29970 (factors of the number of processes).
grid::Grid agree_on_torus(MPI_Comm comm)
{
    constexpr int dimensions = 3; // groups of them make two, or one
    const grid::Grid* const name = topology::find_name(comm);
    std::vector<int> sizes;
    for (int k = 0; name != nullptr && k < name->dimensions(); ++k) sizes.push_back(name->size(k));
    if (name != nullptr && (name->has_ranks() || name->points() != mpi::size_of(comm))) sizes.clear();
    const bool columns = name != nullptr && name->order() == grid::Order::col_major;
    agree::Ballot ballot;
    agree::SameList same(ballot);
    const agree::AllEqual order(ballot, columns ? 1 : 0);
    same.say(sizes);
    agree::hold(comm, ballot);
    const bool is_named = same.holds() && order.holds() && !sizes.empty();
    if (!is_named) {
        sizes.assign(dimensions, 0);
        mpi::check(PMPI_Dims_create(mpi::size_of(comm), dimensions, sizes.data()));
    }
    const std::vector<char> periodic(sizes.size(), 1);
    return {sizes, periodic, is_named && columns ? grid::Order::col_major : grid::Order::row_major};
}

std::shared_ptr<topology::Graph> make_torus(MPI_Comm comm, const topology::Settings& settings)
{
    constexpr int most_processes = 1 << 16; // a plan looks at all of them
    if (mpi::size_of(comm) > most_processes) return nullptr;
    const grid::Grid grid = agree_on_torus(comm);
    topology::GraphInfo graph_info = complete_graph_info(comm, settings);
    const int me = graph_info.lists.rank;
    grid::Stencil offsets(grid.dimensions());
    std::vector<int> offset(static_cast<std::size_t>(grid.dimensions()));
    for (int process = 0; process < grid.points(); ++process) {
        grid.offset(me, process, offset);
        offsets.push_back(offset);
    }
    grid::Neighborhood neighborhood = grid::canonical(grid, offsets).neighborhood;
    const auto slots = grid::match(neighborhood, graph_info.lists);
    if (!slots) return nullptr; // does not happen
    graph_info.isomorphism.emplace(std::move(neighborhood), *slots);
    auto graph = topology::make_attached(comm, std::move(graph_info));
    return graph;
}

/// The predicted time of MPI's own alltoall: all messages at once, or in ceil(log2 p) phases of one message
/// with half of all blocks (J. Bruck et al., IEEE TPDS 8(11), 1997), which MPIs have for small blocks.
std::int64_t native_ps(const topology::Settings& settings, int processes, std::int64_t block_bytes,
                       std::int64_t direct_ps)
{
    const schedule::Machine machine = planner::with_network(settings.tune.machine,
                                                            settings.network_kind.value_or(0));
    const grid::Grid ring({processes}, {1});
    const std::int64_t half[] = {(processes + 1) / 2};
    std::int64_t by_halves = 0;
    for (std::int64_t distance = 1; distance < processes; distance *= 2) {
        schedule::PhaseCounts phase{.messages = 1, .blocks = half[0], .amount = half[0]};
        if (settings.layout.nodes != nullptr)
            phase.off = schedule::off_node(ring, *settings.layout.nodes,
                                           grid::Stencil(1, {static_cast<int>(distance)}), half);
        const std::int64_t phase_ps = predict(machine, settings.layout, work_of(phase, block_bytes));
        by_halves = base::times_plus(1, phase_ps, by_halves);
    }
    return std::min(direct_ps, by_halves);
}

/// Is the best way along the torus faster than MPI's own call, by more than its price, which is no
/// schedule's, is off?
bool is_faster(topology::Graph& graph, const engine::Call& call, std::int64_t block_bytes)
{
    const std::lock_guard lock(graph.mutex);
    engine::Context& context = engine::engine_of(graph).context();
    const auto candidates = context.candidates(context.specification_of(call, engine::Form::blocking));
    const planner::Candidate* const best = planner::cheapest(candidates);
    std::int64_t direct_ps = std::numeric_limits<std::int64_t>::max();
    for (const planner::Candidate& candidate : candidates)
        if (!candidate.algorithm->forwards) direct_ps = std::min(direct_ps, candidate.choice.cost_ps);
    if (best == nullptr || !best->algorithm->forwards) return false;
    const auto processes = static_cast<int>(graph.graph_info->lists.targets.size());
    return best->choice.cost_ps <
           native_ps(*graph.graph_info->settings, processes, block_bytes, direct_ps) / 4 * 3;
}

} // namespace

Dense* last_dense(MPI_Comm comm) noexcept { return Last::of(comm, deleted.load(std::memory_order_acquire)); }

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

GraphInUse torus_for(Dense& dense, MPI_Comm comm, std::int64_t block_bytes,
                     const std::function<engine::Call(const topology::Graph&)>& describe)
{
    if (!dense.settings) return {};
    if (!dense.grid_decided) {
        if (auto torus = make_torus(comm, *dense.settings)) dense.on_torus = in_use(std::move(torus));
        if (dense.on_torus) dense.on_torus.graph->set_user_comm(comm);
        dense.grid_decided = true;
    }
    if (!dense.on_torus) return {};
    constexpr std::size_t most_kept = 1024;
    if (dense.is_faster.size() > most_kept) dense.is_faster.clear();
    const auto [found, is_new] = dense.is_faster.try_emplace(block_bytes, false);
    if (is_new) {
        topology::Graph& torus = *dense.on_torus.graph;
        found->second = is_faster(torus, describe(torus), block_bytes);
    }
    return found->second ? dense.on_torus : GraphInUse{};
}

} // namespace ortho::collectives
