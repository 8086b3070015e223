// SPDX-License-Identifier: BSD-3-Clause
// The neighborhood of a communicator, with MPI's meaning.

#include "pmpi/interposed_topology.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "mpi/interposer.hpp"
#include "mpi/last_found.hpp"
#include "pmpi/init_finalize.hpp"

namespace ortho::pmpi {

namespace {

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

/// The send blocks of edges on a grid; where both neighbors in a dimension are one process, it gets the blocks
/// of the other direction.
std::vector<int> by_direction(const std::vector<int>& targets)
{
    std::vector<int> blocks(targets.size());
    std::iota(blocks.begin(), blocks.end(), 0);
    for (std::size_t i = 0; i < targets.size(); i += 2)
        if (targets[i] == targets[i + 1]) std::swap(blocks[i], blocks[i + 1]);
    return blocks;
}

/// Writes what the library knows.  False if there is no topology.
bool read(MPI_Comm comm, InterposedTopology& attribute)
{
    int topology = MPI_UNDEFINED;
    if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS || topology == MPI_UNDEFINED) return false;
    mpi::Neighbors found;
    if (!ortho_find_neighbors(comm, &found)) return false;
    attribute.is_grid = topology == MPI_CART;
    attribute.sources = found.lists->sources.size();
    attribute.targets = found.lists->targets.size();
    attribute.gaps = found.gaps;
    attribute.repeated = found.repeated;
    attribute.is_attached = found.is_attached;
    attribute.paired = {};
    return true;
}

InterposedTopology* find_or_read(MPI_Comm comm)
{
    const int key = pmpi::key();
    if (key == MPI_KEYVAL_INVALID) return nullptr;
    void* value = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) return nullptr;
    if (found != 0) return static_cast<InterposedTopology*>(value);
    // Two threads may come here first; the second one must not replace the object that the first one uses.
    static std::mutex reading;
    const std::lock_guard lock(reading);
    if (PMPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) return nullptr;
    if (found != 0) return static_cast<InterposedTopology*>(value);
    auto attribute = std::make_unique<InterposedTopology>();
    if (!read(comm, *attribute)) return nullptr;
    if (PMPI_Comm_set_attr(comm, key, attribute.get()) != MPI_SUCCESS) return nullptr;
    return attribute.release(); // the delete function owns it now
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

InterposedTopology::Paired pair_blocks(MPI_Comm comm, const InterposedTopology& attribute, Call call)
{
    const Pairing pairing = pairing_of(call, attribute.is_grid);
    if (pairing == Pairing::in_order || (pairing == Pairing::by_direction && !attribute.is_grid)) return {};
    // MPI does not know the gaps of graphs.
    if (pairing == Pairing::unknown) return {.is_left = attribute.is_grid || !attribute.gaps};
    mpi::Neighbors found;
    if (!ortho_find_neighbors(comm, &found)) return {};
    // Processes whose blocks keep their order take the same way: otherwise it would be another call of ours.
    return {.blocks = pairing == Pairing::reversed ? reversed(found.lists->targets)
                                                   : by_direction(found.lists->targets)};
}

} // namespace

void attach(InterposedTopology& attribute, MPI_Comm parent, MPI_Comm comm)
{
    if (attribute.is_attached) return;
    ortho_attach(parent, comm);
    read(comm, attribute);
    attribute.is_attached = true; // also after an error, which later calls find again
}

[[gnu::hot]] EdgeOrder order_on(MPI_Comm comm, Call call)
{
    InterposedTopology* const attribute = attribute_of(comm);
    if (attribute == nullptr) return {};
    if (!attribute->is_attached && call.form != Form::nonblocking) attach(*attribute, comm, comm);
    if (!attribute->repeated) return {attribute};
    auto& paired = attribute->paired[call.number()];
    if (!paired) paired = std::make_unique<InterposedTopology::Paired>(pair_blocks(comm, *attribute, call));
    if (paired->is_left) return {.is_left = true};
    return {attribute, paired->blocks ? &*paired->blocks : nullptr};
}

extern "C" int delete_attribute(MPI_Comm, int, void* value, void*)
{
    forget_found();
    const std::unique_ptr<InterposedTopology> attribute(static_cast<InterposedTopology*>(value));
    *attribute->there = false;
    return MPI_SUCCESS;
}

} // namespace ortho::pmpi
