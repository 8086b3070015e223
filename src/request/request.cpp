// SPDX-License-Identifier: BSD-3-Clause
// The memory of requests.  It is never given back, so that a handle that was never set, or whose request was
// freed, is an error and no crash.

#include "request/request.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "mpi/library_lifetime.hpp"
#include "mpi/mutex.hpp"
#include "runtime/stall_report.hpp"

namespace ortho::request {

namespace {

constexpr std::size_t in_first_slab = 64; // each slab has room for twice as many as the one before

void report_left();

class Slabs {
public:
    ORTHO_Request take()
    {
        const std::lock_guard lock(mutex_);
        if (first_ == ORTHO_REQUEST_NULL) grow();
        ORTHO_Request const request = first_;
        first_ = request->next;
        return request;
    }
    void give_back(ORTHO_Request request)
    {
        const std::lock_guard lock(mutex_);
        append(request);
    }
    template <class See>
    void show_live(See see) const
    {
        for (std::size_t k = 0; k < slabs_.size(); ++k) {
            ORTHO_Request const slab = slabs_[k].load(std::memory_order_acquire);
            if (slab == nullptr) return;
            for (std::size_t i = 0; i < in_first_slab << k; ++i)
                if (slab[i].live) see(slab[i]);
        }
    }
    bool have(ORTHO_Request request) const noexcept
    {
        const auto address = reinterpret_cast<std::uintptr_t>(request);
        for (std::size_t k = 0; k < slabs_.size(); ++k) {
            const auto begin = reinterpret_cast<std::uintptr_t>(slabs_[k].load(std::memory_order_acquire));
            if (begin == 0) return false;
            const std::uintptr_t offset = address - begin; // large if it lies before
            if (offset < (in_first_slab << k) * sizeof(ORTHO_Request_s))
                return offset % sizeof(ORTHO_Request_s) == 0;
        }
        return false;
    }

private:
    /// To the end of the queue: the longer nobody else has it, the longer is the user's old handle known as
    /// one.
    void append(ORTHO_Request request)
    {
        request->next = ORTHO_REQUEST_NULL;
        (first_ == ORTHO_REQUEST_NULL ? first_ : last_->next) = request;
        last_ = request;
    }
    void grow()
    {
        std::size_t k = 0;
        while (slabs_.at(k).load(std::memory_order_relaxed) != nullptr) ++k;
        if (k == 0) mpi::at_finalize(report_left, mpi::AtEnd::before_all);
        const std::size_t n = in_first_slab << k;
        auto slab = std::make_unique<ORTHO_Request_s[]>(n);
        for (std::size_t i = 0; i < n; ++i) append(&slab[i]);
        slabs_[k].store(slab.release(), std::memory_order_release);
    }

    std::array<std::atomic<ORTHO_Request>, 32> slabs_{};
    ORTHO_Request first_ = ORTHO_REQUEST_NULL; // of the free ones
    ORTHO_Request last_ = ORTHO_REQUEST_NULL;
    mpi::Mutex mutex_;
};

Slabs& slabs()
{
    static auto* const all = new Slabs; // requests may outlive what is destroyed at exit
    return *all;
}

/// At MPI_Finalize, where calls are verified: what the program has left.
void report_left()
{
    if (!runtime::any_verified) return;
    std::map<std::string, int> numbers;
    slabs().show_live([&](const ORTHO_Request_s& request) {
        const runtime::Waiting left = request.task->waiting();
        ++numbers[base::text(left.function, left.which, " on ", left.title, ": rank ", left.rank,
                             request.active ? " has not completed " : " has not freed ")];
    });
    for (const auto& [words, number] : numbers)
        std::fputs(
            base::text("mpiortho: MPI_Finalize: ", words, base::counted(number, "request"), '\n').c_str(),
            stderr);
}

} // namespace

[[gnu::hot]] ORTHO_Request make_request(std::unique_ptr<Task> task, bool persistent)
{
    ORTHO_Request const request = slabs().take();
    request->task = std::move(task);
    request->persistent = persistent;
    request->active = !persistent;
    request->live = true;
    try {
        if (request->active) runtime::OutstandingOperations::add(*request->task);
    } catch (...) {
        end_request(request);
        throw;
    }
    return request;
}

[[gnu::hot]] void end_request(ORTHO_Request request) noexcept
{
    request->live = false;
    request->task.reset();
    slabs().give_back(request);
}

[[gnu::hot]] bool is_live(ORTHO_Request request) noexcept
{
    return slabs().have(request) && request->live.load(std::memory_order_relaxed);
}

} // namespace ortho::request
