// SPDX-License-Identifier: BSD-3-Clause
// Groups: lists of ranks in MPI_COMM_WORLD.
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
    return me->groups.add(std::make_unique<std::vector<int>>(std::move(members)));
}

} // namespace

const std::vector<int>& members_of(MPI_Group group)
{
    static const std::vector<int> nobody;
    if (group == MPI_GROUP_EMPTY) return nobody;
    const std::vector<int>* const result = me->groups.find(group);
    require(result != nullptr, MPI_ERR_GROUP);
    return *result;
}

} // namespace loopback

using namespace loopback;

LOCAL(Comm_group, MPI_Comm comm, MPI_Group* group)
{
    const Communicator& c = communicator(comm);
    *group = add(c.context->members[c.side]);
}

LOCAL(Group_size, MPI_Group group, int* size) { *size = static_cast<int>(members_of(group).size()); }

LOCAL(Group_rank, MPI_Group group, int* rank) { *rank = rank_in(members_of(group), me->rank); }

LOCAL(Group_incl, MPI_Group group, int n, const int* ranks, MPI_Group* result)
{
    const std::vector<int>& members = members_of(group);
    std::vector<int> chosen;
    for (int i = 0; i < n; ++i) {
        require(ranks[i] >= 0 && ranks[i] < static_cast<int>(members.size()), MPI_ERR_RANK);
        chosen.push_back(members[at(ranks[i])]);
    }
    *result = add(std::move(chosen));
}

LOCAL(Group_translate_ranks, MPI_Group from, int n, const int* ranks, MPI_Group to, int* result)
{
    const std::vector<int>& members = members_of(from);
    const std::vector<int>& others = members_of(to);
    for (int i = 0; i < n; ++i) {
        if (ranks[i] == MPI_PROC_NULL) {
            result[i] = MPI_PROC_NULL;
            continue;
        }
        require(ranks[i] >= 0 && ranks[i] < static_cast<int>(members.size()), MPI_ERR_RANK);
        result[i] = rank_in(others, members[at(ranks[i])]);
    }
}

LOCAL(Group_free, MPI_Group* group)
{
    members_of(*group); // looks whether there is one
    if (*group != MPI_GROUP_EMPTY) me->groups.remove(*group);
    *group = MPI_GROUP_NULL;
}
