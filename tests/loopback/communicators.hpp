// SPDX-License-Identifier: BSD-3-Clause
// Communicators: what their processes share, and what each process has of them.
#pragma once

#include <mpi.h>

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi_errors.hpp"
#include "process.hpp"
#include "real_mpi.hpp"

namespace loopback {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Receive;
struct Context;

/// A process that all processes of a communicator come to, each once: a collective.
struct Meeting {
    std::string name;
    int root = -1;
    std::vector<std::vector<Bytes>> told; ///< by process: a piece for each process, or one for all
    std::vector<bool> is_here;
    std::vector<bool> is_driven; ///< it has been inside of MPI long enough for what it tells to reach others
    int come = 0, gone = 0;
    std::map<int, std::shared_ptr<Context>> made; ///< new communicators, by color

    /// Process `rank` comes, and tells something.
    void join(const std::string& what, int root_, int rank, std::size_t size, std::vector<Bytes> tells);
    bool are_all_here() const { return static_cast<std::size_t>(come) == is_here.size(); }
    void wait_for_all() const;
    /// The numbers that a member has told to all in tell_all().
    std::vector<int> numbers_of(int member) const;
};

/// The meeting of that key, which the first one makes.
template <class Meetings, class Key>
std::shared_ptr<Meeting> meeting_in(Meetings& meetings, const Key& key)
{
    auto& result = meetings[key];
    if (!result) result = std::make_shared<Meeting>();
    return result;
}

/// The messages that have arrived at a process, and the receives that wait.
struct Mailbox {
    std::list<Receive*> posted;
    std::list<std::shared_ptr<Message>> unexpected; ///< in the order of arrival
    std::vector<std::uint64_t> last_arrival;        ///< by sender
};

struct Context {
    Context(std::vector<int> first, std::vector<int> second);
    ~Context();
    /// The number of process `rank` in group `side`.
    int member(int side, int rank) const
    {
        return rank + (side == 0 ? 0 : static_cast<int>(members[0].size()));
    }
    std::size_t processes() const { return members[0].size() + members[1].size(); }
    int world_rank(int member) const;
    /// Fails where a message has come to that process, and nobody has received it.
    void require_received(int member) const;
    /// The meeting ends once all have left it.
    void leave(std::uint64_t number);

    std::vector<int> members[2]; ///< in MPI_COMM_WORLD; the second one is an intercommunicator's
    std::vector<Mailbox> mailboxes;
    std::map<std::uint64_t, std::shared_ptr<Meeting>> meetings;
    std::map<std::pair<std::vector<int>, int>, std::shared_ptr<Meeting>> group_meetings; ///< by group and tag
};

struct Attribute {
    std::shared_ptr<Keyval> keyval;
    void* value;
};

struct Topology {
    int kind = MPI_UNDEFINED;
    std::vector<int> dims, periods;           ///< MPI_CART
    std::vector<std::vector<int>> neighbors;  ///< MPI_GRAPH: of each process
    std::vector<int> sources, source_weights; ///< MPI_DIST_GRAPH
    std::vector<int> targets, target_weights;
    bool is_weighted = false;
};

/// A communicator in one process.
struct Communicator {
    Communicator(std::shared_ptr<Context> context_, int side_, int rank_)
        : context(std::move(context_)),
          side(side_),
          rank(rank_)
    {}
    int size() const { return static_cast<int>(context->members[side].size()); }
    bool is_inter() const { return !context->members[1].empty(); }
    /// The members that ranks name in point-to-point messages.
    int partner(int other) const { return context->member(is_inter() ? 1 - side : side, other); }
    int partners() const { return static_cast<int>(context->members[is_inter() ? 1 - side : side].size()); }
    int member() const { return context->member(side, rank); }

    MPI_Comm handle = MPI_COMM_NULL;
    std::shared_ptr<Context> context;
    int side, rank;
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    MPI_Comm_errhandler_function* own_errhandler = nullptr;
    std::string name;
    std::vector<Attribute> attributes;
    Topology topology;
    std::uint64_t meetings = 0; ///< how many there were
};

/// An error if there is none.
Communicator& communicator(MPI_Comm comm);
/// In this process, like `parent` in what is inherited.
MPI_Comm add_communicator(std::shared_ptr<Context> context, const Communicator& parent);
/// In the function that a process is in, it tells all something, and waits for all.
std::shared_ptr<Meeting> tell_all(Communicator& comm, const std::vector<int>& mine);
/// A new communicator of these processes, one for each color.
MPI_Comm made_at(Meeting& meeting, const Communicator& parent, const std::vector<int>& first,
                 const std::vector<int>& second = {}, int color = 0);
/// A new communicator of the same processes.
MPI_Comm like(Communicator& comm);

/// The processes of a group, by their ranks in MPI_COMM_WORLD.
const std::vector<int>& members_of(MPI_Group group);
// In attributes.cpp.
int copy_attributes(const Communicator& from, Communicator& to);
int delete_attributes(Communicator& comm);

} // namespace loopback
