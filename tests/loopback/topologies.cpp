// SPDX-License-Identifier: BSD-3-Clause
// Communicators with topologies of MPI's.
#include <algorithm>
#include <numeric>
#include <vector>

#include "communicators.hpp"
#include "mpi_errors.hpp"

using namespace loopback;

namespace {

Communicator& with(MPI_Comm comm, int kind)
{
    Communicator& c = communicator(comm);
    require(c.topology.kind == kind, MPI_ERR_TOPOLOGY, &c);
    return c;
}

/// The neighbors of a rank in a graph.
const std::vector<int>& neighbors_of(MPI_Comm comm, int rank)
{
    Communicator& c = with(comm, MPI_GRAPH);
    require(rank >= 0 && rank < c.size(), MPI_ERR_RANK, &c);
    return c.topology.neighbors[at(rank)];
}

/// A communicator of the first `n` processes.
MPI_Comm first_processes(Communicator& c, int n)
{
    require(n <= c.size(), MPI_ERR_ARG, &c);
    const auto meeting = tell_all(c, {n});
    if (c.rank >= n) return MPI_COMM_NULL;
    const auto& all = c.context->members[0];
    return made_at(*meeting, c, {all.begin(), all.begin() + n});
}

/// The coordinates of a rank, or the rank at coordinates.
std::vector<int> coordinates_of(const Topology& grid, int rank)
{
    std::vector<int> result(grid.dims.size());
    for (std::size_t k = grid.dims.size(); k-- > 0; rank /= grid.dims[k]) result[k] = rank % grid.dims[k];
    return result;
}
int rank_at(Communicator& c, std::vector<int> coordinates)
{
    int result = 0;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
        const int n = c.topology.dims[k];
        if (c.topology.periods[k] != 0) coordinates[k] = (coordinates[k] % n + n) % n;
        require(coordinates[k] >= 0 && coordinates[k] < n, MPI_ERR_ARG, &c);
        result = result * n + coordinates[k];
    }
    return result;
}

std::vector<int> list(const int* first, int n)
{
    return n > 0 ? std::vector<int>(first, first + n) : std::vector<int>();
}
std::vector<int> weights(const int* first, int n)
{
    if (first == MPI_UNWEIGHTED) return std::vector<int>(at(n), 1);
    return list(first, n);
}
void copy(const std::vector<int>& from, int most, int* to)
{
    if (to == nullptr || to == MPI_UNWEIGHTED || to == MPI_WEIGHTS_EMPTY) return;
    std::copy_n(from.begin(), std::min(from.size(), at(most)), to);
}

} // namespace

LOCAL(Topo_test, MPI_Comm comm, int* status) { *status = communicator(comm).topology.kind; }

COMMUNICATING(Cart_create, MPI_Comm comm, int n, const int* dims, const int* periods, int, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    require(n >= 0 && !c.is_inter(), MPI_ERR_ARG, &c);
    const int points = std::accumulate(dims, dims + n, 1, std::multiplies<>());
    require(points > 0, MPI_ERR_DIMS, &c);
    *result = first_processes(c, points);
    if (*result == MPI_COMM_NULL) return;
    Topology& made = communicator(*result).topology;
    made.kind = MPI_CART;
    made.dims = list(dims, n);
    made.periods = list(periods, n);
}

LOCAL(Cartdim_get, MPI_Comm comm, int* n)
{
    *n = static_cast<int>(with(comm, MPI_CART).topology.dims.size());
}

LOCAL(Cart_get, MPI_Comm comm, int most, int* dims, int* periods, int* coordinates)
{
    const Communicator& c = with(comm, MPI_CART);
    copy(c.topology.dims, most, dims);
    copy(c.topology.periods, most, periods);
    copy(coordinates_of(c.topology, c.rank), most, coordinates);
}

