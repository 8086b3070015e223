// SPDX-License-Identifier: BSD-3-Clause
// The public calls that make distributed graphs and tell about graphs.

#include <algorithm>
#include <utility>
#include <vector>

#include "agree/ballot.hpp"
#include "agree/on_comm.hpp"
#include "base/index.hpp"
#include "mpi/comm.hpp"
#include "mpi/error_handling.hpp"
#include "mpi/which_mpi.hpp"
#include "mpiortho.h"
#include "runtime/internal_collectives.hpp"
#include "topology/agreed_settings.hpp"
#include "topology/agreement.hpp"
#include "topology/cart_name.hpp"
#include "topology/graph.hpp"
#include "topology/graph_consistency.hpp"
#include "topology/neighbor_lists.hpp"
#include "topology/rank_order.hpp"

namespace {

using namespace ortho;
using base::ErrorKind;
using base::require;
using mpi::guard;
using mpi::require_result;

/// One process's list of neighbors, as the user gave it.
struct List {
    const char* ranks_argument;
    const char* weights_argument;
    int degree;
    const int* ranks;
    const int* weights;
};

bool is_weighted(const List& list) { return list.weights != MPI_UNWEIGHTED; }

void check(const List& list, const char* degree_argument, int processes)
{
    require(list.degree >= 0, ErrorKind::arg, degree_argument, degree_argument, " = ", list.degree,
            " is negative");
    require(list.degree == 0 || list.ranks != nullptr, ErrorKind::arg, list.ranks_argument,
            list.ranks_argument, " is a null pointer");
    for (int i = 0; i < list.degree; ++i)
        if (list.ranks[i] != MPI_PROC_NULL)
            topology::check_rank(list.ranks[i], processes, list.ranks_argument, i);
    topology::check_weights(list.ranks, list.weights, list.degree, list.weights_argument);
}

/// The slots about a new graph in a ballot.
struct GraphVotes {
    agree::Ballot& ballot;
    agree::AnyTrue has_weighted_edges{ballot};
    agree::AnyTrue has_unweighted_edges{ballot};
    agree::AnyTrue weighted{ballot};
    topology::NameVote name{ballot};
    topology::SharingVote sharing{ballot};
    topology::StencilVote stencil{ballot};
    topology::MirrorVote mirror{ballot};

    /// `comm_old`: the communicator with the name, which is returned.
    const grid::Grid* say(MPI_Comm comm_old, bool has_edges, bool is_weighted)
    {
        const grid::Grid* const found = topology::find_name(comm_old);
        has_weighted_edges.say(has_edges && is_weighted);
        has_unweighted_edges.say(has_edges && !is_weighted);
        weighted.say(is_weighted);
        name.say(found);
        sharing.say(comm_old, topology::graphs_alive());
        return found;
    }

