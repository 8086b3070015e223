// SPDX-License-Identifier: BSD-3-Clause
// The graph that a communicator carries, and information about it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agree/ballot.hpp"
#include "algorithm/call_specification.hpp"
#include "grid/isomorphism.hpp"
#include "grid/local_graph.hpp"
#include "mpi/comm.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "mpi/process_failure.hpp"
#include "mpi/users_comm.hpp"
#include "nodequeue/shm_channels.hpp"
#include "planner/tune.hpp"
#include "runtime/stall_report.hpp"
#include "schedule/machine.hpp"
#include "topology/private_comm.hpp"

namespace ortho::topology {

/// The user's settings for execution; agreed, so the same on all processes.
struct Settings {
    std::vector<std::string> algorithms;       ///< calls are bound to these
    bool assert_uniform = false;               ///< info ortho_assert_uniform, on all processes
    bool forward = false;                      ///< started operations may forward: promised, or by threads
    bool sizes_by_weights = false;             ///< info ortho_sizes is weights, on all processes
    bool independent = false;                  ///< info ortho_independent, on all processes
    bool thread = false;                       ///< all processes have a thread that drives operations
    std::shared_ptr<const planner::Tune> tune; ///< the file of ORTHO_TUNE, on rank 0; null: none
    /// The kind of the network between the nodes (planner/tune.hpp); nothing before a trial.
    std::optional<int> network_kind;
    schedule::Layout layout;
    bool verify = false; ///< ORTHO_VERIFY

    /// Do users ask for something that calls on a detached graph cannot do?
    bool need_own_comm() const { return verify || independent || sizes_by_weights || !algorithms.empty(); }
};

/// Information about a graph.  It is replaced, never changed; duplicates share it.
struct GraphInfo {
    grid::LocalGraph lists; ///< with gaps
    bool weighted = false;
    std::vector<int> source_weights; ///< as long as the lists, if weighted
    std::vector<int> target_weights;
    std::optional<grid::Stencil> stencil; ///< as given to ORTHO_Cart_neighborhood_create
    std::optional<grid::Isomorphism> isomorphism;
    bool isomorphism_decided = false; ///< the search is over
    /// Nobody has named the grid of the isomorphism.  Then only plans may depend on it.
    bool has_found_grid = false;
    // Whether any process has a gap, or a neighbor twice: agreed, or in doubt true.
    bool may_have_gaps = true;
    bool may_have_repeats = true;
    std::string placement;            ///< placement of ranks on nodes, in words; empty without a search
    std::optional<Settings> settings; ///< nothing until they are agreed
    /// The rounds of messages whose bytes are the weights of edges; null if nobody needs them.
    std::shared_ptr<const algorithm::Agreed> rounds;
    /// Very many graphs are alive.  Then calls that need no communicator of our own get none: blocking calls
    /// go as non-blocking ones on a detached graph.
    bool stays_detached = false;

    /// The isomorphism on a grid that the user has named; null if there is none.
    const grid::Isomorphism* named_isomorphism() const
    {
        return isomorphism && !has_found_grid ? &*isomorphism : nullptr;
    }
};

/// The slots of a ballot about gaps and repeated neighbors in the lists of all processes.
class ListsVote {
public:
    explicit ListsVote(agree::Ballot& ballot) : gaps_(ballot), repeats_(ballot) {}
    void say(const grid::LocalGraph& lists);
    /// Writes what was agreed.
    void write(GraphInfo& graph_info) const;

private:
    agree::AnyTrue gaps_;
    agree::AnyTrue repeats_;
};

/// The engine of a graph (engine/context.hpp), as it is seen from here: it is told about changes, and ends with
/// the graph.
class Observer {
public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;
    /// The information about the graph has changed.
    virtual void graph_info_changed() = 0;
    /// The user's communicator is being freed.
    virtual void user_comm_freed() = 0;
};

/// The state of one communicator that carries a graph.
struct Graph : std::enable_shared_from_this<Graph> {
    Graph();
    ~Graph();

    mpi::Counted counted; // destroyed last
    std::shared_ptr<const GraphInfo> graph_info;
    /// Our own communicators of the same processes; none until attached.
    PrivateComm private_comm;
    /// Another one for comparing calls before they are made; none unless calls are verified.
    mpi::Comm verification_comm;
    /// Non-blocking calls that were verified did not fit: messages are left that nobody receives.
    bool has_misfits = false;
    /// Memory that the processes of a node share; null if there is none, and until attached.
    std::shared_ptr<nodequeue::NodeChannels> node_channels;
    /// Arrivals at meetings (ORTHO_Comm_create_group), by rank and tag, that no thread has asked for yet.
    std::multiset<std::pair<int, int>> heard_in_meetings;
    /// Protects the members and whatever the engine keeps.
    mpi::Mutex mutex;
    std::unique_ptr<Observer> observer; ///< null until the engine is asked for

    bool attached() const { return static_cast<bool>(private_comm); }

