// SPDX-License-Identifier: BSD-3-Clause
// The graph that a communicator carries, and what is known of it.
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
#include "grid/isomorphism.hpp"
#include "grid/local_graph.hpp"
#include "mpi/comm.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "mpi/process_failure.hpp"
#include "nodequeue/shm_channels.hpp"
#include "planner/tune.hpp"
#include "schedule/machine.hpp"
#include "topology/private_comm.hpp"

namespace ortho::topology {

/// What users say about execution; agreed, so the same on all processes.
struct Settings {
    std::vector<std::string> algorithms; ///< that calls are bound to
    bool measure = false;                ///< persistent operations try algorithms out
    bool assert_uniform = false;         ///< info ortho_assert_uniform, on all processes
    bool forward = false;                ///< what is started may: all have promised it, or have a thread
    bool thread = false;                 ///< all have one that drives what is started
    planner::Tune tune;                  ///< what ORTHO_TUNE names, on rank 0
    /// Of what lies between the nodes (planner/network_kind.hpp); nothing until there has been a trial.
    std::optional<int> network_kind;
    schedule::Layout layout;
    bool verify = false;     ///< ORTHO_VERIFY
    bool plan_first = false; ///< no exchange goes unplanned

    /// Do users ask for something that calls on a graph which is not attached do not have?
    bool need_own_comm() const { return verify || measure || !algorithms.empty(); }
};

/// What is known of a graph.  Does not change but by being replaced; duplicates share it.
struct GraphInfo {
    grid::LocalGraph lists; ///< gaps included
    bool weighted = false;
    std::vector<int> source_weights; ///< as long as the lists, if weighted
    std::vector<int> target_weights;
    std::optional<grid::Stencil> stencil; ///< as ORTHO_Cart_neighborhood_create got it, if that made it
    std::optional<grid::Isomorphism> isomorphism;
    bool isomorphism_decided = false; ///< nobody will look again
    std::string placement;            ///< of ranks on nodes, in words; empty if none was looked for
    std::optional<Settings> settings; ///< nothing until they are agreed
    /// How many edges lead from one process to another one at most, as far as all know, and agree; 0:
    /// unknown.
    int most_edges = 0;
    /// The first exchanges may go unplanned (engine/first_calls.hpp): decided by the constructor, for
    /// duplicates, too.
    bool has_first_calls = false;
    /// Very many graphs are alive.  No communicator is made for calls that need none of our own: blocking
    /// calls go as non-blocking ones on a graph that is not attached.
    bool stays_detached = false;
};

/// Who keeps something with a graph is told what happens to it; the graph's end is the observer's.
class Observer {
public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;
    /// What is known of the graph is another now.
    virtual void graph_info_changed() = 0;
    /// The user's communicator is being freed.
    virtual void user_comm_freed() = 0;
};

/// The state of one communicator that carries a graph.
struct Graph : std::enable_shared_from_this<Graph> {
    Graph();
    ~Graph();

    mpi::Held held; // goes last
    std::shared_ptr<const GraphInfo> graph_info;
    /// Our own communicators of the same processes; none until attached.
    PrivateComm private_comm;
    /// Another one, for what processes say of their calls before they make them; none unless calls are
    /// verified.
    mpi::Comm verification_comm;
    /// Through memory that processes of a node share; null if there is none, and until attached.
    std::shared_ptr<nodequeue::NodeChannels> node_channels;
    /// Who has come to the meeting with which tag (ORTHO_Comm_create_group), before its thread asked for it.
    std::multiset<std::pair<int, int>> heard_in_meetings;
    /// Of the members and of what the engine keeps.
    mpi::Mutex mutex;
    std::vector<std::unique_ptr<Observer>> observers;

    bool attached() const { return static_cast<bool>(private_comm); }

    /// The user's communicator; MPI_COMM_NULL once it is freed.
    MPI_Comm user_comm() const;
    void set_user_comm(MPI_Comm comm);

    /// For raising errors: the user's communicator; once that is freed, one of our own that has its error
    /// handler.
    MPI_Comm error_comm() noexcept;

    /// The element-wise maximum over all processes, everywhere, in a call that all are in.  By messages where
    /// it is known who shares a node: no communicator is made for it.  The graph must be attached.
    void maximize(std::span<long long> numbers);
    /// Holds the ballot so.
    void hold(agree::Ballot& ballot);
    /// For other collectives of ours, in a call that all processes are in.  Collective the first time.
    MPI_Comm collectives() { return private_comm.collectives(user_comm()); }
    /// The same, and for messages that belong to no operation.
    mpi::SetUpComms set_up_comms() { return private_comm.set_up_comms(user_comm()); }

