// SPDX-License-Identifier: BSD-3-Clause
// The public calls that make communicators of some processes of a communicator: of a graph the subgraph, else
// MPI's result ([B] 2.4); and those about the topology itself: its kind, the full communicator below it, its
// duplicate.

#include <mpi.h>

#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/interposer.hpp"
#include "mpi/public_call.hpp"
#include "mpiortho.h"
#include "runtime/internal_collectives.hpp"
#include "runtime/message.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph.hpp"
#include "topology/subgraph.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using mpi::guard;
using mpi::require_result;

/// The user's communicator from a part that MPI has made of `comm`; MPI_COMM_NULL on processes outside.
MPI_Comm finish(MPI_Comm comm, MPI_Comm made)
{
    mpi::Comm part(made);
    if (!part) return MPI_COMM_NULL;
    mpi::copy_errhandler(comm, part.get());
    if (topology::topology_kind(comm) == ORTHO_GRAPH) part = topology::induced_subgraph(comm, part.get());
    return part.release();
}

/// Throws unless the processes of `part`, named by `argument`, are among those of `comm`.
void require_inside(MPI_Group part, ErrorKind kind, const char* argument, MPI_Comm comm,
                    const char* comm_argument)
{
    const mpi::Group all(comm);
    const std::vector<int> ranks = mpi::translate(mpi::all_ranks(part), part, all.get());
    for (std::size_t i = 0; i < ranks.size(); ++i)
        require(ranks[i] != MPI_UNDEFINED, kind, argument, "process ", i, " of ", argument, " is not in ",
                comm_argument);
}

void require_group(MPI_Group group)
{
    require(group != MPI_GROUP_NULL, ErrorKind::group, "group", "group is MPI_GROUP_NULL");
}

/// Waits until process `source` has come to the meeting with this tag.  Threads may be at several meetings at
/// once: a thread keeps messages of other meetings.
void await_in_meeting(topology::Graph& graph, int source, int tag)
{
    runtime::wait_until([&] {
        const std::lock_guard lock(graph.mutex);
        const auto known = graph.heard_in_meetings.find({source, tag});
        if (known != graph.heard_in_meetings.end()) {
            graph.heard_in_meetings.erase(known);
            return true;
        }
        MPI_Comm const private_comm = graph.private_comm.messages();
        const int meeting_tag = graph.private_comm.meeting_tag();
        int flag = 0;
        mpi::check(PMPI_Iprobe(source, meeting_tag, private_comm, &flag, MPI_STATUS_IGNORE));
        if (flag == 0) return false;
        int heard = 0;
        mpi::check(PMPI_Recv(&heard, 1, MPI_INT, source, meeting_tag, private_comm, MPI_STATUS_IGNORE));
        if (heard == tag) return true;
        graph.heard_in_meetings.insert({source, heard});
        return false;
    });
}

/// Waits until all processes of `group` are here with this tag; they are processes of `comm`.  Like
/// runtime::nonblocking_barrier, but by messages: in each round a process hears of twice as many processes.
void meet_in_group(MPI_Comm comm, MPI_Group group, int tag)
{
    const auto graph = topology::topology_kind(comm) == ORTHO_GRAPH ? topology::graph_of(comm) : nullptr;
    if (!graph) return;
    {
        const std::lock_guard lock(graph->mutex);
        // Without a private communicator no operation needs other processes, and there is no place to meet.
        if (!graph->attached()) return;
    }
    const mpi::Group all(comm);
    const std::vector<int> ranks = mpi::translate(mpi::all_ranks(group), group, all.get());
    const std::size_t size = ranks.size();
    int rank = 0;
    mpi::check(PMPI_Group_rank(group, &rank));
    const auto me = static_cast<std::size_t>(rank);
    for (std::size_t distance = 1; distance < size; distance *= 2) {
        runtime::Posted messages(graph->private_comm.messages(), graph->private_comm.meeting_tag());
        messages.send(ranks[(me + distance) % size], std::as_bytes(std::span(&tag, 1)));
        await_in_meeting(*graph, ranks[(me + size - distance) % size], tag);
        messages.wait();
    }
}

/// An intra-communicator of the local group.  Collective over both groups.
mpi::Comm local_side(MPI_Comm inter)
{
    // MPI makes communicators of an inter-communicator for both groups at once only.  So merge the groups,
    // and split the result.  The ranks of the groups' first processes in it tell the groups apart.
    runtime::nonblocking_barrier(inter);
    MPI_Comm comm = MPI_COMM_NULL;
    mpi::check_users(PMPI_Intercomm_merge(inter, 0, &comm));
    const mpi::Comm merged(comm);
    const int color = mpi::translate({0}, mpi::Group(inter).get(), mpi::Group(merged.get()).get()).front();
    MPI_Comm side = MPI_COMM_NULL;
    mpi::check_users(PMPI_Comm_split(merged.get(), color, mpi::rank_of(inter), &side));
    return mpi::Comm(side);
}

} // namespace

extern "C" {

int ORTHO_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm)
{
    return guard("ORTHO_Comm_split", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] {
            require_result(newcomm, "newcomm");
            require(color >= 0 || color == MPI_UNDEFINED, ErrorKind::arg, "color", "color = ", color,
                    " is negative");
        });
        MPI_Comm part = MPI_COMM_NULL;
        mpi::check_users(PMPI_Comm_split(comm, color, key, &part));
        *newcomm = finish(comm, part);
    });
}

