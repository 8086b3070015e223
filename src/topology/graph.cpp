// SPDX-License-Identifier: BSD-3-Clause
// The graph that a communicator carries, and information about it.

#include "topology/graph.hpp"

#include <algorithm>
#include <atomic>

#include "agree/on_comm.hpp"
#include "algorithm/agreed_rounds.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/keyval.hpp"
#include "mpiortho.h"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph_consistency.hpp"
#include "topology/grid_graph.hpp"
#include "topology/node_map.hpp"

namespace ortho::topology {

namespace {

/// The attribute.  Communicators without a graph share one each.
struct TopologyAttribute {
    int topology;
    std::shared_ptr<Graph> graph;
    std::shared_ptr<const mpi::Group> copied_from{}; ///< the processes of the graph that this is a copy of
};
TopologyAttribute full{ORTHO_FULL, nullptr};
TopologyAttribute inter{ORTHO_INTER, nullptr};

std::atomic<std::uint64_t> changed_number{0};

extern "C" int ortho_delete_topology(MPI_Comm comm, int, void* value, void*)
{
    auto* const attribute = static_cast<TopologyAttribute*>(value);
    if (!attribute->graph) {
        mpi::count_out();
        return MPI_SUCCESS;
    }
    changed_number.fetch_add(1, std::memory_order_release);
    try {
        // Operations under way outlive the communicator, and may have errors to raise.
        if (attribute->graph->user_comm() == comm) attribute->graph->lose_user_comm();
    } catch (...) {
        // Then errors are raised through the default handler.
    }
    delete attribute;
    return MPI_SUCCESS;
}

/// MPI_Comm_dup keeps graph, gaps and isomorphism.  A private communicator cannot be made here.  Copies of
/// communicators without a graph get a new attribute when somebody asks.
extern "C" int ortho_copy_topology(MPI_Comm comm, int, void*, void* value, void* copy, int* flag)
{
    const auto* const attribute = static_cast<TopologyAttribute*>(value);
    *flag = 0;
    if (!attribute->graph) return MPI_SUCCESS;
    try {
        auto graph = std::make_shared<Graph>();
        graph->graph_info = attribute->graph->graph_info;
        if (graph->graph_info->stays_detached) {
            // The copies must agree on this again.
            GraphInfo changed = *graph->graph_info;
            changed.stays_detached = false;
            graph->set_graph_info(std::move(changed));
        }
        auto from = attribute->copied_from ? attribute->copied_from : std::make_shared<mpi::Group>(comm);
        *static_cast<void**>(copy) = new TopologyAttribute{ORTHO_GRAPH, std::move(graph), std::move(from)};
        *flag = 1;
        return MPI_SUCCESS;
    } catch (...) {
        return MPI_ERR_NO_MEM;
    }
}

mpi::CommKeyval& key()
{
    static mpi::CommKeyval keyval(ortho_copy_topology, ortho_delete_topology);
    return keyval;
}

/// The key of the neighbors in an MPI Cartesian topology.  A duplicate makes its own.
mpi::CommKeyval& neighbors_key()
{
    static mpi::CommKeyval keyval(MPI_COMM_NULL_COPY_FN, ortho_delete_topology);
    return keyval;
}

/// Two threads may look for an attribute that is missing; the second one must not replace the first one's.
mpi::Mutex& making()
{
    static mpi::Mutex mutex;
    return mutex;
}

TopologyAttribute& set_graph(MPI_Comm comm, std::shared_ptr<Graph> graph, mpi::CommKeyval& keyval = key())
{
    graph->set_user_comm(comm);
    return keyval.hand_over(
        comm, std::make_unique<TopologyAttribute>(TopologyAttribute{ORTHO_GRAPH, std::move(graph)}));
}

void set_shared(MPI_Comm comm, TopologyAttribute& attribute)
{
    key().set(comm, &attribute);
    mpi::count_in();
}

/// MPI's information about its own graph.
GraphInfo read_dist_graph(MPI_Comm comm)
{
    GraphInfo graph_info;
    int indegree = 0;
    int outdegree = 0;
    int weighted = 0;
    mpi::check_users(PMPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted));
    graph_info.weighted = weighted != 0;
    graph_info.lists.rank = mpi::rank_of(comm);
    // Never pass a null pointer, which an empty vector's data() may be.
    std::vector<int> sources(static_cast<std::size_t>(indegree) + 1);
    std::vector<int> targets(static_cast<std::size_t>(outdegree) + 1);
    std::vector<int> source_weights(sources.size());
    std::vector<int> target_weights(targets.size());
    mpi::check_users(PMPI_Dist_graph_neighbors(
        comm, indegree, sources.data(), graph_info.weighted ? source_weights.data() : MPI_UNWEIGHTED,
        outdegree, targets.data(), graph_info.weighted ? target_weights.data() : MPI_UNWEIGHTED));
    for (auto* list : {&sources, &targets, &source_weights, &target_weights}) list->pop_back();
    // Some MPIs have MPI_PROC_NULL in the lists.
    for (auto* list : {&sources, &targets}) std::ranges::replace(*list, MPI_PROC_NULL, grid::gap);
    graph_info.lists.sources = std::move(sources);
    graph_info.lists.targets = std::move(targets);
    if (graph_info.weighted) {
        graph_info.source_weights = std::move(source_weights);
        graph_info.target_weights = std::move(target_weights);
    }
    return graph_info;
}

GraphInfo read_graph(MPI_Comm comm)
{
    GraphInfo graph_info;
    graph_info.lists.rank = mpi::rank_of(comm);
    int degree = 0;
    mpi::check_users(PMPI_Graph_neighbors_count(comm, graph_info.lists.rank, &degree));
    std::vector<int> neighbors(static_cast<std::size_t>(degree) + 1);
    mpi::check_users(PMPI_Graph_neighbors(comm, graph_info.lists.rank, degree, neighbors.data()));
    neighbors.pop_back();
    graph_info.lists.sources = neighbors;
    graph_info.lists.targets = std::move(neighbors);
    return graph_info;
}

GraphInfo read_graph_info(MPI_Comm comm, int topology)
{
    return topology == MPI_DIST_GRAPH ? read_dist_graph(comm) : read_graph(comm);
}

/// The neighbors of a list without gaps, as MPI knows them.
std::vector<int> without_gaps(std::vector<int> list)
{
    std::erase(list, grid::gap);
    return list;
}

/// True for a copy on other processes.  Open MPI's MPI_Comm_create_group copies topology and attributes, as
/// MPI_Comm_dup does: then they are none of the part's.
bool is_of_others(const TopologyAttribute& attribute, MPI_Comm comm)
{
    if (!attribute.copied_from) return false;
    const mpi::Group own(comm);
    const std::vector<int> ranks = mpi::all_ranks(own.get());
    return mpi::all_ranks(attribute.copied_from->get()) != ranks ||
           mpi::translate(ranks, own.get(), attribute.copied_from->get()) != ranks;
}

/// Decides about the copy of another communicator's graph.  MPI_Comm_dup makes such copies.  Open MPI 5 (its
/// pull request 14421) copies attributes also to distributed graphs that are made on a communicator: those
/// have their own lists.
void adopt(Graph& graph, MPI_Comm comm)
{
    const std::lock_guard lock(graph.mutex);
    if (graph.user_comm() != MPI_COMM_NULL) return; // another thread was here
    graph.set_user_comm(comm);
    const int topology = mpi::own_topology_of(comm);
    if (topology != MPI_DIST_GRAPH && topology != MPI_GRAPH) return;
    GraphInfo graph_info = read_graph_info(comm, topology);
    const grid::LocalGraph& old = graph.graph_info->lists;
    const grid::LocalGraph& made = graph_info.lists;
    if (without_gaps(old.sources) != without_gaps(made.sources) ||
        without_gaps(old.targets) != without_gaps(made.targets))
        graph.set_graph_info(std::move(graph_info));
}

/// The attribute; made if it does not exist yet.
TopologyAttribute& attribute_of(MPI_Comm comm)
{
    if (void* const value = key().find(comm)) {
        auto& attribute = *static_cast<TopologyAttribute*>(value);
        if (!attribute.graph || attribute.graph->user_comm() != MPI_COMM_NULL) return attribute;
        if (!is_of_others(attribute, comm)) {
            adopt(*attribute.graph, comm);
            return attribute;
        }
    }
    const std::lock_guard lock(making());
    void* const value = key().find(comm);
    const bool is_of_others = value != nullptr &&
                              topology::is_of_others(*static_cast<TopologyAttribute*>(value), comm);
    if (value != nullptr && !is_of_others) return *static_cast<TopologyAttribute*>(value);
    if (mpi::is_inter(comm)) {
        set_shared(comm, inter);
        return inter;
    }
    const int topology = mpi::own_topology_of(comm);
    if (is_of_others || (topology != MPI_DIST_GRAPH && topology != MPI_GRAPH)) {
        set_shared(comm, full);
        return full;
    }
    auto graph = std::make_shared<Graph>();
    graph->graph_info = std::make_shared<const GraphInfo>(read_graph_info(comm, topology));
    return set_graph(comm, std::move(graph));
}

/// Finds the kind of the network between nodes, if it is not known yet.  Collective.
void agree_on_network(const mpi::SetUpComms& comms, Settings& settings)
{
    if (settings.layout.nodes != nullptr && !settings.network_kind)
        settings.network_kind = try_network(comms, *settings.layout.nodes);
}

/// Agrees on rounds of messages, if weights tell their bytes, or if the algorithm that needs rounds is named:
/// then messages count alike.  Collective.
void agree_on_rounds(const mpi::SetUpComms& comms, GraphInfo& graph_info)
{
    const Settings& settings = *graph_info.settings;
    const bool is_named = std::ranges::find(settings.algorithms, "alltoall_rounds") !=
                          settings.algorithms.end();
    if (!settings.sizes_by_weights && !is_named) return;
    algorithm::PlannerContext context;
    context.graph = graph_info.lists;
    context.layout = settings.layout;
    context.may_meet = schedule::may_meet(
        planner::with_network(planner::machine_in(settings.tune.get()), settings.network_kind.value_or(0)));
    std::vector<std::int64_t> bytes(graph_info.lists.targets.size(), 1);
    if (settings.sizes_by_weights && graph_info.weighted)
        std::ranges::copy(graph_info.target_weights, bytes.begin());
    agree::Ballot ballot;
    const agree::Largest most(ballot, std::max(std::ssize(bytes), std::ssize(graph_info.lists.sources)));
    agree::hold(comms.collectives, ballot);
    const algorithm::Agreement all{mpi::size_of(comms.messages), [&](const std::vector<long long>& mine) {
                                       return runtime::gather_all(comms.collectives, mine);
                                   }};
    if (auto agreed = algorithm::agree_on_rounds(context, bytes, most.value<std::int64_t>(), all))
        graph_info.rounds = std::make_shared<const algorithm::Agreed>(std::move(*agreed));
}

/// `comm` is new, or all processes are in a call on it.
std::shared_ptr<Graph> make_attached(MPI_Comm comm, GraphInfo graph_info, Prepared prepared)
{
    const mpi::SetUpComms comms = prepared.private_comm.set_up_comms_of_new(comm);
    auto graph = std::make_shared<Graph>();
    graph->private_comm = std::move(prepared.private_comm);
    agree_on_network(comms, *graph_info.settings);
    agree_on_rounds(comms, graph_info);
    graph->graph_info = std::make_shared<const GraphInfo>(std::move(graph_info));
    if (graph->graph_info->settings->verify) graph->verification_comm = make_own(comm);
    graph->node_channels = nodequeue::NodeChannels::agree(
        comms, graph->graph_info->settings->layout.nodes.get(), std::move(prepared.offer));
    return graph;
}

bool is_attached(Graph& graph)
{
    const std::lock_guard lock(graph.mutex);
    return graph.attached();
}

/// Attaches the graph of `comm`.  `parent` is the communicator that `comm` was made on, or `comm` itself.
/// `must`: also if very many graphs are alive.  Collective.  Do not call it under the lock: other operations
/// on the graph may be under way.
void attach(Graph& graph, MPI_Comm parent, MPI_Comm comm, bool must)
{
    const bool is_new = parent != comm; // no call was made on it
    agree::Ballot ballot;
    const agree::AllTrue ranks_stay(ballot, is_new && mpi::size_of(parent) == mpi::size_of(comm) &&
                                                mpi::rank_of(parent) == mpi::rank_of(comm));
    const agree::AllTrue have_settings(ballot, graph.graph_info->settings.has_value()); // true for duplicates
    SharingVote sharing(ballot);
    ListsVote about_lists(ballot);
    Settings agreed = check_and_agree(ballot, comm, MPI_INFO_NULL, [&] {
        const grid::LocalGraph& lists = graph.graph_info->lists;
        for (const auto* list : {&lists.sources, &lists.targets})
            base::require(std::ranges::all_of(*list, [n = mpi::size_of(comm)](int rank) { return rank < n; }),
                          base::ErrorKind::topology, "comm",
                          "comm, a part of another communicator, carries the graph of that: "
                          "MPI_Comm_create_group has left it (ORTHO_Comm_create_group makes the part's)");
        sharing.say(parent, graphs_alive());
        about_lists.say(lists);
    });

    GraphInfo graph_info = *graph.graph_info;
    about_lists.write(graph_info);
    // If one process has a copy of another communicator's graph, and another process has none, it is no real
    // copy.
    const bool is_foreign = graph_info.settings && !have_settings.holds();
    if (is_foreign) graph_info = read_graph_info(comm, mpi::own_topology_of(comm));
    const bool is_first = !graph_info.settings;
    if (is_first) graph_info.settings = std::move(agreed);
    PrivateComm private_comm = ranks_stay.holds() ? sharing.agreed(parent) : sharing.agreed_alone(comm);
    if (!private_comm && (must || graph_info.settings->need_own_comm()))
        private_comm = PrivateComm(make_own(comm, runtime::HaveMet::yes));
    graph_info.stays_detached = !private_comm;
    mpi::Comm verification_comm;
    std::shared_ptr<nodequeue::NodeChannels> node_channels;
    if (private_comm) {
        const mpi::SetUpComms comms = is_new ? private_comm.set_up_comms_of_new(comm)
                                             : private_comm.set_up_comms(comm);
        Settings& settings = *graph_info.settings;
        if (is_first) agree_on_network(comms, settings);
        if (is_first) agree_on_rounds(comms, graph_info);
        if (settings.verify) {
            verification_comm = make_own(comm, runtime::HaveMet::yes);
            if (is_first) require_symmetric_lists(verification_comm.get(), mpi::title_of(comm), graph_info);
        }
        // Now, since a non-blocking call must not wait for it.
        node_channels = nodequeue::NodeChannels::agree(comms, settings.layout.nodes.get());
    }
    const std::lock_guard lock(graph.mutex);
    graph.set_graph_info(std::move(graph_info));
    graph.private_comm = std::move(private_comm);
    graph.verification_comm = std::move(verification_comm);
    graph.node_channels = std::move(node_channels);
    changed_number.fetch_add(1, std::memory_order_release);
}

/// The graph with that key; null in doubt.
Graph* find_graph(mpi::CommKeyval& keyval, MPI_Comm comm) noexcept
{
    if (comm == MPI_COMM_NULL) return nullptr;
    try {
        const auto* const attribute = static_cast<TopologyAttribute*>(keyval.find(comm));
        const bool is_known = attribute != nullptr && attribute->graph &&
                              attribute->graph->user_comm() == comm;
        return is_known ? attribute->graph.get() : nullptr;
    } catch (...) {
        return nullptr;
    }
}

std::atomic<int> alive{0};

} // namespace

