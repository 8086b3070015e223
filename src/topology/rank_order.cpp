// SPDX-License-Identifier: BSD-3-Clause
// The order of the processes in a new communicator.

#include "topology/rank_order.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <utility>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "placement/edge_cut.hpp"
#include "placement/graph_placement.hpp"
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

/// The weight of the edges of each offset; empty if they have none; nothing unless all edges of an offset
/// have one weight.
std::optional<std::vector<std::int64_t>> agree_on_weights(MPI_Comm comm, const GraphInfo& graph_info,
                                                          const grid::Isomorphism& isomorphism)
{
    std::vector<std::int64_t> weights;
    if (!graph_info.weighted) return weights;
    constexpr long long no_weight = std::numeric_limits<long long>::min();
    // For each offset: the largest weight, and the largest of all negated ones.
    std::vector<long long> extremes;
    for (const int slot : isomorphism.slots.send) {
        const bool is_gap = slot == grid::gap;
        const long long weight = is_gap ? 0 : graph_info.target_weights[static_cast<std::size_t>(slot)];
        extremes.insert(extremes.end(), {is_gap ? no_weight : weight, is_gap ? no_weight : -weight});
    }
    runtime::maximize(comm, extremes);
    for (std::size_t i = 0; i < extremes.size(); i += 2) {
        if (extremes[i] != -extremes[i + 1] && extremes[i] != no_weight) return std::nullopt;
        weights.push_back(std::max(extremes[i], 0LL));
    }
    if (std::ranges::none_of(weights, [](std::int64_t weight) { return weight > 0; })) weights.clear();
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

/// The lists of all processes on process 0, along a tree; on others a part of them.
std::vector<std::int64_t> gather(const mpi::SetUpComms& comms, std::vector<std::int64_t> mine)
{
    const int rank = mpi::rank_of(comms.messages);
    for (int step = 1; step < mpi::size_of(comms.messages); step *= 2) {
        if ((rank & step) != 0) {
            const std::int64_t length = std::ssize(mine);
            runtime::send(comms.messages, rank - step, comms.tag, std::as_bytes(std::span(&length, 1)));
            runtime::send(comms.messages, rank - step, comms.tag, std::as_bytes(std::span(mine)));
            break;
        }
        if (rank + step >= mpi::size_of(comms.messages)) continue;
        std::int64_t length = 0;
        runtime::receive(comms.messages, rank + step, comms.tag,
                         std::as_writable_bytes(std::span(&length, 1)));
        mine.resize(mine.size() + static_cast<std::size_t>(length));
        runtime::receive(comms.messages, rank + step, comms.tag,
                         std::as_writable_bytes(std::span(mine).last(static_cast<std::size_t>(length))));
    }
    return mine;
}

/// With more edges no order is looked for: process 0 has all of them.
constexpr long long most_edges_placed = 1 << 24;

/// An order for a graph of any kind: process 0 finds it.  Collective.
RankOrder place_any(const mpi::SetUpComms& comms, const grid::Nodes& nodes, const GraphInfo& graph_info)
{
    std::vector<std::int64_t> mine; // from, to, weight of each edge to another process
    const std::vector<int>& targets = graph_info.lists.targets;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const int weight = graph_info.weighted ? graph_info.target_weights[i] : 1;
        if (targets[i] != grid::gap && targets[i] != graph_info.lists.rank && weight > 0)
            mine.insert(mine.end(), {graph_info.lists.rank, targets[i], weight});
    }
    long long edges[] = {std::ssize(mine) / 3};
    runtime::add(comms.collectives, edges);
    RankOrder order = as_given(nodes.processes());
    if (edges[0] > most_edges_placed) return order;
    const std::vector<std::int64_t> all = gather(comms, std::move(mine));
    std::int64_t cuts[] = {0, 0}; // as placed, as numbered
    if (graph_info.lists.rank == 0) {
        std::vector<placement::PointGraph::Link> links;
        for (std::size_t i = 0; i < all.size(); i += 3)
            links.push_back({static_cast<int>(all[i]), static_cast<int>(all[i + 1]), all[i + 2]});
        const placement::PointGraph graph(nodes.processes(), links);
        const std::vector<int> node_of = placement::place_graph(graph, nodes);
        order.process_at = placement::processes_on_points(nodes, node_of);
        cuts[0] = placement::cut_of(graph, node_of);
        cuts[1] = placement::cut_of(graph, nodes.of_all());
    }
    runtime::broadcast(comms.collectives, cuts, sizeof cuts);
    runtime::broadcast(comms.collectives, order.process_at.data(),
                       static_cast<int>(order.process_at.size() * sizeof(int)));
    order.note = base::text("placed: ", order.is_as_given() ? "as numbered" : "halves", "; ",
                            graph_info.weighted ? "a weight of " : "", cuts[0],
                            graph_info.weighted ? " leaves nodes, " : " edges leave their nodes, ", cuts[1],
                            " as numbered");
    return order;
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
    std::optional<std::vector<std::int64_t>> weights;
    if (graph_info.isomorphism)
        weights = agree_on_weights(comms.collectives, graph_info, *graph_info.isomorphism);
    RankOrder order;
    if (weights) {
        order = place(std::move(levels), graph_info.isomorphism->neighborhood, *weights);
    } else if (levels.front().count() > 1) {
        order = place_any(comms, levels.front(), graph_info);
    } else {
        return std::nullopt;
    }
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
    if (graph_info.isomorphism)
        graph_info.isomorphism = grid::Isomorphism(
            graph_info.isomorphism->neighborhood,
            *grid::match(graph_info.isomorphism->neighborhood, graph_info.lists));
    graph_info.settings = in_order(std::move(*graph_info.settings), order);
    return order;
}

} // namespace ortho::topology
