// SPDX-License-Identifier: BSD-3-Clause
// Operations that must go on while this process waits.

#include "runtime/outstanding_operations.hpp"

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "mpi/quiet_errors.hpp"
#include "runtime/wait.hpp"

namespace ortho::runtime {

namespace {

mpi::Mutex list_mutex; // protects the variables below
std::vector<Driven*> all_driven;
auto& orphans = *new std::vector<std::unique_ptr<Driven>>; // may outlive objects that are destroyed at exit
bool ends_at_finalize = false;

std::atomic<unsigned> calls_to_wake{0};
std::atomic<bool> is_being_driven{false};

/// Completes operations that nobody waits for, at MPI_Finalize.
void end_orphans()
{
    wait_until([] { // drives them
        const std::lock_guard lock(list_mutex);
        if (orphans.empty()) ends_at_finalize = false;
        return orphans.empty();
    });
}

} // namespace

[[gnu::hot]] void OutstandingOperations::add(Driven& driven)
{
    const std::lock_guard lock(list_mutex);
    put_in(driven);
}

/// Called under the lock.
[[gnu::hot]] void OutstandingOperations::put_in(Driven& driven)
{
    if (!std::exchange(ends_at_finalize, true)) mpi::at_finalize(end_orphans, mpi::AtEnd::before_all);
    if (driven.position_ != Driven::nowhere) return;
    driven.position_ = all_driven.size();
    all_driven.push_back(&driven);
    number_.store(all_driven.size(), std::memory_order_release);
    if (all_driven.size() == 1) wake();
}

/// Called under the lock.
[[gnu::hot]] void OutstandingOperations::take_out(Driven& driven)
{
    if (driven.position_ == Driven::nowhere) return;
    all_driven.back()->position_ = driven.position_;
    all_driven[driven.position_] = all_driven.back();
    all_driven.pop_back();
    number_.store(all_driven.size(), std::memory_order_release);
    driven.position_ = Driven::nowhere;
}

[[gnu::hot]] void OutstandingOperations::remove(Driven& driven)
{
    const std::lock_guard lock(list_mutex);
    take_out(driven);
}

void OutstandingOperations::adopt(std::unique_ptr<Driven> driven)
{
    const mpi::QuietRequests quiet;
    Backoff backoff;
    if (driven->advance(true, backoff)) {
        remove(*driven);
        return;
    }
    Driven& same = *driven;
    const std::lock_guard lock(list_mutex);
    same.is_orphan_ = true;
    orphans.push_back(std::move(driven));
    put_in(same);
}

bool OutstandingOperations::wait_for_any(const std::atomic<bool>& ends) noexcept
{
    // A call of wake() after this line ends the sleep, even if the sleep has not begun.
    const unsigned seen = calls_to_wake.load();
    if (!any() && !ends.load()) calls_to_wake.wait(seen);
    return any();
}

[[gnu::hot]] void OutstandingOperations::wake() noexcept
{
    if (!mpi::has_threads()) return; // nobody sleeps
    ++calls_to_wake;
    calls_to_wake.notify_all();
}

[[gnu::hot]] void OutstandingOperations::progress(Backoff& backoff, bool in_thread)
{
    // One thread at a time is enough.
    if (!any() || is_being_driven.exchange(true, std::memory_order_acquire)) return;
    struct Driver {
        ~Driver() { is_being_driven.store(false, std::memory_order_release); }
    } const driver;
    std::optional<mpi::QuietRequests> quiet;
    std::vector<std::unique_ptr<Driven>> ended;
    {
        const std::lock_guard lock(list_mutex);
        for (std::size_t i = 0; i < all_driven.size();) {
            Driven& driven = *all_driven[i];
            if (in_thread && driven.is_orphan_) {
                if (!driven.is_over_ && !driven.takes_mpi()) driven.is_over_ = driven.advance(false, backoff);
                ++i;
                continue;
            }
            if (driven.takes_mpi() && !quiet) quiet.emplace();
            if (!driven.is_over_ && !driven.advance(false, backoff)) {
                ++i;
                continue;
            }
            take_out(driven); // moves another operation to i
            for (std::unique_ptr<Driven>& orphan : orphans)
                if (orphan.get() == &driven) ended.push_back(std::move(orphan));
            std::erase(orphans, nullptr);
        }
    }
}

} // namespace ortho::runtime
