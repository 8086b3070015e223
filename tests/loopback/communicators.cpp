// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "mpi_messages.hpp"

namespace loopback {

namespace {

/// The groups of intercommunicators that not all of their processes have got yet.
struct Unfinished {
    std::shared_ptr<Context> context;
    std::size_t left = 0;
};
std::map<std::pair<std::vector<int>, std::vector<int>>, Unfinished> unfinished;

MPI_Comm intercommunicator(const Communicator& local, const std::vector<int>& remote)
{
    std::pair key{local.context->members[local.side], remote};
    if (key.second < key.first) std::swap(key.first, key.second);
    Unfinished& entry = unfinished[key];
    if (!entry.context)
        entry = {std::make_shared<Context>(key.first, key.second), key.first.size() + key.second.size()};
    const auto context = entry.context;
    if (--entry.left == 0) unfinished.erase(key);
    return add_communicator(context, local);
}

Bytes bytes_of(const std::vector<int>& numbers)
{
    const auto bytes = std::as_bytes(std::span(numbers));
    return {bytes.begin(), bytes.end()};
}

} // namespace

void Meeting::join(const std::string& what, int root_, int rank, std::size_t size, std::vector<Bytes> tells)
{
    if (come == 0) {
        name = what;
        root = root_;
        told.resize(size);
        is_here.resize(size);
        is_driven.resize(size);
    }
    if (name != what) fail("processes disagree: " + name + " and " + what + " are one collective");
    if (root != root_)
        fail("processes disagree on the root of " + name + ": " + std::to_string(root) + " and " +
             std::to_string(root_));
    if (is_here[at(rank)]) fail("a process comes to one " + name + " twice");
    is_here[at(rank)] = true;
    told[at(rank)] = std::move(tells);
    ++come;
    scheduler->progressed();
}

void Meeting::wait_for_all() const
{
    wait_inside([&] { return are_all_here(); });
}

std::vector<int> Meeting::numbers_of(int member) const
{
    const Bytes& bytes = told[at(member)].front();
    std::vector<int> result(bytes.size() / sizeof(int));
    if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

Context::Context(std::vector<int> first, std::vector<int> second)
    : members{std::move(first), std::move(second)},
      mailboxes(processes())
{
    for (Mailbox& mailbox : mailboxes) mailbox.last_arrival.resize(processes());
}

Context::~Context()
{
    for (int member = 0; member < std::ssize(mailboxes); ++member) require_received(member);
}

void Context::require_received(int member) const
{
    const auto& left = mailboxes[at(member)].unexpected;
    if (!left.empty())
        fail("a message from rank " + std::to_string(left.front()->from) + " to process " +
             std::to_string(world_rank(member)) + " with tag " + std::to_string(left.front()->tag) +
             " was never received");
}

int Context::world_rank(int member) const
{
    const std::size_t first = members[0].size();
    return at(member) < first ? members[0][at(member)] : members[1][at(member) - first];
}

void Context::leave(std::uint64_t number)
{
    const auto found = meetings.find(number);
    if (++found->second->gone == static_cast<int>(processes())) meetings.erase(found);
}

Communicator& communicator(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD) return *me->world;
    if (comm == MPI_COMM_SELF) return *me->self;
    Communicator* const result = me->communicators.find(comm);
    require(result != nullptr, MPI_ERR_COMM);
    return *result;
}

MPI_Comm add_communicator(std::shared_ptr<Context> context, const Communicator& parent)
{
    for (const int side : {0, 1}) {
        const auto& members = context->members[side];
        const auto found = std::ranges::find(members, me->rank);
        if (found == members.end()) continue;
        auto made = std::make_unique<Communicator>(std::move(context), side,
                                                   static_cast<int>(found - members.begin()));
        made->errhandler = parent.errhandler;
        made->own_errhandler = parent.own_errhandler;
        Communicator& object = *made;
        return object.handle = me->communicators.add(std::move(made));
    }
    return MPI_COMM_NULL;
}

std::shared_ptr<Meeting> tell_all(Communicator& comm, const std::vector<int>& mine)
{
    const auto context = comm.context;
    const std::uint64_t number = comm.meetings++;
    const auto meeting = meeting_in(context->meetings, number);
    meeting->join(me->call, -1, comm.member(), context->processes(), {bytes_of(mine)});
    meeting->wait_for_all();
    context->leave(number);
    return meeting;
}

MPI_Comm made_at(Meeting& meeting, const Communicator& parent, const std::vector<int>& first,
                 const std::vector<int>& second, int color)
{
    auto& made = meeting.made[color];
    if (!made) made = std::make_shared<Context>(first, second);
    return add_communicator(made, parent);
}

MPI_Comm like(Communicator& comm)
{
    const auto& members = comm.context->members;
    return made_at(*tell_all(comm, {}), comm, members[0], members[1]);
}

// --- Groups: lists of ranks in MPI_COMM_WORLD ----------------------------------------------------------

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

LOCAL(Comm_size, MPI_Comm comm, int* size) { *size = communicator(comm).size(); }

LOCAL(Comm_rank, MPI_Comm comm, int* rank) { *rank = communicator(comm).rank; }

LOCAL(Comm_test_inter, MPI_Comm comm, int* flag) { *flag = communicator(comm).is_inter() ? 1 : 0; }

LOCAL(Comm_remote_size, MPI_Comm comm, int* size)
{
    Communicator& c = communicator(comm);
    require(c.is_inter(), MPI_ERR_COMM, &c);
    *size = c.partners();
}

LOCAL(Comm_compare, MPI_Comm a, MPI_Comm b, int* result)
{
    const Communicator& first = communicator(a);
    const Communicator& second = communicator(b);
    const auto sorted = [](const Communicator& c) {
        auto members = c.context->members[c.side];
        std::ranges::sort(members);
        return members;
    };
    if (first.context == second.context)
        *result = MPI_IDENT;
    else if (first.context->members[0] == second.context->members[0] &&
             first.context->members[1] == second.context->members[1])
        *result = MPI_CONGRUENT;
    else
        *result = first.is_inter() == second.is_inter() && sorted(first) == sorted(second) ? MPI_SIMILAR
                                                                                           : MPI_UNEQUAL;
}

LOCAL(Comm_set_name, MPI_Comm comm, const char* name)
{
    communicator(comm).name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
}

LOCAL(Comm_get_name, MPI_Comm comm, char* name, int* length)
{
    *length = static_cast<int>(communicator(comm).name.copy(name, MPI_MAX_OBJECT_NAME - 1));
    name[*length] = 0;
}

COMMUNICATING(Comm_free, MPI_Comm* comm)
{
    Communicator& c = communicator(*comm);
    require(*comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, MPI_ERR_COMM, &c);
    if (const int code = delete_attributes(c)) throw Error{&c, code};
    me->communicators.remove(*comm);
    *comm = MPI_COMM_NULL;
}

COMMUNICATING(Comm_dup, MPI_Comm comm, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    *result = like(c);
    Communicator& copy = communicator(*result);
    copy.topology = c.topology;
    if (const int code = copy_attributes(c, copy)) throw Error{&c, code};
}

namespace {

void split(Communicator& c, int color, int key, MPI_Comm* result)
{
    const auto meeting = tell_all(c, {color, key});
    *result = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED) return;
    std::vector<int> members[2];
    for (const int side : {0, 1}) {
        std::vector<std::pair<int, int>> chosen; // key and member
        for (int r = 0; r < static_cast<int>(c.context->members[side].size()); ++r) {
            const int member = c.context->member(side, r);
            const auto told = meeting->numbers_of(member);
            if (told[0] == color) chosen.emplace_back(told[1], member);
        }
        std::ranges::sort(chosen);
        for (const auto& [_, member] : chosen) members[side].push_back(c.context->world_rank(member));
    }
    if (c.is_inter() && (members[0].empty() || members[1].empty())) return; // nobody to talk to
    *result = made_at(*meeting, c, members[0], members[1], color);
}

} // namespace