    /// The user's communicator; MPI_COMM_NULL once it is freed.
    MPI_Comm user_comm() const { return users_.get(); }
    void set_user_comm(MPI_Comm comm) { users_.set(comm); }
    /// The communicator for raising errors.
    MPI_Comm error_comm() noexcept { return users_.for_errors(); }

    /// The element-wise maximum over all processes, on all processes, in a call that all are in.  Where it is
    /// known who shares a node it uses messages, and no communicator is made for it.  The graph must be
    /// attached.
    void maximize(std::span<long long> numbers);
    /// Holds the ballot with maximize().
    void hold(agree::Ballot& ballot);
    /// A communicator for our collectives, in a call that all processes are in.  Collective the first time.
    MPI_Comm collectives() { return private_comm.collectives(user_comm()); }
    /// Such a communicator, and one for messages that belong to no operation.
    mpi::SetUpComms set_up_comms() { return private_comm.set_up_comms(user_comm()); }

    /// The title of the user's communicator in reports.
    std::string title() const { return users_.title(); }
    /// For reports: this process, and the ranks that it waits for in a call of the function.  Under the
    /// mutex.
    runtime::Waiting waiting(const char* function, std::vector<int> ranks) const;

    /// Called when the user frees the communicator.
    void lose_user_comm();

    // For processes that may fail (mpi/process_failure.hpp).  Called under the mutex.
    /// The reason why operations may never end: the communicator was revoked, or operations have been given
    /// up before.  After a wait (`have_waited`) failed processes are a reason, too.
    int loss(bool have_waited) const noexcept;
    /// Throws Failure if no operation may begin any more.
    void require_whole() const
    {
        if (mpi::processes_may_fail()) [[unlikely]]
            mpi::check(loss(false));
    }
    /// Ends all messages under way with errors, on all processes.
    void give_up() noexcept;

    void set_graph_info(GraphInfo changed);

private:
    mpi::UsersComm users_;
};

/// The topology of collectives on this communicator: ORTHO_FULL, ORTHO_INTER or ORTHO_GRAPH.  Local.
int topology_kind(MPI_Comm comm);

/// topology_kind() at the beginning of a collective.  In doubt it is ORTHO_GRAPH: then the call asks again
/// under guard(), and finds the error.
int collective_topology(MPI_Comm comm) noexcept;

/// The state of a communicator that carries a graph, made from MPI's graph if it has none yet.  Local.
/// Throws base::Error (topology) for other communicators; the error names `argument`.
std::shared_ptr<Graph> graph_of(MPI_Comm comm, const char* argument = "comm");

/// The grid of a communicator's processes: the grid of its graph, if that is isomorphic, else its name, if it
/// has one.  Local.
std::optional<grid::Grid> grid_of(MPI_Comm comm);

/// The graph of MPI's neighborhood collectives: graph_of(), or, in an MPI Cartesian topology, the 2d
/// neighbors of a process; such a communicator carries no graph of its own.  Local.
std::shared_ptr<Graph> neighbors_of(MPI_Comm comm);

/// The number of graphs that are alive in this process.
int graphs_alive() noexcept;

/// An attached graph on the processes of a communicator, which nobody else knows yet; its settings are
/// agreed.  Collective, in a call in which all processes have met already.
std::shared_ptr<Graph> make_attached(MPI_Comm comm, GraphInfo graph_info);

/// Things that a constructor makes before MPI's communicator.
struct Prepared {
    PrivateComm private_comm{}; ///< of the same processes with the same ranks
    std::shared_ptr<nodequeue::NodeOffer> offer{};
};
/// Tells the other processes of the node the offer of this one, while all make MPI's communicator.
Prepared prepare(PrivateComm private_comm, const Settings& settings);

/// Gives a new communicator its graph and attaches it, before the user has it.  As make_attached().  Makes
/// whatever is not prepared.
void carry(MPI_Comm comm, GraphInfo graph_info, Prepared prepared = {});

/// The state of a communicator that carries a graph, ready for messages.  Collective if the communicator is
/// not attached yet, otherwise local.
std::shared_ptr<Graph> attached_graph(MPI_Comm comm);
/// Makes a graph that was found on `comm` ready for messages.  Collective if it is not attached yet.
void attach(Graph& graph, MPI_Comm comm);

/// Makes the graph of `comm` ready for messages, in a blocking call on it.  If very many graphs are alive, it
/// may stay detached.  Collective if the graph is detached and may be attached, otherwise local.
void attach_if_plenty(Graph& graph, MPI_Comm comm);

/// Makes the graph of a new communicator ready, by neighbors_of(), in the call that has made it on `parent`.
/// If very many graphs are alive, the graph stays detached.  Collective.
void attach_new(MPI_Comm parent, MPI_Comm comm);

/// The graph of a communicator, by graph_of() or neighbors_of(), if it is known; null in doubt.  Local.
Graph* find_graph(MPI_Comm comm) noexcept;
Graph* find_neighbors(MPI_Comm comm) noexcept;

/// The number of communicators with a graph that have ended, and of those that were attached.  Until it
/// changes, a handle of such a communicator keeps its meaning, and graphs stay attached or not.
std::uint64_t changed_graphs() noexcept;

} // namespace ortho::topology
