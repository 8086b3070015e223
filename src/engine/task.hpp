// SPDX-License-Identifier: BSD-3-Clause
// What a request stands for: something started that ends some time.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "mpi/stall.hpp"

namespace ortho::engine {

/// A non-blocking or persistent operation.  One thread at a time starts and completes it; any thread
/// that waits for something may drive it.
class Task {
public:
    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    /// Start it, for the first time or again once it is over.
    virtual void start() = 0;
    /// The same for processes that all stay in the library until it is over; the same as start() where that
    /// makes no difference.
    virtual void start_to_run() { start(); }

    /// Go on as far as possible without waiting; true once it is over.  `eager`: wait for the lock
    /// of the communicator, else pass by if some thread has it.
    virtual bool advance(bool eager) = 0;

    /// Throws what went wrong, if anything did.  Once it is over.
    virtual void rethrow() const = 0;

    /// Has the receive block of this index arrived?  Throws base::Error (arg) for what is no index.
    virtual bool has_arrived(int slot) = 0;

    /// What was chosen, and why, in words.
    virtual std::string explanation() const = 0;

    /// For whom it waits.
    virtual mpi::Waiting waiting() = 0;

    /// Whose error handler is called.
    virtual MPI_Comm error_comm() const noexcept = 0;

private:
    friend class Outstanding;
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    std::size_t position_ = nowhere; // in the list of outstanding tasks
};

/// The tasks of this process that are under way.
class Outstanding {
public:
    /// Enlist a task that has been started; it leaves by itself when it is over.
    static void add(Task& task);
    /// A task that is no more.
    static void remove(Task& task);
    /// Keep a task whose request was freed until it is over.
    static void adopt(std::unique_ptr<Task> task);
    /// Drive them all.
    static void progress();
};

} // namespace ortho::engine