int ORTHO_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* newcomm)
{
    return guard("ORTHO_Comm_split_type", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] {
            topology::look_at_keys(info, topology::reads_nothing);
            require_result(newcomm, "newcomm");
        });
        MPI_Comm part = MPI_COMM_NULL;
        mpi::check_users(PMPI_Comm_split_type(comm, type, key, info, &part));
        *newcomm = finish(comm, part);
    });
}

int ORTHO_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)
{
    return guard("ORTHO_Comm_create", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] {
            require_result(newcomm, "newcomm");
            require_group(group);
            require_inside(group, ErrorKind::group, "group", comm, "comm");
        });
        MPI_Comm part = MPI_COMM_NULL;
        mpi::check_users(PMPI_Comm_create(comm, group, &part));
        *newcomm = finish(comm, part);
    });
}

int ORTHO_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm)
{
    return guard("ORTHO_Comm_create_group", comm, [&] {
        // Processes outside the group take no part in this.
        mpi::require_intra(comm, "comm");
        require_result(newcomm, "newcomm");
        require_group(group);
        require(tag >= 0, ErrorKind::tag, "tag", "tag = ", tag, " is negative");
        require_inside(group, ErrorKind::group, "group", comm, "comm");
        int rank = MPI_UNDEFINED;
        mpi::check_users(PMPI_Group_rank(group, &rank));
        MPI_Comm part = MPI_COMM_NULL;
        if (rank != MPI_UNDEFINED) {
            meet_in_group(comm, group, tag);
            mpi::check_users(PMPI_Comm_create_group(comm, group, tag, &part));
            topology::remove_name(part);
        }
        *newcomm = finish(comm, part);
    });
}

int ORTHO_Comm_subgraph(MPI_Comm graph, MPI_Comm sub, MPI_Comm* subgraph)
{
    return guard("ORTHO_Comm_subgraph", sub, [&] {
        mpi::require_intra(sub, "sub");
        topology::check_and_meet(sub, [&] {
            require_result(subgraph, "subgraph");
            topology::graph_of(graph, "graph");
            require(topology::topology_kind(sub) == ORTHO_FULL, ErrorKind::topology, "sub",
                    "sub carries a graph itself (see ORTHO_Comm_base)");
            const mpi::Group processes(sub);
            require_inside(processes.get(), ErrorKind::comm, "sub", graph, "graph");
        });
        *subgraph = topology::induced_subgraph(graph, sub).release();
    });
}

int ORTHO_Cart_name_part(MPI_Comm cart, MPI_Comm part, int* size)
{
    return guard("ORTHO_Cart_name_part", part, [&] {
        mpi::require_intra(part, "part");
        mpi::require_intra(cart, "cart");
        require_result(size, "size");
        require(topology::grid_of(cart).has_value(), ErrorKind::name, "cart",
                "cart has no Cartesian name (see ORTHO_Cart_name)");
        require_inside(mpi::Group(part).get(), ErrorKind::comm, "part", cart, "cart");
        auto grid = topology::subgrid_of(cart, part);
        *size = grid ? grid->points() : 0;
        if (grid) topology::set_name(part, std::move(*grid));
    });
}

int ORTHO_Topo_test(MPI_Comm comm, int* topology)
{
    return guard("ORTHO_Topo_test", comm, [&] {
        mpi::require_comm(comm, "comm");
        require_result(topology, "topology");
        *topology = topology::topology_kind(comm);
    });
}

int ORTHO_Comm_base(MPI_Comm comm, MPI_Comm* basecomm)
{
    return guard("ORTHO_Comm_base", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] { require_result(basecomm, "basecomm"); });
        mpi::Comm base = mpi::is_inter(comm) ? local_side(comm)
                                             : runtime::bare_copy(comm, runtime::HaveMet::yes);
        mpi::copy_errhandler(comm, base.get());
        *basecomm = base.release();
    });
}

int ORTHO_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm)
{
    return guard("ORTHO_Comm_dup", comm, [&] {
        mpi::require_comm(comm, "comm");
        topology::check_and_meet(comm, [&] { require_result(newcomm, "newcomm"); });
        const bool has_graph = topology::topology_kind(comm) == ORTHO_GRAPH;
        MPI_Comm copy = MPI_COMM_NULL;
        mpi::check_users(PMPI_Comm_dup(comm, &copy));
        mpi::Comm made(copy);
        if (has_graph) topology::attach_new(comm, copy);
        *newcomm = made.release();
    });
}

void ortho_attach(MPI_Comm parent, MPI_Comm comm)
{
    try {
        topology::attach_new(parent, comm);
    } catch (...) { // the next call finds the error again
    }
}

bool ortho_find_neighbors(MPI_Comm comm, mpi::Neighbors* found)
{
    // In a program of sessions alone the communicator of a public call tells that MPI is there.
    const mpi::PublicCall call("MPI_Topo_test", comm);
    try {
        mpi::require_mpi();
        const auto graph = topology::neighbors_of(comm);
        const std::lock_guard lock(graph->mutex);
        const std::shared_ptr<const topology::GraphInfo>& known = graph->graph_info;
        const bool is_attached = graph->attached() || known->stays_detached;
        *found = {{known, &known->lists}, known->may_have_gaps, known->may_have_repeats, is_attached};
        return true;
    } catch (...) {
        return false;
    }
}

} // extern "C"