void ListsVote::say(const grid::LocalGraph& lists)
{
    for (const auto* list : {&lists.sources, &lists.targets}) {
        gaps_.say(std::ranges::find(*list, grid::gap) != list->end());
        repeats_.say(grid::has_repeats(*list));
    }
}

void ListsVote::write(GraphInfo& graph_info) const
{
    graph_info.may_have_gaps = gaps_.holds();
    graph_info.may_have_repeats = repeats_.holds();
}

Graph::Graph() { ++alive; }
Graph::~Graph()
{
    if (has_misfits) private_comm.lose();
    --alive;
}

int graphs_alive() noexcept { return alive.load(); }

void Graph::maximize(std::span<long long> numbers)
{
    const schedule::Layout layout = [&] {
        const std::lock_guard lock(mutex);
        return graph_info->settings->layout;
    }();
    if (layout.one_node || layout.nodes)
        runtime::maximize_by_messages(private_comm.messages(), private_comm.setting_up_tag(),
                                      layout.nodes.get(), numbers);
    else
        runtime::reduce_all(collectives(), numbers, MPI_LONG_LONG, MPI_MAX);
}

void Graph::hold(agree::Ballot& ballot)
{
    ballot.hold([this](std::span<long long> numbers) { maximize(numbers); });
}

runtime::Waiting Graph::waiting(const char* function, std::vector<int> ranks) const
{
    return {function, title(), graph_info->lists.rank, std::move(ranks)};
}

