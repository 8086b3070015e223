// SPDX-License-Identifier: BSD-3-Clause
// A virtual process: what it has of MPI, and which one runs.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scheduler.hpp"

namespace loopback {

struct Communicator;
struct Request;
struct Message;
struct Meeting;
struct Keyval;

/// A message on its way, by time of arrival.
struct Arrival {
    std::uint64_t at, number;
    std::shared_ptr<Message> message;
    bool operator<(const Arrival& other) const
    {
        return at != other.at ? at > other.at : number > other.number; // the first one on top
    }
};

/// A part in a collective that needs its process to be inside of MPI so many times.
struct Undriven {
    std::shared_ptr<Meeting> meeting;
    std::size_t member;
    std::uint64_t times;
};

// --- Handles of our own: ints with some MPIs, pointers with others --------------------------------------

template <class Handle>
Handle handle_of(std::uintptr_t number)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<Handle>(number);
    else
        return static_cast<Handle>(number);
}

template <class Handle>
std::uintptr_t number_of(Handle handle)
{
    if constexpr (std::is_pointer_v<Handle>)
        return reinterpret_cast<std::uintptr_t>(handle);
    else
        return static_cast<std::uintptr_t>(static_cast<unsigned>(handle));
}

/// The objects of one kind that a process has handles of.  The last handle that was freed is used again
/// first, as MPIs do.
template <class Handle, class Object, unsigned kind>
class Table {
public:
    Handle add(std::unique_ptr<Object> object)
    {
        std::size_t index = objects_.size();
        if (free_.empty()) {
            objects_.push_back(std::move(object));
        } else {
            index = free_.back();
            free_.pop_back();
            objects_[index] = std::move(object);
        }
        return handle_of<Handle>(base + index * step);
    }

    /// Null if there is none.
    Object* find(Handle handle) const
    {
        const std::uintptr_t offset = number_of(handle) - base;
        return offset / step < objects_.size() && offset % step == 0 ? objects_[offset / step].get()
                                                                     : nullptr;
    }

    std::unique_ptr<Object> remove(Handle handle)
    {
        const std::size_t index = (number_of(handle) - base) / step;
        free_.push_back(index);
        return std::move(objects_[index]);
    }

    template <class F>
    void for_each(F f) const
    {
        for (const auto& object : objects_)
            if (object) f(*object);
    }

private:
    static constexpr std::uintptr_t base = 0x70000000U + (kind << 24U);
    static constexpr std::uintptr_t step = 16; // pointers are aligned
    std::vector<std::unique_ptr<Object>> objects_;
    std::vector<std::size_t> free_;
};

// --- Processes ------------------------------------------------------------------------------------------

struct Process {
    Process();
    ~Process();

    int rank = 0, node = 0;
    bool is_initialized = false, is_finalized = false;
    int thread_level = MPI_THREAD_SINGLE;
    const char* call = nullptr; ///< MPI's function that it is in
    int status = 0;             ///< what main() has returned

    std::unique_ptr<Communicator> world;
    std::unique_ptr<Communicator> self;
    Table<MPI_Comm, Communicator, 1> communicators;
    Table<MPI_Group, std::vector<int>, 2> groups; ///< ranks in MPI_COMM_WORLD
    Table<MPI_Request, Request, 3> requests;
    Table<MPI_Errhandler, MPI_Comm_errhandler_function*, 4> errhandlers;
    Table<MPI_Message, std::shared_ptr<Message>, 5> messages;
    std::vector<std::shared_ptr<Keyval>> keyvals;
    std::priority_queue<Arrival> arrivals;
    std::vector<Undriven> undriven;
    std::vector<std::unique_ptr<Request>> freed_requests; ///< that are under way
};

/// The seed decides these for the whole run.
struct Manner {
    std::uint64_t longest_delay = 0; ///< of a message, in picks
    bool progresses_alone = false;   ///< messages and collectives go on while a process is outside of MPI
    bool collectives_meet = false;   ///< each collective waits for all
    unsigned eager_percent = 50;     ///< of standard sends that complete at once
    unsigned yield_percent = 30;     ///< of calls in which another process may be picked
};

inline Process* me = nullptr; ///< that runs; null: none
inline Scheduler* scheduler = nullptr;
inline Manner manner;
inline std::vector<std::unique_ptr<Process>> processes;
/// MPI's calls so far.
inline std::uint64_t mpi_calls = 0;

/// Ends the run: it has failed.
[[noreturn]] void fail(const std::string& what);

/// Until `done()` others run.
template <class Done>
void wait_until(Done done)
{
    while (!done()) scheduler->wait();
}

} // namespace loopback
