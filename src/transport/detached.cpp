// SPDX-License-Identifier: BSD-3-Clause
// The messages of a phase as one collective of MPI's.

#include "transport/transport.hpp"

#include <cstddef>
#include <list>
#include <vector>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/failure.hpp"
#include "mpi/ialltoallw.hpp"
#include "mpi/process_failure.hpp"
#include "mpi/quiet_errors.hpp"

namespace ortho::transport {

namespace {

/// The messages of a phase.
class AllToAll final : public Messages {
public:
    explicit AllToAll(MPI_Comm comm) : exchange_(comm) {}

    int start(MPI_Comm comm, MPI_Request* request) const { return exchange_.start(comm, request); }

private:
    void add_receive(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                     Label label) override
    {
        add(exchange_.receive, partner, label.is_signal ? signal() : layouts.combine(data));
    }
    void add_send(int partner, const std::vector<DataLocation>& data, BoundDatatypes& layouts,
                  Label label) override
    {
        add(exchange_.send, partner, label.is_signal ? signal() : layouts.combine(data));
    }
    /// A byte, because MPIs neither send nor await a message of nothing.
    DataLocation signal() { return {&signals_.emplace_back(), 1, MPI_BYTE}; }

    void add(mpi::Ialltoallw::Side& side, int partner, const DataLocation& place)
    {
        base::require(!side.has(partner), base::ErrorKind::intern, "schedule",
                      "two messages to one process in a phase");
        MPI_Aint address = 0;
        if (place.address != MPI_BOTTOM) mpi::check(PMPI_Get_address(place.address, &address));
        MPI_Datatype type = MPI_DATATYPE_NULL;
        const int count = place.elements();
        mpi::check(PMPI_Type_create_struct(1, &count, &address, &place.type, &type));
        made_.emplace_back(type);
        mpi::check(PMPI_Type_commit(&type));
        side.set(partner, type);
    }

    mpi::Ialltoallw exchange_;
    std::vector<mpi::Datatype> made_;
    std::list<std::byte> signals_;
};

class DetachedPassage final : public Passage {
public:
    explicit DetachedPassage(MPI_Comm user_comm) : user_comm_(user_comm) {}

    void reserve(const Messages&) override {}
    void post(const Messages& messages, Stamp) override
    {
        error_ = nullptr;
        const int code = static_cast<const AllToAll&>(messages).start(user_comm_, &request_);
        if (code != MPI_SUCCESS)
            keep(std::make_exception_ptr(mpi::Failure(code, mpi::Failure::Raised::by_mpi)));
    }
    bool advance(runtime::Backoff&) override
    {
        if (request_ == MPI_REQUEST_NULL) return true;
        int flag = 0;
        const int code = runtime::test(&request_, &flag);
        if (code != MPI_SUCCESS) {
            // An MPI with ULFM raises it on that communicator.
            const auto raised = mpi::processes_may_fail() ? mpi::QuietRequests::raised_by()
                                                          : mpi::Failure::Raised::no;
            keep(std::make_exception_ptr(mpi::Failure(code, raised)));
            request_ = MPI_REQUEST_NULL; // it is not asked again
        }
        return request_ == MPI_REQUEST_NULL;
    }
    bool has_arrived(std::size_t) override
    {
        runtime::Backoff backoff;
        return advance(backoff);
    }
    void add_waiting_for(std::set<int>&) override {} // it is not known for whom

private:
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
