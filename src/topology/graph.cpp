// SPDX-License-Identifier: BSD-3-Clause
// The graph that a communicator carries, and what is known of it.

#include "topology/graph.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/error.hpp"
#include "mpi/keyval.hpp"
#include "mpi/wait.hpp"
#include "mpiortho.h"
#include "topology/settings.hpp"

namespace ortho::topology {

namespace {

/// The attribute.  Communicators without a graph share one each.
struct Carried {
    int topology;
    std::shared_ptr<Graph> graph;
};
Carried full{ORTHO_FULL, nullptr};
Carried inter{ORTHO_INTER, nullptr};

extern "C" int ortho_delete_carried(MPI_Comm comm, int, void* value, void*)
{
    auto* const carried = static_cast<Carried*>(value);
    if (!carried->graph) return MPI_SUCCESS;
    try {
        // Operations under way outlive the communicator, and may have errors to raise.
        Graph& graph = *carried->graph;
        const std::lock_guard lock(graph.mutex);
        if (graph.users == comm && graph.channel) mpi::copy_errhandler(comm, graph.channel.get());
        graph.users = MPI_COMM_NULL;
    } catch (...) {
        // Then they are raised through the default handler.
    }
    delete carried;
    return MPI_SUCCESS;
}

/// MPI_Comm_dup keeps graph, gaps and isomorphism.  A channel cannot be made here.
extern "C" int ortho_copy_carried(MPI_Comm, int, void*, void* value, void* copy, int* flag)
{
    auto* const carried = static_cast<Carried*>(value);
    auto& result = *static_cast<void**>(copy);
    *flag = 1;
    result = carried;
    if (!carried->graph) return MPI_SUCCESS;
    try {
        auto graph = std::make_shared<Graph>();
        graph->facts = carried->graph->facts;
        result = new Carried{ORTHO_GRAPH, std::move(graph)};
        return MPI_SUCCESS;
    } catch (...) {
        *flag = 0;
        return MPI_ERR_NO_MEM;
    }
}

mpi::CommKeyval& key()
{
    static mpi::CommKeyval keyval(ortho_copy_carried, ortho_delete_carried);
    return keyval;
}

void set_graph(MPI_Comm comm, std::shared_ptr<Graph> graph)
{
    graph->users = comm;
    auto carried = std::make_unique<Carried>(Carried{ORTHO_GRAPH, std::move(graph)});
    key().set(comm, carried.get());
    carried.release(); // the attribute's delete function has it now
}

/// What MPI says of its own graph.
Facts read_dist_graph(MPI_Comm comm)
{
    Facts facts;
    int indegree = 0;
    int outdegree = 0;
    int weighted = 0;
    mpi::check_users(PMPI_Dist_graph_neighbors_count(comm, &indegree, &outdegree, &weighted));
    facts.weighted = weighted != 0;
    facts.lists.rank = mpi::rank_of(comm);
    // Never hand out a null pointer, which an empty vector's data() may be.
    std::vector<int> sources(static_cast<std::size_t>(indegree) + 1);
    std::vector<int> targets(static_cast<std::size_t>(outdegree) + 1);
    std::vector<int> source_weights(sources.size());
    std::vector<int> target_weights(targets.size());
    mpi::check_users(PMPI_Dist_graph_neighbors(
        comm, indegree, sources.data(), facts.weighted ? source_weights.data() : MPI_UNWEIGHTED,
        outdegree, targets.data(), facts.weighted ? target_weights.data() : MPI_UNWEIGHTED));
    for (auto* list : {&sources, &targets, &source_weights, &target_weights}) list->pop_back();
    // Some MPIs let MPI_PROC_NULL into the lists.
    for (auto* list : {&sources, &targets}) std::ranges::replace(*list, MPI_PROC_NULL, grid::gap);
    facts.lists.sources = std::move(sources);
    facts.lists.targets = std::move(targets);
    if (facts.weighted) {
        facts.source_weights = std::move(source_weights);
        facts.target_weights = std::move(target_weights);
    }
    return facts;
}

Facts read_graph(MPI_Comm comm)
{
    Facts facts;
    facts.lists.rank = mpi::rank_of(comm);
    int degree = 0;
    mpi::check_users(PMPI_Graph_neighbors_count(comm, facts.lists.rank, &degree));
    std::vector<int> neighbors(static_cast<std::size_t>(degree) + 1);
    mpi::check_users(PMPI_Graph_neighbors(comm, facts.lists.rank, degree, neighbors.data()));
    neighbors.pop_back();
    facts.lists.sources = neighbors;
    facts.lists.targets = std::move(neighbors);
    return facts;
}

/// The attribute, made if it is not there yet.
Carried& carried_by(MPI_Comm comm)
{
    if (void* const value = key().find(comm)) {
        auto& carried = *static_cast<Carried*>(value);
        // A copy made by MPI_Comm_dup learns here whose it is.
        if (carried.graph && carried.graph->users == MPI_COMM_NULL) carried.graph->users = comm;
        return carried;
    }
    if (mpi::is_inter(comm)) {
        key().set(comm, &inter);
        return inter;
    }
    const int topology = mpi::topology_of(comm);
    if (topology != MPI_DIST_GRAPH && topology != MPI_GRAPH) {
        key().set(comm, &full);
        return full;
    }
    auto graph = std::make_shared<Graph>();
    graph->facts = std::make_shared<const Facts>(topology == MPI_DIST_GRAPH ? read_dist_graph(comm)
                                                                            : read_graph(comm));
    set_graph(comm, std::move(graph));
    return *static_cast<Carried*>(key().find(comm));
}

mpi::Comm make_channel(MPI_Comm comm)
{
    mpi::Comm channel = mpi::bare_copy(comm);
    mpi::check(PMPI_Comm_set_errhandler(channel.get(), MPI_ERRORS_RETURN));
    return channel;
}

} // namespace

/// First a channel, then, on it, the settings.
class Attachment {
public:
    /// With a channel that is there, or one that MPI_Comm_idup is still making.
    Attachment(mpi::Comm channel, bool needs_settings) : channel_(channel.release()), needs_settings_(needs_settings) {}
    Attachment(MPI_Comm comm, bool needs_settings) : needs_settings_(needs_settings)
    {
        mpi::check_users(PMPI_Comm_idup(comm, &channel_, &request_));
        copied_ = true;
    }

