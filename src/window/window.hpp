// SPDX-License-Identifier: BSD-3-Clause
// The state of a window on a graph: processes that may access each other, and open epochs.
#pragma once

#include <mpi.h>

#include <memory>
#include <set>
#include <vector>

#include "mpi/mutex.hpp"
#include "runtime/stall_report.hpp"
#include "topology/graph.hpp"

namespace ortho::window {

/// Different processes, in ascending order, and their group.
class Partners {
public:
    /// From a list that may have a process several times, and gaps.  `all` is the communicator's group.
    Partners(std::vector<int> list, MPI_Group all);
    ~Partners();
    Partners(const Partners&) = delete;
    Partners& operator=(const Partners&) = delete;

    const std::vector<int>& ranks() const { return ranks_; }
    MPI_Group group() const { return group_; }
    bool contain(int rank) const;
    bool empty() const { return ranks_.empty(); }

private:
    std::vector<int> ranks_;
    MPI_Group group_ = MPI_GROUP_EMPTY;
};

/// The state of a window whose communicator carries a graph; one thread at a time.  One epoch of two kinds
/// may be open: that of a fence, which is MPI's post, start, complete and wait, or locks on out-neighbors.
class Window {
public:
    /// Collective over the graph, which must be attached.
    explicit Window(std::shared_ptr<topology::Graph> graph);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// Gives the state to this window; find() finds it until the window is freed.
    static void attach(std::unique_ptr<Window> state, MPI_Win win);
    /// The state of a window; null on windows where MPI's own meaning counts.  Throws base::Error (win).
    static Window* find(MPI_Win win);

    // All these functions throw base::Error: rank, neighbor, rma_sync.

    void fence(int assertion);

    void lock(int type, int rank, int assertion);
    void unlock(int rank);
    void lock_all(int assertion);
    void unlock_all();
    /// Calls MPI's flush, of one kind or the other, for one process or for all that are locked.
    void flush(int rank, int (*mpi_flush)(int, MPI_Win));
    void flush_all(int (*mpi_flush)(int, MPI_Win));

    /// May this process access another one's memory now?  Calls with requests need locks, as MPI demands.
    enum class By { call, request };
    void require_access(int target, By by) const;

    /// Called before the window is freed: closes the epoch of a fence, and waits for all processes.
    void end();

    MPI_Comm private_comm() const { return graph_->private_comm.messages(); }

private:
    void require_neighbor(int rank, const char* argument) const;
    void require_no_fence() const;
    void require_no_locks(const char* what) const;
    void require_locked(int rank) const;
    void open(int assertion);
    void close();
    void await_exposure();
    runtime::Waiting waiting(std::vector<int> ranks) const;
    /// Sets the value, and returns the one before.
    bool set(bool& state, bool value);
    void forget_lock(int rank);

    std::shared_ptr<topology::Graph> graph_; ///< keeps our communicators, whatever the user frees
    int processes_;
    int tag_; ///< of our messages
    std::unique_ptr<const Partners> sources_;
    std::unique_ptr<const Partners> targets_;
    MPI_Win win_ = MPI_WIN_NULL;
    /// Protects the members below; threads may lock and access at the same time.  Not held while MPI is
    /// called.
    mutable mpi::Mutex mutex_;
    bool fenced_ = false; ///< the epoch of a fence is open
    std::set<int> locked_;
    bool all_locked_ = false; ///< by lock_all
    std::vector<MPI_Request> requests_;
};

} // namespace ortho::window
