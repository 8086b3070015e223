// SPDX-License-Identifier: BSD-3-Clause
// Messages of the library itself, with our way to wait.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "grid/nodes.hpp"
#include "mpi/comm.hpp"
#include "mpi/failure.hpp"
#include "mpi/public_call.hpp"
#include "runtime/wait.hpp"

namespace ortho::runtime {

/// Returns when the bytes may be written again.
inline void send(MPI_Comm comm, int partner, int tag, std::span<const std::byte> bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(
        PMPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, partner, tag, comm, &request));
    wait(request, comm);
}

/// Returns when the bytes are here.
inline void receive(MPI_Comm comm, int partner, int tag, std::span<std::byte> bytes)
{
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(
        PMPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, partner, tag, comm, &request));
    wait(request, comm);
}

/// Messages that are under way at the same time.
class Posted {
public:
    Posted(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}
    Posted(const Posted&) = delete;
    Posted& operator=(const Posted&) = delete;
    /// After an error, messages that have not arrived never will.
    ~Posted()
    {
        for (MPI_Request& request : receives_) {
            if (request == MPI_REQUEST_NULL) continue;
            PMPI_Cancel(&request);
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }

    /// The bytes must stay until wait() has returned.
    void receive(int partner, std::span<std::byte> bytes)
    {
        MPI_Request& request = receives_.emplace_back(MPI_REQUEST_NULL);
        mpi::check(PMPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, partner, tag_, comm_,
                              &request));
    }
    void send(int partner, std::span<const std::byte> bytes)
    {
        MPI_Request& request = sends_.emplace_back(MPI_REQUEST_NULL);
        mpi::check(PMPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, partner, tag_, comm_,
                              &request));
    }
    /// Waits until all messages are complete.
    void wait()
    {
        wait_until_on(comm_, [this] { return are_through(); });
    }
    bool are_through()
    {
        for (auto* const requests : {&receives_, &sends_})
            for (MPI_Request& request : *requests) {
                if (request == MPI_REQUEST_NULL) continue;
                int flag = 0;
                mpi::check(test(&request, &flag));
                if (flag == 0) return false;
            }
        return true;
    }

private:
    MPI_Comm comm_;
    int tag_;
    std::vector<MPI_Request> receives_;
    std::vector<MPI_Request> sends_;
};

/// The element-wise maximum over the processes with these ranks, on all of them, by messages.  Nothing else
/// uses the tag meanwhile, so other threads may run collectives on the communicator.  In each round a process
/// hears of twice as many processes.  `me`: an index.
inline void maximize_among(MPI_Comm comm, int tag, std::span<const int> ranks, std::size_t me,
                           std::span<long long> numbers)
{
    const std::size_t size = ranks.size();
    std::vector<long long> heard(numbers.size());
    for (std::size_t distance = 1; distance < size; distance *= 2) {
        Posted messages(comm, tag);
        messages.receive(ranks[(me + size - distance) % size], std::as_writable_bytes(std::span(heard)));
        messages.send(ranks[(me + distance) % size], std::as_bytes(numbers));
        messages.wait();
        std::ranges::transform(numbers, heard, numbers.begin(), std::ranges::max);
    }
}

/// The element-wise maximum over all processes, everywhere, in the same way: collectives of other threads on
/// the communicator are no matter.  `nodes`: null for one.  If there are several nodes, the first process of
/// each speaks for the others, so that there are few connections between nodes.
inline void maximize_by_messages(MPI_Comm comm, int tag, const grid::Nodes* nodes,
                                 std::span<long long> numbers)
{
    const int me = mpi::rank_of(comm);
    std::vector<int> speakers;
    if (nodes == nullptr) {
        speakers.resize(static_cast<std::size_t>(mpi::size_of(comm)));
        std::iota(speakers.begin(), speakers.end(), 0);
        maximize_among(comm, tag, speakers, static_cast<std::size_t>(me), numbers);
        return mpi::PublicCall::meet();
    }
    const int node = nodes->of(me);
    const std::span<const int> members = nodes->members(node);
    if (me != members.front()) {
        send(comm, members.front(), tag, std::as_bytes(numbers));
        receive(comm, members.front(), tag, std::as_writable_bytes(numbers));
        return mpi::PublicCall::meet();
    }
    std::vector<long long> heard(numbers.size());
    for (const int member : members.subspan(1)) {
        receive(comm, member, tag, std::as_writable_bytes(std::span(heard)));
        std::ranges::transform(numbers, heard, numbers.begin(), std::ranges::max);
    }
    for (int i = 0; i < nodes->count(); ++i) speakers.push_back(nodes->members(i).front());
    maximize_among(comm, tag, speakers, static_cast<std::size_t>(node), numbers);
    Posted messages(comm, tag);
    for (const int member : members.subspan(1)) messages.send(member, std::as_bytes(numbers));
    messages.wait();
    mpi::PublicCall::meet();
}

/// Waits until all processes are here, as nonblocking_barrier() does, but by messages.
inline void meet_by_messages(MPI_Comm comm, int tag)
{
    long long nothing[] = {0};
    maximize_by_messages(comm, tag, nullptr, nothing);
}

} // namespace ortho::runtime
