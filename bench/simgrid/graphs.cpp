// SPDX-License-Identifier: BSD-3-Clause
// Functions that SMPI (SimGrid 3.32) declares but lacks, as far as the library and ortho-bench call them:
// graphs, which are attributes of communicators, and collectives on them, one message for each edge.  Names
// with PMPI_ and MPI_ are equal.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace {

struct Side {
    std::vector<int> ranks, weights;
};

struct Graph {
    Side in, out;
    bool weighted = false;
};

int copy_graph(MPI_Comm, int, void*, void* graph, void* copy, int* flag)
{
    *static_cast<Graph**>(copy) = new Graph(*static_cast<Graph*>(graph));
    *flag = 1;
    return MPI_SUCCESS;
}

int free_graph(MPI_Comm, int, void* graph, void*)
{
    delete static_cast<Graph*>(graph);
    return MPI_SUCCESS;
}

int key()
{
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID) PMPI_Comm_create_keyval(copy_graph, free_graph, &key, nullptr);
    return key;
}

/// The graph of a communicator, or nullptr.
const Graph* graph_of(MPI_Comm comm)
{
    Graph* graph = nullptr;
    int flag = 0;
    PMPI_Comm_get_attr(comm, key(), &graph, &flag);
    return flag != 0 ? graph : nullptr;
}

Side side(int degree, const int ranks[], const int weights[])
{
    const bool weighted = weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
    if (weighted) return {{ranks, ranks + degree}, {weights, weights + degree}};
    return {{ranks, ranks + degree}, std::vector<int>(static_cast<std::size_t>(degree), 1)};
}

int make(MPI_Comm base, std::unique_ptr<Graph> graph, MPI_Comm* comm)
{
    // Not a duplicate, which would have the topology of the other communicator.
    MPI_Group all = MPI_GROUP_NULL;
    PMPI_Comm_group(base, &all);
    const int code = PMPI_Comm_create(base, all, comm);
    PMPI_Group_free(&all);
    if (code == MPI_SUCCESS) PMPI_Comm_set_attr(*comm, key(), graph.release());
    return code;
}

template <class T>
T* moved(T* buffer, MPI_Aint bytes)
{
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                static_cast<std::uintptr_t>(bytes));
}

MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lower = 0, extent = 0;
    PMPI_Type_get_extent(type, &lower, &extent);
    return extent;
}

/// Block number i of a list of blocks.
struct Block {
    MPI_Aint place; // in bytes
    int count;
    MPI_Datatype type;
};

/// Sends all messages at once, one for each edge.
template <class SendBlock, class ReceiveBlock>
int exchange(const void* send, const SendBlock& sent, void* receive, const ReceiveBlock& received,
             MPI_Comm comm)
{
    const Graph* const graph = graph_of(comm);
    if (graph == nullptr) return MPI_ERR_TOPOLOGY;
    constexpr int tag = 0x6e62;
    std::vector<MPI_Request> requests(graph->in.ranks.size() + graph->out.ranks.size());
    MPI_Request* request = requests.data();
    for (std::size_t i = 0; i < graph->in.ranks.size(); ++i) {
        const Block block = received(static_cast<int>(i));
        PMPI_Irecv(moved(receive, block.place), block.count, block.type, graph->in.ranks[i], tag, comm,
                   request++);
    }
    for (std::size_t i = 0; i < graph->out.ranks.size(); ++i) {
        const Block block = sent(static_cast<int>(i));
        PMPI_Isend(moved(send, block.place), block.count, block.type, graph->out.ranks[i], tag, comm,
                   request++);
    }
    return PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

auto regular(int count, MPI_Datatype type)
{
    return [=, bytes = count * extent_of(type)](int i) { return Block{i * bytes, count, type}; };
}

auto same(int count, MPI_Datatype type)
{
    return [=](int) { return Block{0, count, type}; };
}

auto irregular(const int counts[], const int displacements[], MPI_Datatype type)
{
    return [=, bytes = extent_of(type)](int i) { return Block{displacements[i] * bytes, counts[i], type}; };
}

auto typed(const int counts[], const MPI_Aint displacements[], const MPI_Datatype types[])
{
    return [=](int i) { return Block{displacements[i], counts[i], types[i]}; };
}

} // namespace