    /// All processes with edges must agree.  Without any edges, the graph is weighted if any process says so.
    bool is_weighted() const
    {
        require(!has_weighted_edges.holds() || !has_unweighted_edges.holds(), ErrorKind::mismatch, "weights",
                "some edges have weights and some are MPI_UNWEIGHTED");
        return weighted.holds() && !has_unweighted_edges.holds();
    }
};

/// Our own form of the list: gaps are grid::gap, and have no weight.
std::vector<int> ranks_of(const List& list)
{
    std::vector<int> ranks(list.ranks, list.ranks + list.degree);
    std::ranges::replace(ranks, MPI_PROC_NULL, grid::gap);
    return ranks;
}
std::vector<int> weights_of(const List& list)
{
    std::vector<int> weights(list.weights, list.weights + list.degree);
    for (int i = 0; i < list.degree; ++i)
        if (list.ranks[i] == MPI_PROC_NULL) weights[static_cast<std::size_t>(i)] = 0;
    return weights;
}

/// A communicator for MPI_Dist_graph_create, if comm_old is not suitable.  In Open MPI 4 and 5 (issue 13918,
/// mended in 2026) that function may never end; on a new communicator it does.
mpi::Comm for_edges(MPI_Comm comm_old)
{
    return mpi::which_mpi().is_open_mpi ? topology::plain_parent(comm_old) : mpi::Comm();
}

/// Finishes a new graph communicator: attaches it, and finds its isomorphism on the common name of all
/// processes, or else on a grid that the edges tell.
void finish(MPI_Comm comm_old, mpi::Comm& made, topology::GraphInfo graph_info, const GraphVotes& votes,
            topology::Prepared prepared)
{
    graph_info.stays_detached = !prepared.private_comm && !graph_info.settings->need_own_comm();
    const grid::Grid* const name = votes.name.have_one() ? topology::find_name(comm_old) : nullptr;
    // On one node nothing is gained by fewer messages.
    const bool may_be_found = !graph_info.isomorphism && !graph_info.settings->layout.one_node &&
                              votes.mirror.may_have_stencil();
    const bool was_decided = std::exchange(graph_info.isomorphism_decided, true);
    bool is_decided = name != nullptr ? was_decided : !may_be_found;
    if (!is_decided && graph_info.stays_detached) {
        // Nobody else knows that communicator yet.
        topology::find_isomorphism_in(graph_info, {made.get(), made.get(), 0}, name);
        is_decided = true;
    }
    topology::carry(made.get(), std::move(graph_info), std::move(prepared));
    if (!is_decided) topology::find_isomorphism_of(made.get(), name);
}

/// MPI's graph of `graph_info` in another order of processes, if that is wanted and pays; else nothing.
mpi::Comm make_reordered(MPI_Comm comm_old, bool wanted, topology::GraphInfo& graph_info)
{
    const auto order = topology::reorder(comm_old, wanted, graph_info);
    if (!order) return {};
    return topology::make_mpi_graph(topology::in_order(comm_old, *order).get(), graph_info);
}

/// The number of times that the rank is in the list; writes its first `most` places into `slots`.
int find_slots(const std::vector<int>& list, int rank, int most, int slots[])
{
    int found = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i] != rank) continue;
        if (found < most) slots[found] = static_cast<int>(i);
        ++found;
    }
    return found;
}

} // namespace

extern "C" {

int ORTHO_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                     const int sourceweights[], int outdegree, const int destinations[],
                                     const int destweights[], MPI_Info info, int reorder,
                                     MPI_Comm* comm_dist_graph)
{
    return guard("ORTHO_Dist_graph_create_adjacent", comm_old, [&] {
        mpi::require_intra(comm_old, "comm_old");
        const List in{"sources", "sourceweights", indegree, sources, sourceweights};
        const List out{"destinations", "destweights", outdegree, destinations, destweights};
        agree::Ballot ballot;
        const agree::AllTrue all_reorder(ballot, reorder != 0);
        GraphVotes votes{ballot};
        topology::ListsVote about_lists(ballot);
        topology::GraphInfo graph_info;
        topology::Settings settings = topology::check_and_agree(ballot, comm_old, info, [&] {
            require_result(comm_dist_graph, "comm_dist_graph");
            check(in, "indegree", mpi::size_of(comm_old));
            check(out, "outdegree", mpi::size_of(comm_old));
            require(indegree == 0 || outdegree == 0 || is_weighted(in) == is_weighted(out), ErrorKind::arg,
                    "destweights", "only one of sourceweights and destweights is MPI_UNWEIGHTED");
            const bool has_edges = indegree > 0 || outdegree > 0;
            const bool weighted = has_edges ? is_weighted(indegree > 0 ? in : out)
                                            : is_weighted(in) || is_weighted(out);
            graph_info.lists = {mpi::rank_of(comm_old), ranks_of(in), ranks_of(out)};
            const grid::LocalGraph& lists = graph_info.lists;
            votes.stencil.say(votes.say(comm_old, has_edges, weighted), mpi::size_of(comm_old), lists);
            votes.mirror.say(mpi::size_of(comm_old), lists);
            about_lists.say(lists);
        });
        votes.sharing.hear(settings.layout.one_node);

        graph_info.settings = std::move(settings);
        about_lists.write(graph_info);
        graph_info.weighted = votes.is_weighted();
        if (graph_info.weighted) {
            graph_info.source_weights = weights_of(in);
            graph_info.target_weights = weights_of(out);
        }
        if (graph_info.settings->verify) {
            // Not on comm_old: Open MPI 4 confuses collectives on graphs with neighborhood collectives.
            topology::require_symmetric_lists(runtime::bare_copy(comm_old).get(), mpi::title_of(comm_old),
                                              graph_info);
            topology::require_same_name(comm_old, topology::find_name(comm_old), "comm_old");
        }

        if (votes.name.have_one() && topology::find_name(comm_old)->is_torus()) {
            graph_info.isomorphism = std::move(votes.stencil).agreed(); // the lists contain the whole stencil
            graph_info.isomorphism_decided = true;
        }
        mpi::Comm made = make_reordered(comm_old, all_reorder.holds(), graph_info);
        topology::Prepared prepared;
        if (!made) {
            prepared = topology::prepare(votes.sharing.agreed(comm_old), *graph_info.settings);
            made = topology::make_mpi_graph(comm_old, graph_info, prepared);
        } else {
            prepared.private_comm = votes.sharing.agreed_alone(made.get());
        }
        finish(comm_old, made, std::move(graph_info), votes, std::move(prepared));
        *comm_dist_graph = made.release();
    });
}

