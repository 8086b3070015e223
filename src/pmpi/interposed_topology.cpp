// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood of a communicator, with MPI's meaning.

#include "pmpi/interposed_topology.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

#include "mpi/last_found.hpp"
#include "mpiortho.h"
#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

namespace {

/// Is any process in the list twice?  Gaps do not count.
bool repeats(std::vector<int> list)
{
    std::erase(list, MPI_PROC_NULL);
    std::ranges::sort(list);
    return std::ranges::adjacent_find(list) != list.end();
}

bool has_gaps(const std::vector<int>& list) { return std::ranges::find(list, MPI_PROC_NULL) != list.end(); }

/// The send blocks of edges to these targets; blocks for one process are in reverse order.
std::vector<int> reversed(const std::vector<int>& targets)
{
    std::map<int, std::vector<int>> edges;
    for (std::size_t i = 0; i < targets.size(); ++i) edges[targets[i]].push_back(static_cast<int>(i));
    std::vector<int> blocks(targets.size());
    for (const auto& [target, list] : edges)
        for (std::size_t k = 0; k < list.size(); ++k)
            blocks[static_cast<std::size_t>(list[k])] = list[list.size() - 1 - k];
    return blocks;
}

/// Reads this process's lists, with gaps.
bool read_lists(MPI_Comm graph, Neighbors& neighbors)
{
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (ORTHO_Dist_graph_neighbors_count(graph, &in, &out, &weighted) != MPI_SUCCESS) return false;
    // One more element, so that no pointer is null.
    neighbors.sources.resize(static_cast<std::size_t>(in) + 1);
    neighbors.targets.resize(static_cast<std::size_t>(out) + 1);
    const int code = ORTHO_Dist_graph_neighbors(graph, in, neighbors.sources.data(), MPI_UNWEIGHTED, out,
                                                neighbors.targets.data(), MPI_UNWEIGHTED);
    neighbors.sources.pop_back();
    neighbors.targets.pop_back();
    return code == MPI_SUCCESS;
}

/// Does any process of an MPI_GRAPH have a neighbor twice?  Each process knows the whole graph.
bool any_repeats(MPI_Comm comm)
{
    int nodes = 0;
    int edges = 0;
    if (PMPI_Graphdims_get(comm, &nodes, &edges) != MPI_SUCCESS) return true;
    std::vector<int> ends(static_cast<std::size_t>(nodes) + 1);
    std::vector<int> list(static_cast<std::size_t>(edges) + 1);
    if (PMPI_Graph_get(comm, nodes, edges, ends.data(), list.data()) != MPI_SUCCESS) return true;
    int begin = 0;
    for (int node = 0; node < nodes; ++node) {
        const int end = ends[static_cast<std::size_t>(node)];
        if (repeats({list.begin() + begin, list.begin() + end})) return true;
        begin = end;
    }
    return false;
}

/// Not so a part by MPI_Comm_create_group, on which Open MPI leaves topology and attributes of the whole.
bool has_processes(MPI_Comm comm, int n)
{
    int size = 0;
    return PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == n;
}

bool read_grid(MPI_Comm comm, Neighbors& neighbors)
{
    int d = 0;
    if (PMPI_Cartdim_get(comm, &d) != MPI_SUCCESS) return false;
    const auto size = static_cast<std::size_t>(d);
    std::vector<int> dims(size + 1);
    std::vector<int> periods(size + 1);
    std::vector<int> coordinates(size + 1);
    if (d > 0 && PMPI_Cart_get(comm, d, dims.data(), periods.data(), coordinates.data()) != MPI_SUCCESS)
        return false;
    if (!has_processes(comm, std::accumulate(dims.begin(), dims.begin() + d, 1, std::multiplies{})))
        return false;
    std::vector<int> by_direction(2 * size);
    std::iota(by_direction.begin(), by_direction.end(), 0);
    for (std::size_t k = 0; k < size; ++k) {
        int before = MPI_PROC_NULL;
        int after = MPI_PROC_NULL;
        if (PMPI_Cart_shift(comm, static_cast<int>(k), 1, &before, &after) != MPI_SUCCESS) return false;
        neighbors.sources.insert(neighbors.sources.end(), {before, after});
        if (periods[k] == 0 || dims[k] > 2) continue;
        neighbors.repeated = true;
        std::swap(by_direction[2 * k], by_direction[2 * k + 1]);
    }
    neighbors.targets = neighbors.sources;
    neighbors.by_direction = std::move(by_direction);
    return true;
}

bool read(MPI_Comm comm, int topology, Neighbors& neighbors)
{
    if (topology == MPI_CART) return read_grid(comm, neighbors);
    int ours = ORTHO_FULL;
    if (ORTHO_Topo_test(comm, &ours) != MPI_SUCCESS || ours != ORTHO_GRAPH) return false;
    if (!read_lists(comm, neighbors)) return false;
    // Processes do not know the other lists of a distributed graph that was made without us.
    neighbors.gaps = topology == MPI_DIST_GRAPH;
    neighbors.repeated = topology == MPI_DIST_GRAPH || any_repeats(comm);
    return true;
}

/// Keeps the topology as an attribute, which owns it; null if that failed.
InterposedTopology* keep(MPI_Comm comm, InterposedTopology::Kind kind, Neighbors neighbors)
{
    if (neighbors.repeated) neighbors.reversed = reversed(neighbors.targets);
    auto attribute = std::make_unique<InterposedTopology>(
        InterposedTopology{kind, std::make_shared<const Neighbors>(std::move(neighbors))});
    if (PMPI_Comm_set_attr(comm, key(), attribute.get()) != MPI_SUCCESS) return nullptr;
    return attribute.release();
}

InterposedTopology* find_or_read(MPI_Comm comm)
{
    const int key = pmpi::key();
    if (key == MPI_KEYVAL_INVALID) return nullptr;
    void* value = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) return nullptr;
    if (found != 0) {
        auto* const known = static_cast<InterposedTopology*>(value);
        return known->copied_from == 0 || has_processes(comm, known->copied_from) ? known : nullptr;
    }
    // Two threads may come here first; the second one must not replace the object that the first one uses.
    static std::mutex reading;
    const std::lock_guard lock(reading);
    if (PMPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) return nullptr;
    if (found != 0) return static_cast<InterposedTopology*>(value);
    int topology = MPI_UNDEFINED;
    if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS || topology == MPI_UNDEFINED) return nullptr;
    Neighbors neighbors;
    if (!read(comm, topology, neighbors)) return nullptr;
    return keep(comm, topology == MPI_CART ? InterposedTopology::Kind::grid : InterposedTopology::Kind::graph,
                std::move(neighbors));
}