extern "C" {

int PMPI_Topo_test(MPI_Comm comm, int* status)
{
    int dimensions = 0;
    if (graph_of(comm) != nullptr)
        *status = MPI_DIST_GRAPH;
    else if (PMPI_Cartdim_get(comm, &dimensions) == MPI_SUCCESS)
        *status = MPI_CART;
    else
        *status = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                    const int sourceweights[], int outdegree, const int destinations[],
                                    const int destweights[], MPI_Info, int, MPI_Comm* comm)
{
    const bool weighted = sourceweights != MPI_UNWEIGHTED;
    Graph graph{side(indegree, sources, sourceweights), side(outdegree, destinations, destweights), weighted};
    return make(comm_old, std::make_unique<Graph>(std::move(graph)), comm);
}

int PMPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                           const int destinations[], const int weights[], MPI_Info, int, MPI_Comm* comm)
{
    // Tell every edge to both its ends: source, destination, weight, end.
    int size = 0;
    PMPI_Comm_size(comm_old, &size);
    const bool weighted = weights != MPI_UNWEIGHTED;
    struct Edge {
        int source, destination, weight, end;
    };
    std::vector<Edge> edges;
    for (int i = 0, k = 0; i < n; ++i)
        for (int j = 0; j < degrees[i]; ++j, ++k) {
            const int weight = weighted && weights != MPI_WEIGHTS_EMPTY ? weights[k] : 1;
            edges.push_back({sources[i], destinations[k], weight, sources[i]});
            edges.push_back({sources[i], destinations[k], weight, destinations[k]});
        }
    std::ranges::stable_sort(edges, {}, &Edge::end);
    constexpr int ints = sizeof(Edge) / sizeof(int);
    std::vector<int> sent(static_cast<std::size_t>(size)), received(sent), to(sent), from(sent);
    for (const Edge& edge : edges) sent[static_cast<std::size_t>(edge.end)] += ints;
    PMPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, comm_old);
    std::exclusive_scan(sent.begin(), sent.end(), to.begin(), 0);
    std::exclusive_scan(received.begin(), received.end(), from.begin(), 0);
    std::vector<Edge> mine(static_cast<std::size_t>((from.back() + received.back()) / ints));
    PMPI_Alltoallv(edges.data(), sent.data(), to.data(), MPI_INT, mine.data(), received.data(), from.data(),
                   MPI_INT, comm_old);
    int rank = 0;
    PMPI_Comm_rank(comm_old, &rank);
    auto graph = std::make_unique<Graph>();
    graph->weighted = weighted;
    // An edge to oneself has arrived twice.
    bool second = false;
    for (const Edge& edge : mine) {
        const bool loop = edge.source == edge.destination;
        if (edge.source == rank && !(loop && second)) {
            graph->out.ranks.push_back(edge.destination);
            graph->out.weights.push_back(edge.weight);
        }
        if (edge.destination == rank && (!loop || second)) {
            graph->in.ranks.push_back(edge.source);
            graph->in.weights.push_back(edge.weight);
        }
        if (loop) second = !second;
    }
    return make(comm_old, std::move(graph), comm);
}

int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted)
{
    const Graph* const graph = graph_of(comm);
    if (graph == nullptr) return MPI_ERR_TOPOLOGY;
    *indegree = static_cast<int>(graph->in.ranks.size());
    *outdegree = static_cast<int>(graph->out.ranks.size());
    *weighted = graph->weighted ? 1 : 0;
    return MPI_SUCCESS;
}

int PMPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                              int maxoutdegree, int destinations[], int destweights[])
{
    const Graph* const graph = graph_of(comm);
    if (graph == nullptr) return MPI_ERR_TOPOLOGY;
    const auto copy = [](const std::vector<int>& list, int most, int* to) {
        if (to != MPI_UNWEIGHTED)
            std::copy_n(list.begin(), std::min(list.size(), static_cast<std::size_t>(most)), to);
    };
    copy(graph->in.ranks, maxindegree, sources);
    copy(graph->out.ranks, maxoutdegree, destinations);
    if (graph->weighted) {
        copy(graph->in.weights, maxindegree, sourceweights);
        copy(graph->out.weights, maxoutdegree, destweights);
    }
    return MPI_SUCCESS;
}

int PMPI_Neighbor_alltoall(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(send, regular(sendcount, sendtype), receive, regular(recvcount, recvtype), comm);
}

