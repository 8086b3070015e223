// SPDX-License-Identifier: BSD-3-Clause
// A virtual process: what it has of MPI, and which one runs.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "handles.hpp"
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