    /// What reports call the user's communicator.
    std::string title() const;

    /// The user frees the communicator.
    void lose_user_comm();

    // Where processes may fail (mpi/process_failure.hpp).  Under the mutex.
    /// Why operations may never end.  `have_waited`: failed processes are a reason, too.  Otherwise only that
    /// the communicator was revoked, or that operations have been given up before.
    int loss(bool have_waited) const noexcept;
    /// Throws Failure if no operation may begin any more.
    void require_whole() const
    {
        if (mpi::processes_may_fail()) [[unlikely]]
            mpi::check(loss(false));
    }
    /// All messages under way end with errors, on all processes.
    void give_up() noexcept;

    void set_graph_info(GraphInfo changed);

private:
    /// Of what follows.  MPI may tell during any of its calls, and so under the other mutex, that the user's
    /// communicator is freed.
    mutable mpi::Mutex user_comm_mutex_;
    MPI_Comm user_comm_ = MPI_COMM_NULL;
    mpi::Errhandler handler_;  // that the user's communicator had
    bool was_revoked_ = false; // when it was freed
    mpi::Comm stand_in_;
};

/// Of what topology are collectives on this communicator?  ORTHO_FULL, ORTHO_INTER or
/// ORTHO_GRAPH.  Local.
int topology_kind(MPI_Comm comm);

/// The same question on the way into a collective: ORTHO_GRAPH also where it cannot be answered,
/// so that the answer is looked for again, and the error found, under guard().
int collective_topology(MPI_Comm comm) noexcept;

/// The state of a communicator that carries a graph, made from MPI's if it has none yet.  Local.
/// Throws base::Error (topology) for other communicators; `argument` is whom to blame.
std::shared_ptr<Graph> graph_of(MPI_Comm comm, const char* argument = "comm");

/// The grid that the processes of a communicator are on: that of its graph, if that is isomorphic, else the
/// one that it is named with, if it is.  Local.
std::optional<grid::Grid> grid_of(MPI_Comm comm);

/// The graph that MPI's neighborhood collectives mean: graph_of(), or the 2d neighbors of a process in an MPI
/// Cartesian topology, a communicator that carries no graph of its own.  Local.
std::shared_ptr<Graph> neighbors_of(MPI_Comm comm);

/// How many graphs are alive in this process.
int graphs_alive() noexcept;

/// A graph on the processes of a communicator, attached, which nobody knows of yet; its settings are agreed.
/// Collective, in a call in which all processes have met already.
std::shared_ptr<Graph> make_attached(MPI_Comm comm, GraphInfo graph_info);

/// What a constructor has ready before it makes MPI's communicator.
struct Prepared {
    PrivateComm private_comm{}; ///< of the same processes with the same ranks
    std::shared_ptr<nodequeue::NodeOffer> offer{};
};
/// Tells the others of the node what this process offers, while all make MPI's communicator.
Prepared prepare(PrivateComm private_comm, const Settings& settings);

/// Give a new communicator, which the user does not have yet, its graph: attach at once.  As make_attached().
/// What is not prepared is made here.
void carry(MPI_Comm comm, GraphInfo graph_info, Prepared prepared = {});

/// The state of a communicator that carries a graph, ready for messages.  Collective if the
/// communicator is not attached yet, local else.
std::shared_ptr<Graph> attached_graph(MPI_Comm comm);
/// Gets a graph that was found on `comm` ready for messages.  Collective if it is not attached yet.
void attach(Graph& graph, MPI_Comm comm);

/// Gets the graph of `comm` ready for messages, in a blocking call on it.  Where very many graphs are alive,
/// it may stay as it is.  Collective if it is not attached yet, and may be, local else.
void attach_if_plenty(Graph& graph, MPI_Comm comm);

/// Gets the graph of a new communicator ready, by neighbors_of(), in the call that has made it on `parent`;
/// it may stay as it is, too.  `also`: travels along, and the graph is not attached unless that wants it.
/// Collective.
void attach_new(MPI_Comm parent, MPI_Comm comm, agree::Guest* also = nullptr);

/// The graph of a communicator if it is attached, graph_of() or neighbors_of(); null in doubt.  Local.
Graph* find_attached(MPI_Comm comm) noexcept;
Graph* find_attached_neighbors(MPI_Comm comm) noexcept;

/// How many communicators that carry a graph have ended: until that changes, a handle of one stays what it
/// is.
std::uint64_t ended_graphs() noexcept;

} // namespace ortho::topology
