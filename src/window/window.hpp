// SPDX-License-Identifier: BSD-3-Clause
// What is kept with a window on a graph: who may access whom, and the epochs that are open.
#pragma once

#include <mpi.h>

#include <memory>
#include <set>
#include <vector>

#include "mpi/mutex.hpp"
#include "topology/graph.hpp"

namespace ortho::window {

/// Different processes, in ascending order, and the group of them.
class Partners {
public:
    /// Of a list that may name a process several times, and have gaps.  `all`: the communicator's group.
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

/// The state of a window whose communicator carries a graph; one thread at a time.  Of two kinds of epochs
/// one may be open: that of a fence, which is MPI's post, start, complete and wait, or locks on
/// out-neighbors.
class Window {
public:
    /// Collective over the graph, which must be attached.
    explicit Window(std::shared_ptr<topology::Graph> graph);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// Of this window from now on, and to be found with it until it is freed.
    static void attach(std::unique_ptr<Window> state, MPI_Win win);
    /// The state of a window; null on windows where MPI's own meaning is asked for.  Throws base::Error
    /// (win).
    static Window* find(MPI_Win win);

    // All of these throw base::Error: rank, neighbor, rma_sync.

    void fence(int assertion);

    void lock(int type, int rank, int assertion);
    void unlock(int rank);
    void lock_all(int assertion);
    void unlock_all();
    /// MPI's flush, of one kind or the other, for one process or all that are locked.
    void flush(int rank, int (*mpi_flush)(int, MPI_Win));
    void flush_all(int (*mpi_flush)(int, MPI_Win));

    /// May this process access the memory of another one now?  With requests under locks alone, as MPI has
    /// it.
    enum class By { call, request };
    void require_access(int target, By by) const;

    /// The way into freeing the window: close the epoch of a fence, and wait until all processes are here.
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
    /// Returns what it was.
    bool set(bool& state, bool value);
    void forget_lock(int rank);

    std::shared_ptr<topology::Graph> graph_; ///< has the communicators of ours, whatever the user frees
    int processes_;
    int tag_; ///< of our messages
    std::unique_ptr<const Partners> sources_;
    std::unique_ptr<const Partners> targets_;
    MPI_Win win_ = MPI_WIN_NULL;
    /// Of what follows: threads may lock, and access, at the same time.  Never held while MPI is called.
    mutable mpi::Mutex mutex_;
    bool fenced_ = false; ///< the epoch of a fence is open
    std::set<int> locked_;
    bool all_locked_ = false; ///< by lock_all
    std::vector<MPI_Request> requests_;
};

} // namespace ortho::window