int PMPI_Neighbor_alltoallv(const void* send, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* receive, const int recvcounts[], const int rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(send, irregular(sendcounts, sdispls, sendtype), receive,
                    irregular(recvcounts, rdispls, recvtype), comm);
}

int PMPI_Neighbor_alltoallw(const void* send, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* receive, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return exchange(send, typed(sendcounts, sdispls, sendtypes), receive,
                    typed(recvcounts, rdispls, recvtypes), comm);
}

int PMPI_Neighbor_allgather(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(send, same(sendcount, sendtype), receive, regular(recvcount, recvtype), comm);
}

int PMPI_Neighbor_allgatherv(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
    return exchange(send, same(sendcount, sendtype), receive, irregular(recvcounts, displs, recvtype), comm);
}

// All messages go at once: a process that begins one waits for it at once (see collectives.cpp).

int PMPI_Ineighbor_alltoall(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Neighbor_alltoall(send, sendcount, sendtype, receive, recvcount, recvtype, comm);
}

int PMPI_Ineighbor_alltoallv(const void* send, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* receive, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Neighbor_alltoallv(send, sendcounts, sdispls, sendtype, receive, recvcounts, rdispls,
                                   recvtype, comm);
}

int PMPI_Ineighbor_alltoallw(const void* send, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* receive, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Neighbor_alltoallw(send, sendcounts, sdispls, sendtypes, receive, recvcounts, rdispls,
                                   recvtypes, comm);
}

int PMPI_Ineighbor_allgather(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Neighbor_allgather(send, sendcount, sendtype, receive, recvcount, recvtype, comm);
}

int PMPI_Ineighbor_allgatherv(const void* send, int sendcount, MPI_Datatype sendtype, void* receive,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                              MPI_Comm comm, MPI_Request* request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Neighbor_allgatherv(send, sendcount, sendtype, receive, recvcounts, displs, recvtype, comm);
}

decltype(PMPI_Topo_test) MPI_Topo_test __attribute__((alias("PMPI_Topo_test")));
decltype(PMPI_Dist_graph_create_adjacent) MPI_Dist_graph_create_adjacent
    __attribute__((alias("PMPI_Dist_graph_create_adjacent")));
decltype(PMPI_Dist_graph_create) MPI_Dist_graph_create __attribute__((alias("PMPI_Dist_graph_create")));
decltype(PMPI_Dist_graph_neighbors_count) MPI_Dist_graph_neighbors_count
    __attribute__((alias("PMPI_Dist_graph_neighbors_count")));
decltype(PMPI_Dist_graph_neighbors) MPI_Dist_graph_neighbors
    __attribute__((alias("PMPI_Dist_graph_neighbors")));
decltype(PMPI_Neighbor_alltoall) MPI_Neighbor_alltoall __attribute__((alias("PMPI_Neighbor_alltoall")));
decltype(PMPI_Neighbor_alltoallv) MPI_Neighbor_alltoallv __attribute__((alias("PMPI_Neighbor_alltoallv")));
decltype(PMPI_Neighbor_alltoallw) MPI_Neighbor_alltoallw __attribute__((alias("PMPI_Neighbor_alltoallw")));
decltype(PMPI_Neighbor_allgather) MPI_Neighbor_allgather __attribute__((alias("PMPI_Neighbor_allgather")));
decltype(PMPI_Neighbor_allgatherv) MPI_Neighbor_allgatherv __attribute__((alias("PMPI_Neighbor_allgatherv")));
decltype(PMPI_Ineighbor_alltoall) MPI_Ineighbor_alltoall __attribute__((alias("PMPI_Ineighbor_alltoall")));
decltype(PMPI_Ineighbor_alltoallv) MPI_Ineighbor_alltoallv __attribute__((alias("PMPI_Ineighbor_alltoallv")));
decltype(PMPI_Ineighbor_alltoallw) MPI_Ineighbor_alltoallw __attribute__((alias("PMPI_Ineighbor_alltoallw")));
decltype(PMPI_Ineighbor_allgather) MPI_Ineighbor_allgather __attribute__((alias("PMPI_Ineighbor_allgather")));
decltype(PMPI_Ineighbor_allgatherv) MPI_Ineighbor_allgatherv
    __attribute__((alias("PMPI_Ineighbor_allgatherv")));

} // extern "C"
