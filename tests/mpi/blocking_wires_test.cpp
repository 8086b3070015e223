// SPDX-License-Identifier: BSD-3-Clause
// Blocking exchanges on irregular graphs whose messages between nodes (ORTHO_NODES) travel together: random
// graphs, calls of all kinds by turns, whose sizes are as before, or others on any edge, against arithmetic.

#include "calls.hpp"
#include "edge_graph.hpp"
#include "engine/context.hpp"
#include "topology/graph.hpp"

namespace {

constexpr int elements = 300; ///< of a process
constexpr int untouched = -99;

using test::mix;
using test::value;

struct Edge {
    int from, to, id;
};

enum class Kind { alltoall, alltoallv, alltoallw, allgather, allgatherv };

/// Sizes change: never, on some edges now and then, or everywhere in each call.
enum class Change { never, sometimes, always };

/// One call; all processes know it.
struct Call {
    Kind kind;
    Change change;
    int number;
    unsigned seed;

    bool is_personal() const { return kind < Kind::allgather; }
    bool has_one_size() const { return kind == Kind::alltoall || kind == Kind::allgather; }
    /// The elements of the block that goes along an edge.
    int size(const Edge& edge) const
    {
        const auto of = has_one_size()  ? 0U
                        : is_personal() ? 1U + unsigned(edge.id)
                                        : 1U + unsigned(edge.from);
        const auto its_number = static_cast<unsigned>(number);
        const bool is_other = change == Change::always ||
                              (change == Change::sometimes && mix(seed, of, its_number) % 8 == 0);
        return static_cast<int>(mix(seed, of, is_other ? its_number + 1 : 0) % (is_other ? 60 : 20));
    }
    /// Where it begins among the elements of its sender: blocks may overlap.
    int first(const Edge& edge) const
    {
        return is_personal() ? static_cast<int>(mix(seed, unsigned(edge.id), unsigned(number)) % 200) : 0;
    }
};

using Graph = test::EdgeGraph<Edge>;

struct Buffers {
    Ints send, receive;
};

/// Every other element, where it is asked for.
MPI_Datatype spread()
{
    static const MPI_Datatype type = test::committed(MPI_Type_create_resized, MPI_INT, 0,
                                                     2 * MPI_Aint{sizeof(int)});
    return type;
}

void make(const Graph& graph, const Call& call, Buffers& buffers, bool is_spread)
{
    const int me = test::rank();
    buffers.send.assign(elements, untouched);
    for (int i = 0; i < elements; ++i) buffers.send[at(i)] = value(me, i, call.number);
    if (call.kind == Kind::alltoall) { // its blocks lie one after the other
        buffers.send.clear();
        for (const Edge& edge : graph.out)
            for (int i = 0; i < call.size(edge); ++i)
                buffers.send.push_back(value(me, call.first(edge) + i, call.number));
    }
    Ints sendcounts, sdispls, recvcounts, rdispls;
    const int stride = is_spread && call.kind == Kind::alltoallw ? 2 : 1;
    int end = 0;
    for (const Edge& edge : graph.out) {
        sendcounts.push_back(call.size(edge));
        sdispls.push_back(call.first(edge));
    }
    for (const Edge& edge : graph.in) {
        recvcounts.push_back(call.size(edge));
        rdispls.push_back(end);
        end += stride * call.size(edge) + (call.has_one_size() ? 0 : 1);
    }
    buffers.receive.assign(20000, untouched);
    const Edge mine{me, me, -1};
    const int one = call.has_one_size() ? call.size(mine) : 0;
    int* const send = buffers.send.data();
    int* const receive = buffers.receive.data();
    switch (call.kind) {
    case Kind::alltoall:
        CHECK_OK(ORTHO_Alltoall(send, one, MPI_INT, receive, one, MPI_INT, graph.made));
        break;
    case Kind::alltoallv:
        CHECK_OK(ORTHO_Alltoallv(send, sendcounts.data(), sdispls.data(), MPI_INT, receive, recvcounts.data(),
                                 rdispls.data(), MPI_INT, graph.made));
        break;
    case Kind::alltoallw: {
        const auto bytes = [](Ints places) {
            for (int& place : places) place *= static_cast<int>(sizeof(int));
            return places;
        };
        const std::vector<MPI_Datatype> sent(sdispls.size() + 1, MPI_INT);
        const std::vector<MPI_Datatype> received(rdispls.size() + 1, stride == 2 ? spread() : MPI_INT);
        CHECK_OK(in(test::Form::blocking, SMALL_FORMS(Alltoallw, Ialltoallw), send, sendcounts,
                    bytes(sdispls), sent.data(), receive, recvcounts, bytes(rdispls), received.data(),
                    graph.made));
        break;
    }
    case Kind::allgather:
        CHECK_OK(ORTHO_Allgather(send, one, MPI_INT, receive, one, MPI_INT, graph.made));
        break;
    case Kind::allgatherv:
        CHECK_OK(ORTHO_Allgatherv(send, call.size(mine), MPI_INT, receive, recvcounts.data(), rdispls.data(),
                                  MPI_INT, graph.made));
        break;
    }
    Ints expected(buffers.receive.size(), untouched);
    for (std::size_t e = 0; e < graph.in.size(); ++e)
        for (int i = 0; i < recvcounts[e]; ++i)
            expected[at(rdispls[e] + stride * i)] = value(graph.in[e].from, call.first(graph.in[e]) + i,
                                                          call.number);
    CHECK(buffers.receive == expected);
}

/// How many kinds of calls go by wires; all processes say the same.
int kinds_by_wires(MPI_Comm comm)
{
    const auto graph = ortho::topology::graph_of(comm);
    int result = 0, fewest = 0, most = 0;
    for (const auto& [name, kind] : ortho::engine::engine_of(*graph).expected_sizes)
        if (kind.now && kind.now->counts) ++result;
    MPI_Allreduce(&result, &fewest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&result, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQ(fewest, most);
    return result;
}

/// Has any process more messages to other nodes, or from them, than its share of wires?
bool wires_are_fewer(const std::vector<Edge>& edges, int node_size)
{
    for (int me = 0; me < test::size(); ++me) {
        std::set<int> targets, sources;
        for (const Edge& edge : edges) {
            if (edge.from / node_size == edge.to / node_size) continue;
            if (edge.from == me) targets.insert(edge.to);
            if (edge.to == me) sources.insert(edge.from);
        }
        const auto most = std::max(targets.size(), sources.size());
        const auto nodes = static_cast<std::size_t>((test::size() + node_size - 1) / node_size);
        if (most > 1 && most > (nodes - 1 + at(node_size) - 1) / at(node_size)) return true;
    }
    return false;
}

void check_graph(Random& random, Random& local, int node_size, Change change)
{
    std::vector<Edge> edges;
    const int p = test::size();
    const int loner = uniform(random, 0, 2 * p); // if it is a process
    for (int from = 0; from < p; ++from)
        for (int to = 0; to < p; ++to)
            for (int n = uniform(random, -1, 2); n > 0 && from != loner && to != loner; --n)
                edges.push_back({from, to, static_cast<int>(edges.size())});
    edges.push_back({0, p - 1, static_cast<int>(edges.size())}); // which leaves its node
    const auto seed = static_cast<unsigned>(random());
    const Graph graph(edges, seed);
    std::vector<Buffers> buffers(3);
    const int calls = 60;
    for (int number = 0; number < calls; ++number) {
        const int kind = number < 15 ? number % 5 : uniform(random, 0, 4);
        const Call call{static_cast<Kind>(kind), change, number, seed};
        // Some processes know the call from before, and others do not.
        make(graph, call, buffers[at(uniform(local, 0, 2))], uniform(local, 0, 1) == 0);
    }
    const int by_wires = kinds_by_wires(graph.made);
    const bool has_grid = ortho::topology::graph_of(graph.made)->graph_info->isomorphism.has_value();
    if (change == Change::never && !has_grid && wires_are_fewer(edges, node_size)) CHECK_EQ(by_wires, 4);
}

/// On a line that nobody has named: where neighbors have other blocks than others have, they go by wires.
void check_found_grid()
{
    const int p = test::size();
    std::vector<Edge> edges;
    for (int r = 0; r < p; ++r)
        for (const int step : {1, 2, 3})
            for (const int to : {r - step, r + step})
                if (to >= 0 && to < p) edges.push_back({r, to, static_cast<int>(edges.size())});
    const Graph graph(edges, 1);
    Buffers buffers;
    for (int number = 0; number < 30; ++number)
        make(graph, {Kind::alltoallv, Change::never, number, 7}, buffers, false);
    if (p > 3) CHECK_EQ(kinds_by_wires(graph.made), 1);
}

} // namespace

TEST_MAIN()
{
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4713)));
    Random local(random() + static_cast<unsigned>(test::rank()));
    // Messages to other nodes are so dear that wires are always chosen.
    const std::string file = "blocking_wires_test." + std::to_string(getpid()) + ".tune";
    if (test::rank() == 0) {
        std::ofstream(file) << "network.send_ps 1000000000\nnetwork.receive_ps 1000000000\n";
        setenv("ORTHO_TUNE", file.c_str(), 1);
    }
    for (const int size : {2, 3}) {
        if (test::size() <= size) continue;
        setenv("ORTHO_NODES", std::to_string(size).c_str(), 1);
        for (int repeat = test::given("ORTHO_TEST_REPEATS", test::times(3)); repeat > 0; --repeat)
            for (const Change change : {Change::never, Change::sometimes, Change::always})
                check_graph(random, local, size, change);
        check_found_grid();
    }
    if (test::rank() == 0) std::remove(file.c_str());
}
