// SPDX-License-Identifier: BSD-3-Clause
#include "communicators.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "mpi_groups.hpp"
#include "mpi_messages.hpp"

namespace loopback {

namespace {

std::uint64_t contexts = 0;

/// Leaves once all have left.
void leave(Context& context, std::uint64_t number)
{
    const auto found = context.meetings.find(number);
    if (++found->second->gone == static_cast<int>(found->second->is_here.size()))
        context.meetings.erase(found);
}

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

void free_communicator(MPI_Comm* comm)
{
    Communicator& c = communicator(*comm);
    require(*comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, MPI_ERR_COMM, &c);
    if (const int code = delete_attributes(c)) throw Error{&c, code};
    me->communicators.remove(*comm);
    *comm = MPI_COMM_NULL;
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
    const auto index = static_cast<std::size_t>(rank);
    if (is_here[index]) fail("a process comes to one " + name + " twice");
    is_here[index] = true;
    told[index] = std::move(tells);
    ++come;
    scheduler->progressed();
}

Context::Context(std::vector<int> first, std::vector<int> second)
    : number(contexts++),
      members{std::move(first), std::move(second)},
      mailboxes(processes())
{
    for (Mailbox& mailbox : mailboxes) mailbox.last_arrival.resize(processes());
}

Context::~Context()
{
    for (const Mailbox& mailbox : mailboxes)
        if (!mailbox.unexpected.empty())
            fail("a message from rank " + std::to_string(mailbox.unexpected.front()->from) + " with tag " +
                 std::to_string(mailbox.unexpected.front()->tag) + " was never received");
}

int Context::world_rank(int member) const
{
    const auto index = static_cast<std::size_t>(member);
    return index < members[0].size() ? members[0][index] : members[1][index - members[0].size()];
}

std::shared_ptr<Meeting> Communicator::next_meeting()
{
    std::shared_ptr<Meeting>& result = context->meetings[meetings++];
    if (!result) result = std::make_shared<Meeting>();
    return result;
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

std::shared_ptr<Meeting> tell_all(Communicator& comm, const std::string& name, Bytes mine)
{
    const auto meeting = comm.next_meeting();
    const auto context = comm.context;
    const std::uint64_t number = comm.meetings - 1;
    std::vector<Bytes> tells;
    tells.push_back(std::move(mine));
    meeting->join(name, -1, comm.member(), context->processes(), std::move(tells));
    wait_until([&] {
        progress();
        return meeting->are_all_here();
    });
    leave(*context, number);
    return meeting;
}

MPI_Comm like(Communicator& comm, const std::string& name)
{
    const auto meeting = tell_all(comm, name, {});
    auto& made = meeting->made[0];
    if (!made) made = std::make_shared<Context>(comm.context->members[0], comm.context->members[1]);
    return add_communicator(made, comm);
}

Bytes bytes_of(const std::vector<int>& numbers)
{
    Bytes result(numbers.size() * sizeof(int));
    if (!result.empty()) std::memcpy(result.data(), numbers.data(), result.size());
    return result;
}

std::vector<int> numbers_of(const Bytes& bytes)
{
    std::vector<int> result(bytes.size() / sizeof(int));
    if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

} // namespace loopback

using namespace loopback;

PLAYED(int, Comm_size, MPI_Comm comm, int* size)
{
    return play_local("MPI_Comm_size", [&] { *size = communicator(comm).size(); });
}

PLAYED(int, Comm_rank, MPI_Comm comm, int* rank)
{
    return play_local("MPI_Comm_rank", [&] { *rank = communicator(comm).rank; });
}

PLAYED(int, Comm_test_inter, MPI_Comm comm, int* flag)
{
    return play_local("MPI_Comm_test_inter", [&] { *flag = communicator(comm).is_inter() ? 1 : 0; });
}

PLAYED(int, Comm_remote_size, MPI_Comm comm, int* size)
{
    return play_local("MPI_Comm_remote_size", [&] {
        Communicator& c = communicator(comm);
        require(c.is_inter(), MPI_ERR_COMM, &c);
        *size = c.partners();
    });
}

PLAYED(int, Comm_compare, MPI_Comm a, MPI_Comm b, int* result)
{
    return play_local("MPI_Comm_compare", [&] {
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
    });
}

PLAYED(int, Comm_set_name, MPI_Comm comm, const char* name)
{
    return play_local("MPI_Comm_set_name", [&] {
        communicator(comm).name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
    });
}

PLAYED(int, Comm_get_name, MPI_Comm comm, char* name, int* length)
{
    return play_local("MPI_Comm_get_name", [&] {
        const std::string& text = communicator(comm).name;
        std::memcpy(name, text.c_str(), text.size() + 1);
        *length = static_cast<int>(text.size());
    });
}

PLAYED(int, Comm_free, MPI_Comm* comm)
{
    return play("MPI_Comm_free", [&] { free_communicator(comm); });
}

PLAYED(int, Comm_disconnect, MPI_Comm* comm)
{
    return play("MPI_Comm_disconnect", [&] {
        tell_all(communicator(*comm), "MPI_Comm_disconnect", {});
        free_communicator(comm);
    });
}

PLAYED(int, Comm_dup, MPI_Comm comm, MPI_Comm* result)
{
    return play("MPI_Comm_dup", [&] {
        Communicator& c = communicator(comm);
        *result = like(c, "MPI_Comm_dup");
        Communicator& copy = communicator(*result);
        copy.topology = c.topology;
        if (const int code = copy_attributes(c, copy)) throw Error{&c, code};
    });
}

namespace {

void split(Communicator& c, const char* name, int color, int key, MPI_Comm* result)
{
    const auto meeting = tell_all(c, name, bytes_of({color, key}));
    *result = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED) return;
    auto& made = meeting->made[color];
    if (!made) {
        std::vector<int> members[2];
        for (const int side : {0, 1}) {
            std::vector<std::pair<int, int>> chosen; // key and member
            for (int r = 0; r < static_cast<int>(c.context->members[side].size()); ++r) {
                const int member = c.context->member(side, r);
                const auto told = numbers_of(meeting->told[static_cast<std::size_t>(member)].front());
                if (told[0] == color) chosen.emplace_back(told[1], member);
            }
            std::ranges::sort(chosen);
            for (const auto& [_, member] : chosen) members[side].push_back(c.context->world_rank(member));
        }
        made = std::make_shared<Context>(members[0], members[1]);
    }
    if (c.is_inter() && (made->members[0].empty() || made->members[1].empty())) return; // nobody to talk to
    *result = add_communicator(made, c);
}

} // namespace

PLAYED(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm* result)
{
    return play("MPI_Comm_split", [&] {
        Communicator& c = communicator(comm);
        require(color >= 0 || color == MPI_UNDEFINED, MPI_ERR_ARG, &c);
        split(c, "MPI_Comm_split", color, key, result);
    });
}

PLAYED(int, Comm_split_type, MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* result)
{
    return play("MPI_Comm_split_type", [&] {
        Communicator& c = communicator(comm);
        require(!c.is_inter(), MPI_ERR_COMM, &c);
        require(type == MPI_COMM_TYPE_SHARED || type == MPI_UNDEFINED, MPI_ERR_ARG, &c);
        split(c, "MPI_Comm_split_type", type == MPI_UNDEFINED ? MPI_UNDEFINED : me->node, key, result);
    });
}

PLAYED(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm* result)
{
    return play("MPI_Comm_create", [&] {
        Communicator& c = communicator(comm);
        const std::vector<int> members = members_of(group);
        const auto meeting = tell_all(c, "MPI_Comm_create", bytes_of(members));
        *result = MPI_COMM_NULL;
        if (std::ranges::find(members, me->rank) == members.end()) return;
        if (c.is_inter()) {
            const auto first = numbers_of(meeting->told.front().front());
            const auto second = numbers_of(meeting->told.back().front());
            auto& made = meeting->made[0];
            if (!made) made = std::make_shared<Context>(first, second);
            if (!first.empty() && !second.empty()) *result = add_communicator(made, c);
            return;
        }
        // Groups that do not overlap make communicators of their own.
        auto& made = meeting->made[members.front()];
        if (!made) made = std::make_shared<Context>(members, std::vector<int>());
        if (made->members[0] != members) fail("processes give other groups to MPI_Comm_create");
        *result = add_communicator(made, c);
    });
}

PLAYED(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* result)
{
    return play("MPI_Comm_create_group", [&] {
        Communicator& c = communicator(comm);
        const std::vector<int> members = members_of(group);
        *result = MPI_COMM_NULL;
        const auto mine = std::ranges::find(members, me->rank);
        if (mine == members.end()) return;
        const auto context = c.context;
        const std::pair key{members, tag};
        const auto meeting = [&] {
            auto& entry = context->group_meetings[key];
            if (!entry) entry = std::make_shared<Meeting>();
            return entry;
        }();
        meeting->join("MPI_Comm_create_group", -1, static_cast<int>(mine - members.begin()), members.size(),
                      {});
        wait_until([&] {
            progress();
            return meeting->are_all_here();
        });
        if (++meeting->gone == 1) context->group_meetings.erase(key);
        auto& made = meeting->made[0];
        if (!made) made = std::make_shared<Context>(members, std::vector<int>());
        *result = add_communicator(made, c);
    });
}

PLAYED(int, Intercomm_create, MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
       MPI_Comm* result)
{
    return play("MPI_Intercomm_create", [&] {
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
            remote.resize(static_cast<std::size_t>(count));
        }
        const auto meeting = tell_all(c, "MPI_Intercomm_create", bytes_of(remote));
        *result = intercommunicator(c, numbers_of(meeting->told[static_cast<std::size_t>(leader)].front()));
    });
}

PLAYED(int, Intercomm_merge, MPI_Comm inter, int high, MPI_Comm* result)
{
    return play("MPI_Intercomm_merge", [&] {
        Communicator& c = communicator(inter);
        require(c.is_inter(), MPI_ERR_COMM, &c);
        const auto meeting = tell_all(c, "MPI_Intercomm_merge", bytes_of({high}));
        auto& made = meeting->made[0];
        if (!made) {
            const auto& groups = c.context->members;
            const int first = numbers_of(meeting->told.front().front())[0];
            const int second = numbers_of(meeting->told.back().front())[0];
            const int low = first != 0 && second == 0 ? 1 : 0;
            std::vector<int> members = groups[low];
            members.insert(members.end(), groups[1 - low].begin(), groups[1 - low].end());
            made = std::make_shared<Context>(members, std::vector<int>());
        }
        *result = add_communicator(made, c);
    });
}
