// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_groups.hpp"

#include <algorithm>
#include <memory>

#include "communicators.hpp"
#include "mpi_errors.hpp"

namespace loopback {

namespace {

int rank_in(const std::vector<int>& members, int process)
{
    const auto found = std::ranges::find(members, process);
    return found == members.end() ? MPI_UNDEFINED : static_cast<int>(found - members.begin());
}

MPI_Group add(std::vector<int> members)
{
    if (members.empty()) return MPI_GROUP_EMPTY;
    return me->groups.add(std::make_unique<Group>(Group{std::move(members)}));
}

} // namespace

const std::vector<int>& members_of(MPI_Group group)
{
    static const std::vector<int> nobody;
    if (group == MPI_GROUP_EMPTY) return nobody;
    const Group* const result = me->groups.find(group);
    require(result != nullptr, MPI_ERR_GROUP);
    return result->members;
}

} // namespace loopback

using namespace loopback;

PLAYED(int, Comm_group, MPI_Comm comm, MPI_Group* group)
{
    return play_local("MPI_Comm_group", [&] {
        const Communicator& c = communicator(comm);
        *group = add(c.context->members[c.side]);
    });
}

PLAYED(int, Group_size, MPI_Group group, int* size)
{
    return play_local("MPI_Group_size", [&] { *size = static_cast<int>(members_of(group).size()); });
}

PLAYED(int, Group_rank, MPI_Group group, int* rank)
{
    return play_local("MPI_Group_rank", [&] { *rank = rank_in(members_of(group), me->rank); });
}

PLAYED(int, Group_incl, MPI_Group group, int n, const int* ranks, MPI_Group* result)
{
    return play_local("MPI_Group_incl", [&] {
        const std::vector<int>& members = members_of(group);
        std::vector<int> chosen;
        for (int i = 0; i < n; ++i) {
            require(ranks[i] >= 0 && ranks[i] < static_cast<int>(members.size()), MPI_ERR_RANK);
            chosen.push_back(members[static_cast<std::size_t>(ranks[i])]);
        }
        *result = add(std::move(chosen));
    });
}

PLAYED(int, Group_translate_ranks, MPI_Group from, int n, const int* ranks, MPI_Group to, int* result)
{
    return play_local("MPI_Group_translate_ranks", [&] {
        const std::vector<int>& members = members_of(from);
        const std::vector<int>& others = members_of(to);
        for (int i = 0; i < n; ++i) {
            if (ranks[i] == MPI_PROC_NULL) {
                result[i] = MPI_PROC_NULL;
                continue;
            }
            require(ranks[i] >= 0 && ranks[i] < static_cast<int>(members.size()), MPI_ERR_RANK);
            result[i] = rank_in(others, members[static_cast<std::size_t>(ranks[i])]);
        }
    });
}

PLAYED(int, Group_free, MPI_Group* group)
{
    return play_local("MPI_Group_free", [&] {
        members_of(*group); // looks whether there is one
        if (*group != MPI_GROUP_EMPTY) me->groups.remove(*group);
        *group = MPI_GROUP_NULL;
    });
}