int ORTHO_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                            const int destinations[], const int weights[], MPI_Info info, int reorder,
                            MPI_Comm* comm_dist_graph)
{
    return guard("ORTHO_Dist_graph_create", comm_old, [&] {
        mpi::require_intra(comm_old, "comm_old");
        int edges = 0;
        agree::Ballot ballot;
        const agree::AllTrue all_reorder(ballot, reorder != 0);
        GraphVotes votes{ballot};
        const auto check_all = [&] {
            require_result(comm_dist_graph, "comm_dist_graph");
            require(n >= 0, ErrorKind::arg, "n", "n = ", n, " is negative");
            if (n > 0) {
                require_result(sources, "sources");
                require_result(degrees, "degrees");
            }
            const int processes = mpi::size_of(comm_old);
            for (int i = 0; i < n; ++i) {
                topology::check_rank(sources[i], processes, "sources", i);
                require(degrees[i] >= 0, ErrorKind::arg, "degrees", "degrees[", i, "] = ", degrees[i],
                        " is negative");
                require(!__builtin_add_overflow(edges, degrees[i], &edges), ErrorKind::arg, "degrees",
                        "more edges than an int can count");
            }
            if (edges > 0) require_result(destinations, "destinations");
            for (int i = 0; i < edges; ++i)
                topology::check_rank(destinations[i], processes, "destinations", i);
            topology::check_weights(destinations, weights, edges, "weights");
            for (int i = 0, first = 0; i < n; first += degrees[i++])
                votes.mirror.say(processes, sources[i], {destinations + first, at(degrees[i])});
            votes.say(comm_old, edges > 0, weights != MPI_UNWEIGHTED);
        };
        const topology::Settings settings = topology::check_and_agree(ballot, comm_old, info, check_all);
        votes.sharing.hear(settings.layout.one_node);
        if (settings.verify) topology::require_same_name(comm_old, topology::find_name(comm_old), "comm_old");
        const bool weighted = votes.is_weighted();
        const int* weights_for_mpi = weights;
        if (!weighted)
            weights_for_mpi = MPI_UNWEIGHTED;
        else if (edges == 0)
            weights_for_mpi = MPI_WEIGHTS_EMPTY;
        // Open MPI needs a list even without edges.
        constexpr int nobody = 0;
        const int* const destinations_for_mpi = edges > 0 ? destinations : &nobody;
        MPI_Comm comm = MPI_COMM_NULL;
        const mpi::Comm fresh = for_edges(comm_old);
        mpi::check_users(PMPI_Dist_graph_create(fresh ? fresh.get() : comm_old, n, sources, degrees,
                                                destinations_for_mpi, weights_for_mpi, MPI_INFO_NULL, 0,
                                                &comm));
        mpi::Comm made(comm);
        topology::GraphInfo graph_info = *topology::graph_of(comm)->graph_info;
        graph_info.settings = settings;
        agree::Ballot second; // now that each process has its lists
        topology::ListsVote about_lists(second);
        about_lists.say(graph_info.lists);
        agree::hold(comm, second);
        about_lists.write(graph_info);
        topology::Prepared prepared;
        if (mpi::Comm other = make_reordered(comm_old, all_reorder.holds(), graph_info)) {
            made = std::move(other);
            prepared.private_comm = votes.sharing.agreed_alone(made.get());
        } else {
            prepared.private_comm = votes.sharing.agreed(comm_old); // MPI's communicator exists already
        }
        finish(comm_old, made, std::move(graph_info), votes, std::move(prepared));
        *comm_dist_graph = made.release();
    });
}