void Graph::lose_user_comm()
{
    if (observer) observer->user_comm_freed();
    users_.lose();
    if (users_.was_revoked()) give_up();
}

int Graph::loss(bool have_waited) const noexcept
{
    MPI_Comm const users = user_comm();
    if (users_.was_revoked() || (users != MPI_COMM_NULL && mpi::is_revoked(users)))
        return mpi::code_of_revoked();
    MPI_Comm const comm = attached() ? private_comm.messages() : users;
    if (comm == MPI_COMM_NULL) return MPI_SUCCESS;
    // Another process may have given up because of a failure that this one does not know yet.
    const bool is_lost = mpi::is_revoked(comm) || (have_waited && mpi::has_failed(comm));
    return is_lost ? mpi::code_of_failed() : MPI_SUCCESS;
}

void Graph::give_up() noexcept
{
    if (attached()) mpi::end_all_on(private_comm.messages());
    mpi::end_all_on(verification_comm.get());
}

void Graph::set_graph_info(GraphInfo changed)
{
    graph_info = std::make_shared<const GraphInfo>(std::move(changed));
    if (observer) observer->graph_info_changed();
}

int topology_kind(MPI_Comm comm)
{
    mpi::require_comm(comm, "comm");
    return attribute_of(comm).topology;
}

