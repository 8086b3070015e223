// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a communicator's processes, and the network between them.

#include "topology/node_map.hpp"

#include <hwloc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "agree/on_comm.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "planner/tune.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"

#ifdef ORTHO_HAVE_HWLOC
#endif

namespace ortho::topology {

namespace {

#ifdef ORTHO_HAVE_HWLOC
struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
struct Free {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, Free>;

/// The part of the node's memory (NUMA domain) that is next to all cores that this process may run on, else
/// their socket.  -1 if there is none, as for processes that are not bound to cores, or if the library was
/// built without hwloc.
int memory_domain()
{
    hwloc_topology_t loaded = nullptr;
    if (hwloc_topology_init(&loaded) != 0) return -1;
    const Topology topology(loaded);
    if (hwloc_topology_load(loaded) != 0) return -1;
    const Bitmap cores(hwloc_bitmap_alloc());
    const Bitmap memory(hwloc_bitmap_alloc());
    if (cores == nullptr || memory == nullptr) return -1;
    if (hwloc_get_cpubind(loaded, cores.get(), HWLOC_CPUBIND_PROCESS) != 0) return -1;
    hwloc_cpuset_to_nodeset(loaded, cores.get(), memory.get());
    if (hwloc_bitmap_weight(memory.get()) == 1) return hwloc_bitmap_first(memory.get());
    const auto* const socket = hwloc_get_next_obj_covering_cpuset_by_type(loaded, cores.get(),
                                                                          HWLOC_OBJ_PACKAGE, nullptr);
    return socket != nullptr ? static_cast<int>(socket->logical_index) : -1;
}
#else
int memory_domain() { return -1; }
#endif

/// The smallest rank in `comm` of this process's node.
int first_of_node(MPI_Comm comm)
{
    runtime::nonblocking_barrier(comm);
    const int rank = mpi::rank_of(comm);
    MPI_Comm part = MPI_COMM_NULL;
    mpi::check_users(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &part));
    const mpi::Comm node(part);
    int first = rank;
    runtime::broadcast(node.get(), &first, sizeof first);
    return first;
}

/// The number of the node, by rank in MPI_COMM_WORLD.  Empty until all its processes have asked together.
std::vector<int>& world_labels()
{
    static std::vector<int> labels;
    return labels;
}
std::mutex labels_mutex;

/// Keeps the result of all processes of `comm`, if they are those of MPI_COMM_WORLD.
void keep_labels(MPI_Comm comm, const std::vector<int>& labels)
try {
    if (!mpi::has_world() || mpi::size_of(comm) != mpi::world().size) return;
    const std::vector<int> ranks = mpi::world_ranks(comm);
    if (std::ranges::find(ranks, MPI_UNDEFINED) != ranks.end()) return;
    std::vector<int> kept(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) kept[static_cast<std::size_t>(ranks[i])] = labels[i];
    const std::lock_guard lock(labels_mutex);
    world_labels() = std::move(kept);
} catch (const std::exception&) {
    // Others may have kept it: this process will ask again, and then all do.
}

/// Asks MPI for the nodes of all processes.  Collective.
std::vector<int> ask_for_labels(MPI_Comm comm)
{
    std::vector<int> labels = runtime::gather_all(comm, std::vector<int>{first_of_node(comm)});
    keep_labels(comm, labels);
    return labels;
}

std::vector<int> known_labels(MPI_Comm comm)
{
    std::vector<int> labels = mpi::world_ranks(comm);
    const std::lock_guard lock(labels_mutex);
    for (int& label : labels) label = world_labels()[static_cast<std::size_t>(label)];
    return labels;
}

std::vector<int> wanted_labels(MPI_Comm comm, const std::string& wanted)
{
    const auto sizes = grid::parse_node_sizes(wanted);
    base::require(sizes.has_value(), base::ErrorKind::info, "ORTHO_NODES", "ORTHO_NODES = '", wanted,
                  "' is no list of numbers of processes, such as 16 or 4,4,3");
    const mpi::World world = mpi::world();
    const int label = grid::Nodes::consecutive(world.size, *sizes).of(world.rank);
    return runtime::gather_all(comm, std::vector<int>{label});
}

} // namespace

bool knows_nodes(MPI_Comm comm)
{
    if (!mpi::has_world()) return false;
    {
        const std::lock_guard lock(labels_mutex);
        if (world_labels().empty()) return false;
    }
    const std::vector<int> ranks = mpi::world_ranks(comm);
    return std::ranges::find(ranks, MPI_UNDEFINED) == ranks.end();
}

int processor_number()
{
    static const int number = [] {
        char name[MPI_MAX_PROCESSOR_NAME];
        int length = 0;
        mpi::check(PMPI_Get_processor_name(name, &length));
        const auto hash = base::hash_of(std::string_view(name, static_cast<std::size_t>(length)));
        return static_cast<int>(hash >> 33U);
    }();
    return number;
}

std::shared_ptr<const grid::Nodes> find_nodes(MPI_Comm comm, const std::string& wanted, NodesBy by)
{
    // Most often there is one node only, and splitting is the most expensive step of all.
    if (wanted.empty() && by == NodesBy::one_processor) return nullptr;
    auto nodes = std::make_shared<const grid::Nodes>(!wanted.empty()            ? wanted_labels(comm, wanted)
                                                     : by == NodesBy::knowledge ? known_labels(comm)
                                                                                : ask_for_labels(comm));
    return nodes->count() == 1 ? nullptr : nodes;
}

std::vector<grid::Nodes> find_levels(MPI_Comm comm, const grid::Nodes* nodes)
{
    static const int domain = memory_domain(); // loading hwloc takes milliseconds
    std::vector<int> labels = runtime::gather_all(comm, std::vector<int>{domain});
    std::vector<grid::Nodes> levels;
    levels.push_back(nodes != nullptr ? *nodes : grid::Nodes(std::vector<int>(labels.size(), 0)));
    if (std::ranges::min(labels) < 0) return levels;
    const int domains = std::ranges::max(labels) + 1;
    for (int r = 0; r < levels[0].processes(); ++r)
        labels[static_cast<std::size_t>(r)] += levels[0].of(r) * domains;
    if (grid::Nodes inner(labels); inner.count() > levels[0].count()) levels.push_back(std::move(inner));
    return levels;
}

namespace {

constexpr int short_trips = 10;
constexpr int long_trips = 3;                // the first one fills the network's windows
constexpr std::size_t long_bytes = 48 << 10; // so few that no MPI asks the receiver first

std::atomic<int> found{-1};

/// The part of the other process.
void answer(const mpi::SetUpComms& comms, int partner, std::span<std::byte> bytes, int trips)
{
    for (int trip = 0; trip < trips; ++trip) {
        runtime::receive(comms.messages, partner, comms.tag, bytes);
        runtime::send(comms.messages, partner, comms.tag, bytes);
    }
}

/// Half of the shortest of `trips` round trips, in picoseconds.
std::int64_t half_trip_ps(const mpi::SetUpComms& comms, int partner, std::span<std::byte> bytes, int trips)
{
    double shortest = std::numeric_limits<double>::max();
    for (int trip = 0; trip < trips; ++trip) {
        const double begin = PMPI_Wtime();
        runtime::send(comms.messages, partner, comms.tag, bytes);
        runtime::receive(comms.messages, partner, comms.tag, bytes);
        shortest = std::min(shortest, PMPI_Wtime() - begin);
    }
    return std::llround(std::clamp(shortest / 2, 0.0, 1e3) * 1e12);
}

} // namespace

std::optional<int> found_network_kind() noexcept
{
    const int kind = found.load(std::memory_order_relaxed);
    return kind < 0 ? std::nullopt : std::optional(kind);
}

int try_network(const mpi::SetUpComms& comms, const grid::Nodes& nodes)
{
    const int me = mpi::rank_of(comms.messages);
    const int node = nodes.of(me);
    const int partner_node = node ^ 1;
    const int slowest = static_cast<int>(planner::network_kinds().size()) - 1;
    int kind = found_network_kind().value_or(slowest);
    if (nodes.members(node).front() == me && partner_node < nodes.count()) {
        const int partner = nodes.members(partner_node).front();
        std::vector<std::byte> bytes(long_bytes);
        const auto one = std::span(bytes).first(1);
        if (node < partner_node) {
            const std::int64_t latency_ps = half_trip_ps(comms, partner, one, short_trips);
            const std::int64_t longer_ps = half_trip_ps(comms, partner, bytes, long_trips) - latency_ps;
            kind = std::min(kind, planner::network_kind_of(latency_ps, longer_ps / std::ssize(bytes)));
        } else {
            answer(comms, partner, one, short_trips);
            answer(comms, partner, bytes, long_trips);
        }
    }
    agree::Ballot ballot;
    const agree::Smallest fastest(ballot, kind);
    agree::hold(comms.collectives, ballot);
    kind = fastest.value<int>();
    found.store(kind, std::memory_order_relaxed);
    return kind;
}

} // namespace ortho::topology