int ORTHO_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted)
{
    return guard("ORTHO_Dist_graph_neighbors_count", comm, [&] {
        const auto graph_info = topology::graph_of(comm)->graph_info;
        require_result(indegree, "indegree");
        require_result(outdegree, "outdegree");
        require_result(weighted, "weighted");
        *indegree = static_cast<int>(graph_info->lists.sources.size());
        *outdegree = static_cast<int>(graph_info->lists.targets.size());
        *weighted = graph_info->weighted ? 1 : 0;
    });
}

int ORTHO_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                               int maxoutdegree, int destinations[], int destweights[])
{
    return guard("ORTHO_Dist_graph_neighbors", comm, [&] {
        const auto graph_info = topology::graph_of(comm)->graph_info;
        topology::write_list(*graph_info, graph_info->lists.sources, graph_info->source_weights, maxindegree,
                             sources, sourceweights, {"maxindegree", "sources", "sourceweights"});
        topology::write_list(*graph_info, graph_info->lists.targets, graph_info->target_weights, maxoutdegree,
                             destinations, destweights, {"maxoutdegree", "destinations", "destweights"});
    });
}

int ORTHO_Dist_graph_find(MPI_Comm graph, int rank, int maxn, int inneighbors[], int* nin, int outneighbors[],
                          int* nout)
{
    return guard("ORTHO_Dist_graph_find", graph, [&] {
        const auto graph_info = topology::graph_of(graph, "graph")->graph_info;
        topology::check_rank(rank, mpi::size_of(graph), "rank");
        require(maxn >= 0, ErrorKind::arg, "maxn", "maxn = ", maxn, " is negative");
        require_result(nin, "nin");
        require_result(nout, "nout");
        if (maxn > 0) {
            require_result(inneighbors, "inneighbors");
            require_result(outneighbors, "outneighbors");
        }
        *nin = find_slots(graph_info->lists.sources, rank, maxn, inneighbors);
        *nout = find_slots(graph_info->lists.targets, rank, maxn, outneighbors);
    });
}

int ORTHO_Comm_isomorphic(MPI_Comm graph, int* flag, int* t)
{
    return guard("ORTHO_Comm_isomorphic", graph, [&] {
        auto state = topology::graph_of(graph, "graph");
        const auto check = [&] {
            require_result(flag, "flag");
            require_result(t, "t");
        };
        if (state->graph_info->isomorphism_decided) {
            check(); // a local call
        } else {
            topology::check_and_meet(graph, check);
            state = topology::attached_graph(graph);
            topology::GraphInfo graph_info = *state->graph_info;
            graph_info.isomorphism = topology::find_isomorphism(state->set_up_comms(),
                                                                topology::find_name(graph), graph_info.lists);
            graph_info.isomorphism_decided = true;
            const std::lock_guard lock(state->mutex);
            state->set_graph_info(std::move(graph_info));
        }
        const auto* const isomorphism = state->graph_info->named_isomorphism();
        *flag = isomorphism ? 1 : 0;
        *t = isomorphism ? isomorphism->neighborhood.size() : 0;
    });
}

} // extern "C"