int collective_topology(MPI_Comm comm) noexcept
{
    if (comm == MPI_COMM_NULL) return ORTHO_GRAPH;
    try {
        return attribute_of(comm).topology;
    } catch (...) {
        return ORTHO_GRAPH;
    }
}

std::shared_ptr<Graph> graph_of(MPI_Comm comm, const char* argument)
{
    mpi::require_comm(comm, argument);
    const TopologyAttribute& attribute = attribute_of(comm);
    if (attribute.graph) return attribute.graph;
    base::fail(
        base::ErrorKind::topology, argument, argument,
        mpi::own_topology_of(comm) == MPI_CART
            ? " is an MPI Cartesian communicator, which carries a grid and no graph: make the graph of "
              "its neighbors by ORTHO_Cart_neighborhood_create, or by ORTHO_Dist_graph_create_adjacent "
              "on it"
            : " carries no graph: ORTHO_Cart_neighborhood_create and ORTHO_Dist_graph_create_adjacent "
              "make communicators that do");
}

std::optional<grid::Grid> grid_of(MPI_Comm comm)
{
    if (topology_kind(comm) == ORTHO_GRAPH) {
        const auto graph_info = graph_of(comm)->graph_info;
        if (const auto* named = graph_info->named_isomorphism()) return named->neighborhood.grid;
    }
    const grid::Grid* const name = find_name(comm);
    return name != nullptr ? std::optional(*name) : std::nullopt;
}

