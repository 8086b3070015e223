// SPDX-License-Identifier: BSD-3-Clause
// Errors of some processes, told to all.

#include "topology/error_consensus.hpp"

#include <span>
#include <string>
#include <utility>

#include "mpi/comm.hpp"
#include "mpi/public_call.hpp"
#include "runtime/internal_collectives.hpp"
#include "runtime/wait.hpp"

namespace ortho::topology {

ErrorConsensus::ErrorConsensus(MPI_Comm comm, std::optional<base::Error> mine, std::uint64_t number)
    : comm_(comm),
      mine_(std::move(mine)),
      number_(ballot_, static_cast<long long>(number)),
      finder_(ballot_, mine_ ? mpi::rank_of(comm) : nobody)
{
    const std::span<long long> numbers = ballot_.numbers();
    mpi::check(PMPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG_LONG,
                               MPI_MAX, comm_, &request_));
}

bool ErrorConsensus::advance()
{
    int flag = 0;
    mpi::check(runtime::test(&request_, &flag));
    if (flag == 0) return false;
    mpi::PublicCall::meet();
    if (finder() == nobody || asked_) return true;
    ask_for_text();
    return false;
}

void ErrorConsensus::ask_for_text()
{
    asked_ = true;
    if (finder() == mpi::rank_of(comm_)) {
        message_.kind = static_cast<int>(mine_->kind());
        std::string(mine_->argument()).copy(message_.argument, sizeof message_.argument - 1);
        std::string(mine_->what()).copy(message_.text, sizeof message_.text - 1);
    }
    mpi::check(PMPI_Ibcast(&message_, sizeof message_, MPI_BYTE, finder(), comm_, &request_));
}

void ErrorConsensus::rethrow() const
{
    if (mine_) throw *mine_;
    if (finder() != nobody)
        throw base::Error(static_cast<base::ErrorKind>(message_.kind), message_.argument, message_.text);
}

void fail_if_any(MPI_Comm comm, std::optional<base::Error> mine)
{
    long long is_wrong[] = {mine ? 1 : 0};
    runtime::maximize(comm, is_wrong);
    if (is_wrong[0] == 0) return;
    ErrorConsensus verdict(comm, std::move(mine));
    runtime::wait_until_on(comm, [&] { return verdict.advance(); });
    verdict.rethrow();
}

} // namespace ortho::topology