LOCAL(Cart_shift, MPI_Comm comm, int dimension, int displacement, int* source, int* target)
{
    Communicator& c = with(comm, MPI_CART);
    const int n = static_cast<int>(c.topology.dims.size());
    require(dimension >= 0 && dimension < n, MPI_ERR_DIMS, &c);
    const auto neighbor = [&](int offset) {
        std::vector<int> point = coordinates_of(c.topology, c.rank);
        int& coordinate = point[at(dimension)];
        coordinate += offset;
        const bool is_outside = coordinate < 0 || coordinate >= c.topology.dims[at(dimension)];
        return is_outside && c.topology.periods[at(dimension)] == 0 ? MPI_PROC_NULL : rank_at(c, point);
    };
    *source = neighbor(-displacement);
    *target = neighbor(displacement);
}

COMMUNICATING(Graph_create, MPI_Comm comm, int n, const int* index, const int* edges, int, MPI_Comm* result)
{
    *result = first_processes(communicator(comm), n);
    if (*result == MPI_COMM_NULL) return;
    Topology& made = communicator(*result).topology;
    made.kind = MPI_GRAPH;
    for (int r = 0; r < n; ++r) {
        const int first = r == 0 ? 0 : index[r - 1];
        made.neighbors.push_back(list(edges + first, index[r] - first));
    }
}

LOCAL(Graph_neighbors_count, MPI_Comm comm, int rank, int* n)
{
    *n = static_cast<int>(neighbors_of(comm, rank).size());
}

LOCAL(Graph_neighbors, MPI_Comm comm, int rank, int most, int* neighbors)
{
    copy(neighbors_of(comm, rank), most, neighbors);
}

COMMUNICATING(Dist_graph_create_adjacent, MPI_Comm comm, int n, const int* sources, const int* source_weights,
              int m, const int* targets, const int* target_weights, MPI_Info, int, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    require(n >= 0 && m >= 0, MPI_ERR_ARG, &c);
    *result = like(c);
    Topology& made = communicator(*result).topology;
    made.kind = MPI_DIST_GRAPH;
    made.sources = list(sources, n);
    made.targets = list(targets, m);
    made.source_weights = weights(source_weights, n);
    made.target_weights = weights(target_weights, m);
    made.is_weighted = source_weights != MPI_UNWEIGHTED;
}

COMMUNICATING(Dist_graph_create, MPI_Comm comm, int n, const int* nodes, const int* degrees,
              const int* targets, const int* edge_weights, MPI_Info, int, MPI_Comm* result)
{
    Communicator& c = communicator(comm);
    require(n >= 0, MPI_ERR_ARG, &c);
    std::vector<int> edges; // from, to, weight
    int next = 0;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < degrees[i]; ++k, ++next)
            edges.insert(edges.end(),
                         {nodes[i], targets[next], edge_weights == MPI_UNWEIGHTED ? 1 : edge_weights[next]});
    const auto meeting = tell_all(c, edges);
    *result = made_at(*meeting, c, c.context->members[0]);
    Topology& made = communicator(*result).topology;
    made.kind = MPI_DIST_GRAPH;
    made.is_weighted = edge_weights != MPI_UNWEIGHTED;
    for (int r = 0; r < c.size(); ++r) {
        const std::vector<int> theirs = meeting->numbers_of(r);
        for (std::size_t i = 0; i < theirs.size(); i += 3) {
            if (theirs[i] == c.rank) {
                made.targets.push_back(theirs[i + 1]);
                made.target_weights.push_back(theirs[i + 2]);
            }
            if (theirs[i + 1] == c.rank) {
                made.sources.push_back(theirs[i]);
                made.source_weights.push_back(theirs[i + 2]);
            }
        }
    }
}

LOCAL(Dist_graph_neighbors_count, MPI_Comm comm, int* in, int* out, int* is_weighted)
{
    const Topology& graph = with(comm, MPI_DIST_GRAPH).topology;
    *in = static_cast<int>(graph.sources.size());
    *out = static_cast<int>(graph.targets.size());
    *is_weighted = graph.is_weighted ? 1 : 0;
}

LOCAL(Dist_graph_neighbors, MPI_Comm comm, int most_in, int* sources, int* source_weights, int most_out,
      int* targets, int* target_weights)
{
    const Topology& graph = with(comm, MPI_DIST_GRAPH).topology;
    copy(graph.sources, most_in, sources);
    copy(graph.targets, most_out, targets);
    if (!graph.is_weighted) return;
    copy(graph.source_weights, most_in, source_weights);
    copy(graph.target_weights, most_out, target_weights);
}