std::shared_ptr<Graph> neighbors_of(MPI_Comm comm)
{
    mpi::require_comm(comm, "comm");
    if (void* const value = neighbors_key().find(comm)) return static_cast<TopologyAttribute*>(value)->graph;
    if (mpi::own_topology_of(comm) != MPI_CART) return graph_of(comm);
    const std::lock_guard lock(making());
    if (void* const value = neighbors_key().find(comm)) return static_cast<TopologyAttribute*>(value)->graph;
    auto graph = std::make_shared<Graph>();
    graph->graph_info = std::make_shared<const GraphInfo>(
        axis_graph(cartesian_topology(comm), mpi::rank_of(comm)));
    return set_graph(comm, std::move(graph), neighbors_key()).graph;
}

std::shared_ptr<Graph> make_attached(MPI_Comm comm, GraphInfo graph_info)
{
    return make_attached(comm, std::move(graph_info), {PrivateComm(make_own(comm, runtime::HaveMet::yes))});
}

Prepared prepare(PrivateComm private_comm, const Settings& settings)
{
    // Between several nodes other messages use this tag first (agree_on_network()).
    if (!private_comm || !settings.layout.one_node) return {std::move(private_comm)};
    auto offer = nodequeue::NodeChannels::offer(private_comm.messages(), private_comm.setting_up_tag(),
                                                nullptr);
    return {std::move(private_comm), std::move(offer)};
}

