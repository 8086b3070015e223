// SPDX-License-Identifier: BSD-3-Clause
// The library's life between MPI_Init and MPI_Finalize.

#include "mpi/library.hpp"

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/failure.hpp"

namespace ortho::mpi {

namespace {

enum class Life { unborn, running, over };

std::atomic<Life> life{Life::unborn};
std::mutex mutex; // of what follows
std::vector<std::function<void()>> actions;
std::vector<std::function<void()>> first_actions;

extern "C" int ortho_farewell(MPI_Comm, int, void*, void*)
{
    for (auto* list : {&first_actions, &actions}) {
        std::vector<std::function<void()>> last;
        {
            const std::lock_guard lock(mutex);
            last.swap(*list);
        }
        for (auto action = last.rbegin(); action != last.rend(); ++action) (*action)();
    }
    life.store(Life::over);
    return MPI_SUCCESS;
}

void start()
{
    const std::lock_guard lock(mutex);
    if (life.load() == Life::running) return;
    int initialized = 0;
    int finalized = 0;
    check(PMPI_Initialized(&initialized));
    check(PMPI_Finalized(&finalized));
    base::require(initialized != 0 && finalized == 0 && life.load() != Life::over,
                  base::ErrorKind::other, "MPI_Init", "called before MPI_Init or after MPI_Finalize");
    int keyval = MPI_KEYVAL_INVALID;
    check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ortho_farewell, &keyval, nullptr));
    check(PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr));
    check(PMPI_Comm_free_keyval(&keyval)); // it lives on until the attribute is deleted
    life.store(Life::running);
}

} // namespace

void require_running()
{
    if (life.load(std::memory_order_acquire) != Life::running) start();
}

bool is_running() noexcept { return life.load() == Life::running; }

void at_farewell(std::function<void()> action, bool before_all)
{
    const std::lock_guard lock(mutex);
    (before_all ? first_actions : actions).push_back(std::move(action));
}

} // namespace ortho::mpi
