// SPDX-License-Identifier: BSD-3-Clause
// What a request stands for: something started that ends some time.

#include "engine/task.hpp"

#include <mutex>

#include "mpi/library.hpp"
#include "mpi/quiet.hpp"
#include "mpi/wait.hpp"

namespace ortho::engine {

namespace {

// Recursive: a task that is over, and driven from here, leaves from here.
std::recursive_mutex mutex; // of what follows
std::atomic<std::size_t> number_of_tasks{0};
std::vector<Task*> tasks;
std::vector<std::unique_ptr<Task>> orphans;
bool is_driven = false; // until the farewell

/// At MPI_Finalize all operations must end; those whose requests were freed end here.
void end_orphans()
{
    mpi::wait_until([] {
        Outstanding::progress();
        const std::lock_guard lock(mutex);
        if (orphans.empty()) is_driven = false;
        return orphans.empty();
    });
}

} // namespace

void Outstanding::add(Task& task)
{
    const std::lock_guard lock(mutex);
    if (!is_driven) {
        mpi::progress_of_the_rest.store(&Outstanding::progress, std::memory_order_release);
        mpi::at_farewell(end_orphans, true);
        is_driven = true;
    }
    if (task.position_ != Task::nowhere) return;
    task.position_ = tasks.size();
    tasks.push_back(&task);
    number_of_tasks.store(tasks.size(), std::memory_order_release);
}

void Outstanding::remove(Task& task)
{
    const std::lock_guard lock(mutex);
    if (task.position_ == Task::nowhere) return;
    tasks.back()->position_ = task.position_;
    tasks[task.position_] = tasks.back();
    tasks.pop_back();
    number_of_tasks.store(tasks.size(), std::memory_order_release);
    task.position_ = Task::nowhere;
}

void Outstanding::adopt(std::unique_ptr<Task> task)
{
    const mpi::QuietRequests quiet;
    if (task->advance(true)) {
        remove(*task);
        return;
    }
    const std::lock_guard lock(mutex);
    Task& same = *task;
    orphans.push_back(std::move(task));
    add(same);
}

void Outstanding::progress()
{
    if (number_of_tasks.load(std::memory_order_acquire) == 0) return;
    const mpi::QuietRequests quiet;
    // If another thread is at it, that will do.
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock) return;
    for (std::size_t i = 0; i < tasks.size();) {
        Task& task = *tasks[i];
        if (!task.advance(false)) {
            ++i;
            continue;
        }
        remove(task); // and another one stands at i
        std::erase_if(orphans, [&](const std::unique_ptr<Task>& orphan) { return orphan.get() == &task; });
    }
}

} // namespace ortho::engine
