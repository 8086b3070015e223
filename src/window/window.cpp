// SPDX-License-Identifier: BSD-3-Clause
// The state of a window on a graph: processes that may access each other, and open epochs.

#include "window/window.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/agreement.hpp"
#include "engine/context.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/keyval.hpp"
#include "mpi/which_mpi.hpp"
#include "runtime/message.hpp"
#include "runtime/wait.hpp"

namespace ortho::window {

namespace {

using base::ErrorKind;
using base::fail;
using base::require;

extern "C" int ortho_delete_window(MPI_Win, int, void* value, void*)
{
    delete static_cast<Window*>(value);
    return MPI_SUCCESS;
}

mpi::WinKeyval& key()
{
    static mpi::WinKeyval keyval(ortho_delete_window);
    return keyval;
}

std::vector<int> once_each(std::vector<int> list)
{
    std::erase(list, grid::gap);
    std::ranges::sort(list);
    const auto [first, last] = std::ranges::unique(list);
    list.erase(first, last);
    return list;
}

/// The assertion of a lock for MPI.
int for_locks(int assertion)
{
    // Otherwise MPI_Win_lock of MPICH 4.0.2 may never end.
    return mpi::which_mpi().is_mpich ? assertion & ~MPI_MODE_NOCHECK : assertion;
}

} // namespace

Partners::Partners(std::vector<int> list, MPI_Group all) : ranks_(once_each(std::move(list)))
{
    if (!empty()) mpi::check(PMPI_Group_incl(all, static_cast<int>(ranks_.size()), ranks_.data(), &group_));
}

Partners::~Partners()
{
    if (!empty() && mpi::is_running()) PMPI_Group_free(&group_);
}

bool Partners::contain(int rank) const { return std::ranges::binary_search(ranks_, rank); }

Window::Window(std::shared_ptr<topology::Graph> graph)
    : graph_(std::move(graph)),
      processes_(mpi::size_of(private_comm())),
      tag_(engine::agree_on_tags(*graph_, 1))
{
    const auto& lists = graph_->graph_info->lists;
    const mpi::Group all(private_comm());
    sources_ = std::make_unique<const Partners>(lists.sources, all.get());
    targets_ = std::make_unique<const Partners>(lists.targets, all.get());
}

Window::~Window()
{
    const std::lock_guard lock(graph_->mutex);
    engine::engine_of(*graph_).tags().give_back_persistent(tag_);
}

void Window::attach(std::unique_ptr<Window> state, MPI_Win win)
{
    state->win_ = win;
    key().set(win, state.get());
    static_cast<void>(state.release()); // the attribute's delete function owns it now
}

Window* Window::find(MPI_Win win)
{
    require(win != MPI_WIN_NULL, ErrorKind::win, "win", "win is MPI_WIN_NULL");
    return static_cast<Window*>(key().find(win));
}

void Window::require_neighbor(int rank, const char* argument) const
{
    require(rank >= 0 && rank < processes_, ErrorKind::rank, argument, argument, " = ", rank,
            " is no rank of a window of ", processes_, " processes");
    require(targets_->contain(rank), ErrorKind::neighbor, argument, argument, " = ", rank,
            " is no out-neighbor of rank ", graph_->graph_info->lists.rank);
}

void Window::require_no_fence() const
{
    const std::lock_guard guard(mutex_);
    require(!fenced_, ErrorKind::rma_sync, "win",
            "win has the epoch of a fence open: locks need a closing fence, with MPI_MODE_NOSUCCEED, before");
}

void Window::require_no_locks(const char* what) const
{
    const std::lock_guard guard(mutex_);
    if (!locked_.empty())
        fail(ErrorKind::rma_sync, "win", "win has locks, one on rank ", *locked_.begin(), ": unlock before ",
             what);
    require(!all_locked_, ErrorKind::rma_sync, "win", "win has a lock on all neighbors: unlock before ",
            what);
}

void Window::require_locked(int rank) const
{
    require_neighbor(rank, "rank");
    const std::lock_guard guard(mutex_);
    require(locked_.contains(rank), ErrorKind::rma_sync, "rank", "rank = ", rank, " is not locked");
}

void Window::require_access(int target, By by) const
{
    if (target == MPI_PROC_NULL) return;
    require_neighbor(target, "target_rank");
    const std::lock_guard guard(mutex_);
    if (locked_.contains(target)) return;
    if (by == By::request)
        fail(ErrorKind::rma_sync, "target_rank", "target_rank = ", target,
             " is not locked: calls with requests need a lock");
    require(fenced_, ErrorKind::rma_sync, "target_rank", "target_rank = ", target,
            " cannot be accessed: there was no fence that opens an epoch, and it is not locked");
}

bool Window::set(bool& state, bool value)
{
    const std::lock_guard guard(mutex_);
    return std::exchange(state, value);
}

void Window::forget_lock(int rank)
{
    const std::lock_guard guard(mutex_);
    locked_.erase(rank);
}

void Window::fence(int assertion)
{
    require_no_locks("a fence");
    // MPI_MODE_NOPRECEDE promises that there is nothing to complete.  But an open epoch must be closed before
    // MPI opens the next one, and without an open epoch this does nothing.
    close();
    if ((assertion & MPI_MODE_NOSUCCEED) == 0) open(assertion);
}

runtime::Waiting Window::waiting(std::vector<int> ranks) const
{
    std::erase(ranks, graph_->graph_info->lists.rank);
    return graph_->waiting(mpi::PublicCall::current()->function(), std::move(ranks));
}

void Window::open(int assertion)
{
    constexpr int for_posts = MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
    if (!sources_->empty()) mpi::check_users(PMPI_Win_post(sources_->group(), assertion & for_posts, win_));
    await_exposure();
    if (!targets_->empty()) mpi::check_users(PMPI_Win_start(targets_->group(), 0, win_));
    set(fenced_, true);
}

void Window::await_exposure()
{
    // MPI_Win_start may block until its targets have posted, and would drive none of our operations.
    const auto& lists = graph_->graph_info->lists;
    requests_.clear();
    for (const int target : targets_->ranks()) {
        if (target == lists.rank) continue;
        mpi::check(PMPI_Irecv(nullptr, 0, MPI_BYTE, target, tag_, private_comm(), &requests_.emplace_back()));
    }
    for (const int source : sources_->ranks()) {
        if (source == lists.rank) continue;
        mpi::check(PMPI_Isend(nullptr, 0, MPI_BYTE, source, tag_, private_comm(), &requests_.emplace_back()));
    }
    const runtime::WaitsFor posts([&] {
        std::vector<int> ranks;
        std::size_t i = 0;
        for (const int target : targets_->ranks()) {
            int flag = 1;
            if (target != lists.rank) mpi::check(PMPI_Test(&requests_[i++], &flag, MPI_STATUS_IGNORE));
            if (flag == 0) ranks.push_back(target);
        }
        return waiting(std::move(ranks));
    });
    runtime::wait_until_on(private_comm(), [&] {
        int flag = 0;
        mpi::check(
            PMPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &flag, MPI_STATUSES_IGNORE));
        return flag != 0;
    });
}