void carry(MPI_Comm comm, GraphInfo graph_info, Prepared prepared)
{
    if (graph_info.stays_detached) {
        auto graph = std::make_shared<Graph>();
        graph->graph_info = std::make_shared<const GraphInfo>(std::move(graph_info));
        set_graph(comm, std::move(graph));
        return;
    }
    if (!prepared.private_comm) prepared.private_comm = PrivateComm(make_own(comm, runtime::HaveMet::yes));
    set_graph(comm, make_attached(comm, std::move(graph_info), std::move(prepared)));
}

std::shared_ptr<Graph> attached_graph(MPI_Comm comm)
{
    std::shared_ptr<Graph> graph = graph_of(comm);
    attach(*graph, comm);
    return graph;
}

void attach(Graph& graph, MPI_Comm comm)
{
    if (!is_attached(graph)) attach(graph, comm, comm, true);
}

void attach_if_plenty(Graph& graph, MPI_Comm comm)
{
    if (!is_attached(graph) && !graph.graph_info->stays_detached) attach(graph, comm, comm, false);
}

void attach_new(MPI_Comm parent, MPI_Comm comm) { attach(*neighbors_of(comm), parent, comm, false); }

Graph* find_graph(MPI_Comm comm) noexcept { return find_graph(key(), comm); }

Graph* find_neighbors(MPI_Comm comm) noexcept
{
    Graph* const graph = find_graph(neighbors_key(), comm);
    return graph != nullptr ? graph : find_graph(comm);
}

[[gnu::hot]] std::uint64_t changed_graphs() noexcept
{
    return changed_number.load(std::memory_order_acquire);
}

} // namespace ortho::topology
