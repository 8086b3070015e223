// SPDX-License-Identifier: BSD-3-Clause
// The order of the processes in a new communicator.

#include "topology/rank_order.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "mpi/group.hpp"
#include "placement/edge_cut.hpp"
#include "placement/placement.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/node_map.hpp"

namespace ortho::topology {

namespace {

/// Sends numbers to one process and receives some from another one, in any order.
void swap(const mpi::SetUpComms& comms, std::span<const int> out, int to, std::span<int> in, int from)
{
    runtime::Posted messages(comms.messages, comms.tag);
    messages.receive(from, std::as_writable_bytes(in));
    messages.send(to, std::as_bytes(out));
    messages.wait();
}

/// Sends `letter` to the process `to`, and returns the letter from the process `from`.
std::vector<int> swap(const mpi::SetUpComms& comms, const std::vector<int>& letter, int to, int from)
{
    const int length = static_cast<int>(letter.size());
    int their_length = 0;
    swap(comms, std::span(&length, 1), to, std::span(&their_length, 1), from);
    std::vector<int> theirs(static_cast<std::size_t>(their_length));
    swap(comms, letter, to, theirs, from);
    return theirs;
}

/// The weight of an edge of each offset, on average over all processes, as numbers that can be added; nothing
/// if all weights are equal.
std::vector<std::int64_t> agree_on_weights(MPI_Comm comm, const GraphInfo& graph_info,
                                           const grid::Isomorphism& isomorphism)
{
    if (!graph_info.weighted) return {};
    std::vector<long long> sums;
    for (const int slot : isomorphism.slots.send)
        sums.push_back(slot == grid::gap ? 0 : graph_info.target_weights[static_cast<std::size_t>(slot)]);
    runtime::add(comm, sums);
    const long long divisor = std::accumulate(sums.begin(), sums.end(), 0LL, std::gcd<long long, long long>);
    if (divisor == 0) return {};
    for (long long& sum : sums) sum /= divisor;
    // Sums have as many terms as there are edges.
    long long shrink = 1;
    while (std::ranges::max(sums) / shrink > std::numeric_limits<int>::max()) shrink *= 2;
    std::vector<std::int64_t> weights;
    for (const long long sum : sums) weights.push_back(sum == 0 ? 0 : std::max(sum / shrink, 1LL));
    return weights;
}

std::vector<int> packed(const GraphInfo& graph_info)
{
    std::vector<int> letter{static_cast<int>(graph_info.lists.sources.size())};
    for (const auto* list : {&graph_info.lists.sources, &graph_info.source_weights, &graph_info.lists.targets,
                             &graph_info.target_weights})
        letter.insert(letter.end(), list->begin(), list->end());
    return letter;
}

void unpack(const std::vector<int>& letter, GraphInfo& graph_info)
{
    const std::size_t lists = graph_info.weighted ? 2 : 1;
    const auto sources = static_cast<std::size_t>(letter[0]);
    const std::size_t targets = (letter.size() - 1) / lists - sources;
    auto next = letter.begin() + 1;
    const auto take = [&](std::size_t n) {
        const auto begin = next;
        next += static_cast<std::ptrdiff_t>(n);
        return std::vector<int>(begin, next);
    };
    graph_info.lists.sources = take(sources);
    if (graph_info.weighted) graph_info.source_weights = take(sources);
    graph_info.lists.targets = take(targets);
    if (graph_info.weighted) graph_info.target_weights = take(targets);
}

/// Prints the order if ORTHO_EXPLAIN is set, as engine/explain does with plans.
void announce(MPI_Comm comm, const RankOrder& order)
{
    if (order.note.empty() || mpi::rank_of(comm) != 0 ||
        !base::environment_flag("ORTHO_EXPLAIN").value_or(false))
        return;
    std::fprintf(stderr, "mpiortho: %d processes %s\n", static_cast<int>(order.process_at.size()),
                 order.note.c_str());
}

} // namespace

bool RankOrder::is_as_given() const
{
    for (std::size_t i = 0; i < process_at.size(); ++i)
        if (process_at[i] != static_cast<int>(i)) return false;
    return true;
}

RankOrder as_given(int processes)
{
    RankOrder order{std::vector<int>(static_cast<std::size_t>(processes)), {}};
    std::iota(order.process_at.begin(), order.process_at.end(), 0);
    return order;
}

RankOrder place(std::vector<grid::Nodes> levels, const grid::Neighborhood& neighborhood,
                std::span<const std::int64_t> weights)
{
    const RankOrder given = as_given(neighborhood.grid.points());
    for (grid::Nodes& level : levels) level = level.renumbered(given.process_at);
    if (levels.back().count() == 1) return given;
    placement::Placement placement = placement::place(neighborhood, weights, levels);

    const auto leaving = [&](const grid::Nodes& level, std::span<const int> process_at) {
        return placement::count_cut(neighborhood, weights, level.renumbered(process_at).of_all()).total;
    };
    std::string note = base::text("placed: ", placement.method);
    const char* where = "nodes";
    for (const grid::Nodes& level : levels) {
        note += base::text("; ", weights.empty() ? "" : "a weight of ", leaving(level, placement.process_at),
                           weights.empty() ? " edges leave their " : " leaves ", where, ", ",
                           leaving(level, given.process_at), " as numbered");
        where = "memory domains";
    }
    return {std::move(placement.process_at), std::move(note)};
}

RankOrder place(MPI_Comm comm, const grid::Nodes* nodes, const grid::Grid& grid, const grid::Stencil& targets,
                const int* weight)
{
    const grid::Canonical canonical = grid::canonical(grid, targets);
    std::vector<std::int64_t> weights;
    if (targets.size() > 0 && weight != MPI_UNWEIGHTED) {
        weights.resize(static_cast<std::size_t>(canonical.neighborhood.size()));
        for (std::size_t i = 0; i < canonical.index.size(); ++i)
            if (canonical.index[i] != grid::gap)
                weights[static_cast<std::size_t>(canonical.index[i])] = weight[i];
    }
    RankOrder order = place(find_levels(comm, nodes), canonical.neighborhood, weights);
    announce(comm, order);
    return order;
}

mpi::Comm in_order(MPI_Comm comm, const RankOrder& order)
{
    runtime::nonblocking_barrier(comm);
    const mpi::Group members(mpi::Group(comm), order.process_at);
    MPI_Comm made = MPI_COMM_NULL;
    mpi::check_users(PMPI_Comm_create(comm, members.get(), &made));
    mpi::Comm result(made);
    if (result) mpi::copy_errhandler(comm, result.get());
    return result;
}

Settings in_order(Settings settings, const RankOrder& order)
{
    schedule::Layout& layout = settings.layout;
    if (layout.nodes == nullptr) return settings;
    auto nodes = std::make_shared<const grid::Nodes>(layout.nodes->renumbered(order.process_at));
    layout.one_node = nodes->count() == 1;
    layout.nodes = layout.one_node ? nullptr : std::move(nodes);
    return settings;
}

std::optional<RankOrder> reorder(MPI_Comm comm, bool wanted, GraphInfo& graph_info)
{
    if (!wanted) return std::nullopt;
    std::vector<grid::Nodes> levels = find_levels(comm, graph_info.settings->layout.nodes.get());
    if (levels.back().count() == 1) return std::nullopt;
    PrivateComm private_comm(make_own(comm));
    const mpi::SetUpComms comms = private_comm.set_up_comms(comm);
    if (!std::exchange(graph_info.isomorphism_decided, true))
        graph_info.isomorphism = find_isomorphism(comms, find_name(comm), graph_info.lists);
    if (!graph_info.isomorphism) return std::nullopt;

    const auto weights = agree_on_weights(comms.collectives, graph_info, *graph_info.isomorphism);
    RankOrder order = place(std::move(levels), graph_info.isomorphism->neighborhood, weights);
    announce(comms.collectives, order);
    graph_info.placement = order.note;
    if (order.is_as_given()) return std::nullopt;

    // The lists of old rank i go to the process with new rank i.
    const int old_rank = graph_info.lists.rank;
    const auto mine = std::ranges::find(order.process_at, old_rank);
    graph_info.lists.rank = static_cast<int>(mine - order.process_at.begin());
    unpack(swap(comms, packed(graph_info), order.process_at[static_cast<std::size_t>(old_rank)],
                graph_info.lists.rank),
           graph_info);
    graph_info.isomorphism = grid::Isomorphism(
        graph_info.isomorphism->neighborhood,
        *grid::match(graph_info.isomorphism->neighborhood, graph_info.lists));
    graph_info.settings = in_order(std::move(*graph_info.settings), order);
    return order;
}

} // namespace ortho::topology
