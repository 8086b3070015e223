// SPDX-License-Identifier: BSD-3-Clause
// An exchange of messages whose receivers know neither who sends, nor how much.

#include "sparse/sparse_exchange.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/index.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/failure.hpp"
#include "mpi/keyval.hpp"
#include "mpi/library_lifetime.hpp"
#include "runtime/wait.hpp"
#include "topology/private_comm.hpp"

namespace ortho::sparse {

namespace {

/// The attribute of the user's communicator.
struct SparseAttribute final : mpi::Attached {
    std::shared_ptr<SparseComm> comm = std::make_shared<SparseComm>();
};

mpi::CommAttribute<SparseAttribute> sparse_comms;

} // namespace

std::shared_ptr<SparseComm> SparseComm::of(MPI_Comm user)
{
    if (const auto* const found = sparse_comms.find(user)) return found->comm;
    return sparse_comms.attach(user, std::make_unique<SparseAttribute>()).comm;
}

void SparseComm::make(MPI_Comm user)
{
    runtime::wait_until_on(user, [&] { return is_made(); });
    if (!comm_) comm_ = topology::make_own(user);
}

void SparseComm::begin_to_make(MPI_Comm user)
{
    const std::lock_guard lock(mutex_);
    if (comm_ || next_ != MPI_COMM_NULL) return;
    // MPI has no other call that makes one without waiting.  It runs the program's functions that copy
    // attributes.
    mpi::check_users(PMPI_Comm_idup(user, &next_, &request_));
}

bool SparseComm::is_made()
{
    const std::lock_guard lock(mutex_);
    if (next_ == MPI_COMM_NULL) return true;
    int flag = 0;
    mpi::check(runtime::test(&request_, &flag));
    if (flag == 0) return false;
    comm_ = topology::taken_over(mpi::Comm(std::exchange(next_, MPI_COMM_NULL)));
    return true;
}

namespace {

constexpr long long wrong = -1;

} // namespace

SparseExchange::SparseExchange(std::shared_ptr<SparseComm> comm, std::vector<SparseMessage> out,
                               std::optional<base::Error> mine)
    : comm_(std::move(comm)),
      out_(std::move(out)),
      mine_(std::move(mine)),
      number_(comm_->take_number())
{
    if (mine_) out_.clear();
}

bool SparseExchange::advance()
{
    if (state_ == State::over) return true;
    if (!comm_->has_turn(number_)) return false;
    try {
        if (!go_on()) return false;
    } catch (...) {
        state_ = State::over;
        comm_->end_turn();
        throw;
    }
    comm_->end_turn();
    return true;
}

bool SparseExchange::go_on()
{
    switch (state_) {
    case State::connecting:
        if (!comm_->is_made()) return false;
        begin();
        return state_ == State::over;
    case State::counting:
        if (!counts_->advance()) return false;
        theirs_to_me_ = counts_->result();
        begin_to_receive();
        return state_ == State::over;
    case State::receiving_known:
        if (!are_complete()) return false;
        end(std::ranges::find(theirs_to_me_, wrong) != theirs_to_me_.end());
        return state_ == State::over;
    case State::probing: return go_on_probing();
    case State::agreeing:
        if (!consensus_->advance()) return false;
        state_ = State::over;
        return true;
    case State::over: return true;
    }
    return true;
}

void SparseExchange::begin()
{
    MPI_Comm const comm = comm_->get();
    rank_ = mpi::rank_of(comm);
    const int processes = mpi::size_of(comm);
    const auto to_myself = std::ranges::find(out_, rank_, &SparseMessage::partner);
    if (to_myself != out_.end()) {
        in_.push_back(std::move(*to_myself));
        out_.erase(to_myself);
    }
    if (processes <= most_counted) {
        std::vector<long long> mine_to(at(processes), mine_ ? wrong : 0);
        for (const SparseMessage& message : out_)
            mine_to[at(message.partner)] = static_cast<long long>(message.length);
        state_ = State::counting;
        counts_ = std::make_unique<CountExchange>(comm, tag() + 2, mine_to);
        // They travel meanwhile: whoever gets them hears so in any case.
        for (SparseMessage& message : out_) post(message, true, false);
        return;
    }
    state_ = State::probing;
    any_wrong_ = mine_ ? 1 : 0;
    for (SparseMessage& message : out_) post(message, true, true);
}

void SparseExchange::begin_to_receive()
{
    state_ = State::receiving_known;
    for (int rank = 0; rank < std::ssize(theirs_to_me_); ++rank)
        if (theirs_to_me_[at(rank)] > 0)
            in_.emplace_back(rank, static_cast<std::size_t>(theirs_to_me_[at(rank)]));
    for (SparseMessage& message : in_)
        if (message.partner != rank_) post(message, false, false);
}

void SparseExchange::post(SparseMessage& message, bool is_send, bool is_synchronous)
{
    const transport::DataLocation place = layouts_.bytes_at(message.bytes.get(), message.length);
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    const auto send = is_synchronous ? PMPI_Issend : PMPI_Isend;
    mpi::check(is_send ? send(place.address, place.elements(), place.type, message.partner, tag(),
                              comm_->get(), &request)
                       : PMPI_Irecv(place.address, place.elements(), place.type, message.partner, tag(),
                                    comm_->get(), &request));
}

bool SparseExchange::are_complete()
{
    for (; completed_ < requests_.size(); ++completed_) {
        int flag = 0;
        mpi::check(runtime::test(&requests_[completed_], &flag));
        if (flag == 0) return false;
    }
    return true;
}

/// Takes in what has come.
void SparseExchange::probe()
{
    for (;;) {
        int flag = 0;
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        mpi::check(PMPI_Improbe(MPI_ANY_SOURCE, tag(), comm_->get(), &flag, &message, &status));
        if (flag == 0) return;
        MPI_Count bytes = 0;
        mpi::check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
        SparseMessage& arrived = in_.emplace_back(status.MPI_SOURCE, static_cast<std::size_t>(bytes));
        const transport::DataLocation place = layouts_.bytes_at(arrived.bytes.get(), arrived.length);
        mpi::check(PMPI_Imrecv(place.address, place.elements(), place.type, &message,
                               &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
}

bool SparseExchange::go_on_probing()
{
    probe();
    if (!are_complete()) return false;
    if (!asks_) {
        asks_ = true;
        mpi::check(PMPI_Iallreduce(MPI_IN_PLACE, &any_wrong_, 1, MPI_LONG_LONG, MPI_MAX, comm_->get(),
                                   &collective_));
    }
    int flag = 0;
    mpi::check(runtime::test(&collective_, &flag));
    // A sender answers once this process has begun to receive its message.
    if (flag == 0) return false;
    end(any_wrong_ != 0);
    return state_ == State::over;
}

void SparseExchange::end(bool any_wrong)
{
    out_.clear();
    std::ranges::sort(in_, {}, &SparseMessage::partner);
    state_ = State::over;
    if (!any_wrong) return;
    in_.clear();
    state_ = State::agreeing;
    consensus_.emplace(comm_->get(), mine_);
}

void SparseExchange::rethrow() const
{
    if (consensus_) consensus_->rethrow();
}

Started start(MPI_Comm user, const Prepare& prepare)
{
    const std::shared_ptr<SparseComm> comm = SparseComm::of(user);
    comm->begin_to_make(user);
    const auto refuse = [&](base::ErrorKind kind, const char* argument, const char* what) {
        const base::Error told(kind, argument, base::text("on rank ", mpi::rank_of(user), ", ", what));
        return Started{std::make_shared<SparseExchange>(comm, std::vector<SparseMessage>(), told),
                       std::current_exception()};
    };
    try {
        mpi::rethrow_refusal();
        return {std::make_shared<SparseExchange>(comm, prepare()), nullptr};
    } catch (const base::Error& error) {
        return refuse(error.kind(), error.argument(), error.what());
    } catch (...) {
        return refuse(base::ErrorKind::other, "arguments", "the call failed");
    }
}

std::shared_ptr<SparseExchange> run(MPI_Comm user, const Prepare& prepare)
{
    SparseComm::of(user)->make(user);
    const Started started = start(user, prepare);
    runtime::wait_until_on(user, [&] { return started.exchange->advance(); });
    if (started.refusal) std::rethrow_exception(started.refusal);
    started.exchange->rethrow();
    return started.exchange;
}

} // namespace ortho::sparse