/// The number of deleted attributes: until it changes, a communicator keeps its topology.
std::atomic<std::uint64_t> ended{0};

using Last = mpi::LastFound<InterposedTopology>;

} // namespace

[[gnu::hot]] InterposedTopology* attribute_of(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) return nullptr;
    const std::uint64_t before = ended.load(std::memory_order_acquire);
    if (InterposedTopology* const attribute = Last::of(comm, before)) return attribute;
    return Last::keep(comm, before, find_or_read(comm));
}

void forget_found() { ended.fetch_add(1, std::memory_order_release); }

namespace {

/// Looks up how a call pairs blocks where neighbors are repeated.
const InterposedTopology::Paired& paired_in(InterposedTopology& attribute, Call call)
{
    InterposedTopology::Paired& result = attribute.paired[call.number()];
    if (result.is_known) return result;
    const Neighbors& neighbors = *attribute.neighbors;
    const bool is_grid = attribute.kind == InterposedTopology::Kind::grid;
    const Pairing pairing = pairing_of(call, is_grid);
    // Processes whose blocks keep their order take the same way: otherwise it would be another call of ours.
    if (pairing == Pairing::reversed)
        result.blocks = &neighbors.reversed;
    else if (pairing == Pairing::by_direction && is_grid)
        result.blocks = &neighbors.by_direction;
    else if (pairing != Pairing::in_order)
        result.is_left = !neighbors.gaps; // MPI does not know gaps
    result.is_known = true;
    return result;
}

} // namespace

void attach(InterposedTopology& attribute, MPI_Comm parent, MPI_Comm comm)
{
    ortho_attach(parent, comm);
    attribute.is_attached = true;
}

[[gnu::hot]] Replaced replaced_on(MPI_Comm comm, Call call)
{
    InterposedTopology* const attribute = attribute_of(comm);
    if (attribute == nullptr) return {};
    if (!attribute->is_attached && call.form != Form::nonblocking) attach(*attribute, comm, comm);
    const Neighbors& neighbors = *attribute->neighbors;
    if (!neighbors.repeated) return {attribute, {&neighbors, nullptr}};
    const InterposedTopology::Paired& paired = paired_in(*attribute, call);
    if (paired.is_left) return {.is_left = true};
    return {attribute, {&neighbors, paired.blocks}};
}

void NeighborsVote::say()
{
    Neighbors neighbors = lists_();
    neighbors.gaps = has_gaps(neighbors.sources) || has_gaps(neighbors.targets);
    neighbors.repeated = repeats(neighbors.sources) || repeats(neighbors.targets);
    gaps_.say(neighbors.gaps);
    repeated_.say(neighbors.repeated);
}

int NeighborsVote::keep_with(MPI_Comm graph) const
{
    // After reordering, a process has the lists of another one.
    Neighbors neighbors;
    if (pmpi::key() == MPI_KEYVAL_INVALID || !read_lists(graph, neighbors)) return MPI_ERR_OTHER;
    neighbors.gaps = gaps_.holds();
    neighbors.repeated = repeated_.holds();
    InterposedTopology* const kept = keep(graph, InterposedTopology::Kind::graph, std::move(neighbors));
    if (kept == nullptr) return MPI_ERR_OTHER;
    kept->is_attached = true;
    return MPI_SUCCESS;
}

int agree_on_neighbors(MPI_Comm graph)
{
    Neighbors neighbors;
    if (!read_lists(graph, neighbors)) return MPI_ERR_OTHER;
    NeighborsVote vote([&] { return neighbors; });
    vote.say();
    int code = MPI_SUCCESS;
    vote.ballot.hold([&](std::span<long long> numbers) {
        code = PMPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG_LONG,
                              MPI_MAX, graph);
    });
    return code == MPI_SUCCESS ? vote.keep_with(graph) : code;
}

extern "C" int copy_attribute(MPI_Comm comm, int, void*, void* value, void* copy, int* flag)
{
    *flag = 0;
    try {
        const auto& attribute = *static_cast<const InterposedTopology*>(value);
        int size = attribute.copied_from;
        if (size == 0) PMPI_Comm_size(comm, &size);
        *static_cast<void**>(copy) = new InterposedTopology{attribute.kind, attribute.neighbors, size};
        *flag = 1;
        return MPI_SUCCESS;
    } catch (...) {
        return MPI_ERR_NO_MEM;
    }
}

extern "C" int delete_attribute(MPI_Comm, int, void* value, void*)
{
    forget_found();
    const std::unique_ptr<InterposedTopology> attribute(static_cast<InterposedTopology*>(value));
    *attribute->there = false;
    return MPI_SUCCESS;
}

} // namespace ortho::pmpi
