// SPDX-License-Identifier: BSD-3-Clause
// Ballots of the processes of a communicator.

#include "agree/on_comm.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "runtime/internal_collectives.hpp"

namespace ortho::agree {

void hold(MPI_Comm comm, Ballot& ballot)
{
    ballot.hold([comm](std::span<long long> numbers) { runtime::maximize(comm, numbers); });
}

bool all_true(MPI_Comm comm, bool mine)
{
    Ballot ballot;
    const AllTrue all(ballot, mine);
    hold(comm, ballot);
    return all.holds();
}

std::optional<Difference> find_difference(MPI_Comm comm, std::span<const long long> numbers)
{
    Ballot ballot;
    std::vector<AllEqual> slots;
    for (const long long number : numbers) slots.emplace_back(ballot, number);
    hold(comm, ballot);
    const auto slot = std::ranges::find_if_not(slots, &AllEqual::holds);
    if (slot == slots.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(slot - slots.begin());
    const int rank = mpi::rank_of(comm);
    const auto said_by = [&](int speaker) {
        Ballot question;
        Largest answer(question);
        if (rank == speaker) answer.say(numbers[index]);
        hold(comm, question);
        return answer.value();
    };
    const long long on_rank_0 = said_by(0);
    Ballot question;
    Smallest other(question);
    if (numbers[index] != on_rank_0) other.say(rank);
    hold(comm, question);
    const int lowest = other.value<int>();
    return Difference{index, on_rank_0, lowest, said_by(lowest)};
}

std::string words_of(MPI_Comm comm, const AllEqual& slot, std::optional<long long> mine)
{
    Ballot ballot;
    Smallest first_with_least(ballot);
    Smallest first_with_most(ballot);
    const int rank = mpi::rank_of(comm);
    if (mine == slot.least()) first_with_least.say(rank);
    if (mine == slot.value()) first_with_most.say(rank);
    hold(comm, ballot);
    return base::text(slot.least(), " on rank ", first_with_least.value(), " and ", slot.value(), " on rank ",
                      first_with_most.value());
}

} // namespace ortho::agree