COMMUNICATING(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    require(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG, &c);
    split(c, color, key, result);
}

COMMUNICATING(Comm_split_type, MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    require(!c.is_inter(), MPI_ERR_COMM, &c);
    require(type == MPI_COMM_TYPE_SHARED || type == MPI_UNDEFINED, MPI_ERR_ARG, &c);
    split(c, type == MPI_UNDEFINED ? MPI_UNDEFINED : me->node, key, result);
}

COMMUNICATING(Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    const std::vector<int> members = members_of(group);
    const auto meeting = tell_all(c, members);
    *result = MPI_COMM_NULL;
    if (std::ranges::find(members, me->rank) == members.end()) return;
    if (c.is_inter()) {
        const auto first = meeting->numbers_of(0), second = meeting->numbers_of(c.size() + c.partners() - 1);
        if (!first.empty() && !second.empty()) *result = made_at(*meeting, c, first, second);
        return;
    }
    // Groups that do not overlap make communicators of their own.
    *result = made_at(*meeting, c, members, {}, members.front());
    if (meeting->made[members.front()]->members[0] != members)
        fail("processes give other groups to MPI_Comm_create");
}

COMMUNICATING(Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    const std::vector<int> members = members_of(group);
    *result = MPI_COMM_NULL;
    const auto mine = std::ranges::find(members, me->rank);
    if (mine == members.end()) return;
    const auto context = c.context;
    const std::pair key{members, tag};
    const auto meeting = meeting_in(context->group_meetings, key);
    meeting->join(me->call, -1, static_cast<int>(mine - members.begin()), members.size(), {});
    meeting->wait_for_all();
    if (++meeting->gone == 1) context->group_meetings.erase(key);
    *result = made_at(*meeting, c, members);
}

COMMUNICATING(Intercomm_create, MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
              MPI_Comm* result)
{
    Communicator& c = communicator(local);
    std::vector<int> remote;
    if (c.rank == leader) {
        const std::vector<int>& mine = c.context->members[c.side];
        remote.resize(processes.size());
        MPI_Request requests[2];
        PMPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_INT, remote_leader, tag, peer,
                   &requests[0]);
        PMPI_Irecv(remote.data(), static_cast<int>(remote.size()), MPI_INT, remote_leader, tag, peer,
                   &requests[1]);
        MPI_Status status;
        PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        PMPI_Wait(&requests[1], &status);
        int count = 0;
        PMPI_Get_count(&status, MPI_INT, &count);
        remote.resize(at(count));
    }
    *result = intercommunicator(c, tell_all(c, remote)->numbers_of(leader));
}

COMMUNICATING(Intercomm_merge, MPI_Comm inter, int high, MPI_Comm* result)
{
    Communicator& c = communicator(inter);
    require(c.is_inter(), MPI_ERR_COMM, &c);
    const auto meeting = tell_all(c, {high});
    const int first = meeting->numbers_of(0)[0], second = meeting->numbers_of(c.size() + c.partners() - 1)[0];
    const auto& groups = c.context->members;
    const int low = first != 0 && second == 0 ? 1 : 0;
    std::vector<int> members = groups[low];
    members.insert(members.end(), groups[1 - low].begin(), groups[1 - low].end());
    *result = made_at(*meeting, c, members);
}

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
