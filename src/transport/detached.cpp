// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase as one collective of MPI's.

#include "transport/detached.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"

namespace ortho::transport {

namespace {

/// How long the arrays must be.  On communicators that carry a graph Open MPI 4 takes those of
/// MPI_Ialltoallw for a neighborhood collective's, and looks at as many datatypes as there are edges.
std::size_t room_for(MPI_Comm comm)
{
    const int room = mpi::size_of(comm);
    const int topology = mpi::topology_of(comm);
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (topology == MPI_DIST_GRAPH)
        mpi::check_users(PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
    else if (topology == MPI_GRAPH)
        mpi::check_users(PMPI_Graph_neighbors_count(comm, mpi::rank_of(comm), &in));
    return static_cast<std::size_t>(std::max({room, in, out}));
}

/// An MPI_Alltoallw in which a phase's partners alone have anything to say.
class AllToAll final : public Messages {
public:
    explicit AllToAll(MPI_Comm comm) : send_(room_for(comm)), receive_(send_), displacements_(send_.counts) {}

    /// MPI's error code, which MPI has raised on the communicator.
    int post(MPI_Comm comm, MPI_Request* request) const
    {
        return PMPI_Ialltoallw(MPI_BOTTOM, send_.counts.data(), displacements_.data(), send_.types.data(),
                               MPI_BOTTOM, receive_.counts.data(), displacements_.data(),
                               receive_.types.data(), comm, request);
    }

private:
    struct Side {
        explicit Side(std::size_t room) : counts(room, 0), types(room, MPI_BYTE) {}
        std::vector<int> counts;
        std::vector<MPI_Datatype> types;
    };

    void add_receive(int partner, const std::vector<Place>& data, Layouts& layouts, int) override
    {
        add(receive_, partner, layouts.combine(data));
    }
    void add_send(int partner, const std::vector<Place>& data, Layouts& layouts) override
    {
        add(send_, partner, layouts.combine(data));
    }

    void add(Side& side, int rank, const Place& place)
    {
        const auto partner = static_cast<std::size_t>(rank);
        base::require(side.counts[partner] == 0, base::ErrorKind::intern, "schedule",
                      "two messages to one process in a phase");
        // The displacements of MPI_Alltoallw are ints: addresses go into types.
        MPI_Aint address = 0;
        if (place.address != MPI_BOTTOM) mpi::check(PMPI_Get_address(place.address, &address));
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const int count = place.elements();
        mpi::check(PMPI_Type_create_struct(1, &count, &address, &place.type, &type));
        made_.emplace_back(type);
        mpi::check(PMPI_Type_commit(&type));
        side.counts[partner] = 1;
        side.types[partner] = type;
    }

    Side send_;
    Side receive_;
    std::vector<int> displacements_; // all 0: addresses are in the types
    std::vector<mpi::Datatype> made_;
};

class DetachedPassage final : public Passage {
public:
    explicit DetachedPassage(MPI_Comm user_comm) : user_comm_(user_comm) {}

    void reserve(const Messages&) override {}
    void post(const Messages& messages, Stamp) override
    {
        error_ = nullptr;
        note(static_cast<const AllToAll&>(messages).post(user_comm_, &request_));
    }
    bool advance(mpi::Backoff&) override
    {
        if (request_ == MPI_REQUEST_NULL) return true;
        int flag = 0;
        const int code = mpi::test(&request_, &flag);
        if (code != MPI_SUCCESS) {
            note(code);
            request_ = MPI_REQUEST_NULL; // it is not asked again
        }
        return request_ == MPI_REQUEST_NULL;
    }
    bool has_arrived(std::size_t) override
    {
        mpi::Backoff backoff;
        return advance(backoff);
    }
    void add_waiting_for(std::set<int>&) override {}         // it is not known for whom
    void abandon(std::span<const Misfit>, Stamp) override {} // such calls are not verified

private:
    void note(int code)
    {
        if (code != MPI_SUCCESS) keep(std::make_exception_ptr(mpi::Failure(code)));
    }

    MPI_Comm user_comm_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

class Detached final : public Transport {
public:
    explicit Detached(MPI_Comm user_comm) : user_comm_(user_comm) {}

    bool reaches(int, std::size_t, std::size_t) const override { return true; }
    std::unique_ptr<Messages> bind() override { return std::make_unique<AllToAll>(user_comm_); }
    std::unique_ptr<Passage> passage(const Labels&) override
    {
        return std::make_unique<DetachedPassage>(user_comm_);
    }
    bool all_take_part() const override { return true; }

private:
    MPI_Comm user_comm_;
};

} // namespace

std::shared_ptr<Transport> detached(MPI_Comm user_comm) { return std::make_shared<Detached>(user_comm); }

} // namespace ortho::transport