    /// True once all is agreed.
    bool advance()
    {
        if (request_ != MPI_REQUEST_NULL) {
            int flag = 0;
            mpi::check(PMPI_Test(&request_, &flag, MPI_STATUS_IGNORE));
            if (flag == 0) return false;
        }
        if (copied_) {
            // A duplicate has the user's attributes and ours; it is to carry no graph.
            if (key().find(channel_) != nullptr) key().erase(channel_);
            mpi::check(PMPI_Comm_set_errhandler(channel_, MPI_ERRORS_RETURN));
            copied_ = false;
        }
        if (!needs_settings_) return true;
        if (!announcement_)
            announcement_.emplace(channel_, mpi::rank_of(channel_) == 0 ? algorithms_of(MPI_INFO_NULL) : "");
        return announcement_->advance();
    }

    mpi::Comm take_channel() { return mpi::Comm(std::exchange(channel_, MPI_COMM_NULL)); }
    /// Throws if what was agreed on is a mistake.
    std::optional<Settings> settings() const
    {
        if (!needs_settings_) return std::nullopt;
        return make_settings(announcement_->list(), {});
    }

private:
    MPI_Comm channel_ = MPI_COMM_NULL;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool copied_ = false;
    bool needs_settings_;
    std::optional<Announcement> announcement_;
};

Graph::Graph() = default;
Graph::~Graph() = default;

void Graph::set_facts(Facts changed)
{
    facts = std::make_shared<const Facts>(std::move(changed));
    if (engine) engine->facts_changed();
}

int carried_topology(MPI_Comm comm)
{
    mpi::require_comm(comm, "comm");
    return carried_by(comm).topology;
}

int collective_topology(MPI_Comm comm) noexcept
{
    if (comm == MPI_COMM_NULL) return ORTHO_GRAPH;
    try {
        return carried_by(comm).topology;
    } catch (...) {
        return ORTHO_GRAPH;
    }
}

std::shared_ptr<Graph> graph_of(MPI_Comm comm)
{
    mpi::require_comm(comm, "comm");
    const Carried& carried = carried_by(comm);
    base::require(carried.graph != nullptr, base::ErrorKind::topology, "comm",
                  "comm carries no graph");
    return carried.graph;
}

void carry(MPI_Comm comm, Facts facts)
{
    auto graph = std::make_shared<Graph>();
    graph->facts = std::make_shared<const Facts>(std::move(facts));
    graph->channel = make_channel(comm);
    set_graph(comm, std::move(graph));
}

std::shared_ptr<Graph> attached_graph(MPI_Comm comm)
{
    std::shared_ptr<Graph> graph = graph_of(comm);
    {
        const std::lock_guard lock(graph->mutex);
        if (graph->attached()) return graph;
        if (!graph->attachment)
            graph->attachment = std::make_unique<Attachment>(make_channel(comm), !graph->facts->settings);
    }
    mpi::wait_until([&] { return advance_attachment(*graph); });
    return graph;
}

void begin_to_attach(MPI_Comm comm, Graph& graph)
{
    const std::lock_guard lock(graph.mutex);
    if (graph.channel || graph.attachment) return;
    graph.attachment = std::make_unique<Attachment>(comm, !graph.facts->settings);
}

bool advance_attachment(Graph& graph)
{
    const std::lock_guard lock(graph.mutex);
    if (!graph.attachment) {
        // Somebody else has seen it fail, or has freed it: try again.
        base::require(graph.attached(), base::ErrorKind::other, "comm", "the communicator could not be attached");
        return true;
    }
    if (!graph.attachment->advance()) return false;
    const std::unique_ptr<Attachment> done = std::move(graph.attachment);
    mpi::Comm channel = done->take_channel();
    if (const auto settings = done->settings()) {
        Facts facts = *graph.facts;
        facts.settings = settings;
        graph.set_facts(std::move(facts));
    }
    graph.channel = std::move(channel);
    return true;
}

} // namespace ortho::topology