void Window::close()
{
    if (!set(fenced_, false)) return;
    if (!targets_->empty()) mpi::check_users(PMPI_Win_complete(win_));
    if (sources_->empty()) return;
    const runtime::WaitsFor accesses([this] { return waiting(sources_->ranks()); });
    runtime::wait_until([&] {
        int flag = 0;
        mpi::check_users(PMPI_Win_test(win_, &flag));
        return flag != 0;
    });
}

void Window::lock(int type, int rank, int assertion)
{
    require_neighbor(rank, "rank");
    require_no_fence();
    {
        const std::lock_guard guard(mutex_);
        require(locked_.insert(rank).second, ErrorKind::rma_sync, "rank", "rank = ", rank,
                " is locked already");
    }
    if (const int code = PMPI_Win_lock(type, rank, for_locks(assertion), win_); code != MPI_SUCCESS) {
        forget_lock(rank);
        mpi::check_users(code);
    }
}

void Window::unlock(int rank)
{
    require_locked(rank);
    {
        const std::lock_guard guard(mutex_);
        require(!all_locked_, ErrorKind::rma_sync, "rank", "rank = ", rank,
                " is locked with all neighbors, and is to be unlocked with them");
    }
    mpi::check_users(PMPI_Win_unlock(rank, win_));
    forget_lock(rank);
}

void Window::lock_all(int assertion)
{
    require_no_fence();
    require_no_locks("locking all");
    // In ascending order everywhere, so that no two processes wait for each other's locks.
    for (const int rank : targets_->ranks()) lock(MPI_LOCK_SHARED, rank, assertion);
    set(all_locked_, true);
}

void Window::unlock_all()
{
    require(set(all_locked_, false), ErrorKind::rma_sync, "win", "win has no lock on all neighbors");
    for (const int rank : targets_->ranks()) unlock(rank);
}

void Window::flush(int rank, int (*mpi_flush)(int, MPI_Win))
{
    require_locked(rank);
    mpi::check_users(mpi_flush(rank, win_));
}

void Window::flush_all(int (*mpi_flush)(int, MPI_Win))
{
    std::set<int> locked;
    {
        const std::lock_guard guard(mutex_);
        require(all_locked_ || !locked_.empty(), ErrorKind::rma_sync, "win", "win has no locks");
        locked = locked_;
    }
    for (const int rank : locked) mpi::check_users(mpi_flush(rank, win_));
}

void Window::end()
{
    require_no_locks("freeing win");
    const runtime::WaitsFor others([this] { return waiting({}); });
    close();
    // Another thread may be in a collective of the communicator.
    runtime::meet_by_messages(private_comm(), tag_);
}

} // namespace ortho::window
