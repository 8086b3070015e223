// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes that travel together: random graphs, nodes that are none (ORTHO_NODES), persistent
// alltoalls and allgathers whose blocks overlap, have gaps, or are empty, and reductions, run, started and
// rebound, against arithmetic.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "edge_graph.hpp"
#include "error_checks.hpp"
#include "mpiortho.h"
#include "random_cases.hpp"

using cases::Random;
using cases::uniform;
using ortho::at;
using Ints = std::vector<int>;

namespace {

constexpr int elements = 64; ///< of a process
constexpr int untouched = -99;

int value(int rank, int element, int turn) { return turn * 1'000'000 + rank * 1000 + element; }

/// A block: elements of its sender, in any order, some of them several times with the same sender.
struct Edge {
    int from, to;
    Ints sent;
};

/// All processes know it.  No edge is there twice.
std::vector<Edge> random_edges(Random& random, int processes, bool is_empty_now_and_then)
{
    std::vector<Edge> edges;
    for (int from = 0; from < processes; ++from)
        for (int to = 0; to < processes; ++to) {
            if (uniform(random, 0, 3) == 0) continue;
            Edge& edge = edges.emplace_back(from, to, Ints());
            int n = is_empty_now_and_then && uniform(random, 0, 4) == 0 ? 0 : uniform(random, 1, 12);
            const bool is_row = uniform(random, 0, 1) == 0;
            const int first = uniform(random, 0, elements - 12);
            std::vector<bool> is_there(elements, false); // MPI forbids none of this, but MPI_Type checks may
            for (int i = 0; i < n; ++i) {
                const int element = is_row ? first + i : uniform(random, 0, elements - 1);
                if (is_there[at(element)]) continue;
                is_there[at(element)] = true;
                edge.sent.push_back(element);
            }
        }
    return edges;
}

MPI_Datatype type_of(const Ints& places)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Ints lengths(places.size(), 1);
    MPI_Type_indexed(static_cast<int>(places.size()), lengths.data(), places.data(), MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/// A graph of these edges, whose lists are in any order.
struct Graph : test::EdgeGraph<Edge> {
    Graph(const std::vector<Edge>& edges, Random& local, MPI_Comm comm)
        : EdgeGraph(edges, comm, [&](std::vector<Edge>& to_me, std::vector<Edge>& from_me) {
              std::ranges::shuffle(to_me, local);
              std::ranges::shuffle(from_me, local);
          })
    {}
};

struct Buffers {
    Ints send = Ints(elements, untouched);
    Ints receive = Ints(20000, untouched);
};

void fill(Buffers& buffers, int me, int turn)
{
    for (int i = 0; i < elements; ++i) buffers.send[at(i)] = value(me, i, turn);
    std::ranges::fill(buffers.receive, untouched);
}

/// Runs or starts it some times, with these buffers or with others; `check(buffers, turn)`.
template <class Check>
void play(ORTHO_Request& request, Buffers& first, Random& random, Random& local, int me, Check check)
{
    Buffers second;
    for (int turn = 0; turn < 7; ++turn) {
        // Each process rebinds as it likes, but all run it, or all start it.
        Buffers& now = uniform(local, 0, 1) == 0 ? first : second;
        CHECK_OK(ORTHO_Request_rebind(request, now.send.data(), now.receive.data()));
        fill(now, me, turn);
        if (uniform(random, 0, 3) != 0) {
            CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(ORTHO_Start(&request));
            CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        }
        check(now, turn);
        std::ranges::fill(now.send, -1); // it is this process's again
    }
}

/// How a request is made: with algorithms of these names; by what is chosen without a name.
std::string named;

MPI_Info info_of()
{
    MPI_Info info = MPI_INFO_NULL;
    if (named.empty()) return info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ortho_algorithm", named.c_str());
    return info;
}

/// Where do messages between nodes travel together?
enum class Chosen { by_price, always };

void finish(ORTHO_Request& request, MPI_Info& info, Chosen chosen)
{
    const std::string told = test::explanation(request);
    const auto is_told = [&](const char* words) { return told.find(words) != std::string::npos; };
    // All processes choose alike.  Where nobody comes by, only ORTHO_Run may forward messages.
    const int by_wires = is_told("_node_wires on rank") ? 1 : 0;
    int fewest = 0, most = 0;
    MPI_Allreduce(&by_wires, &fewest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&by_wires, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_EQ(fewest, most);
    if (chosen == Chosen::always) CHECK_EQ(by_wires, 1);
    CHECK_EQ(is_told("_direct on rank") || is_told("_ordered on rank"), chosen != Chosen::always);
    CHECK_OK(ORTHO_Request_free(&request));
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
}

/// Blocks are indexed types over one buffer: what several processes of a node want crosses once.
void alltoallw(const std::vector<Edge>& edges, Chosen chosen, Random& random, Random& local, MPI_Comm comm)
{
    const Graph graph(edges, local, comm);
    const int me = test::rank(comm);
    Buffers buffers;
    std::vector<MPI_Datatype> sent, received;
    const Ints ones(std::max(graph.in.size(), graph.out.size()) + 1, 1);
    const std::vector<MPI_Aint> nowhere(ones.size(), 0);
    for (const Edge& edge : graph.out) sent.push_back(type_of(edge.sent));
    Ints begins;
    int end = 3;
    for (const Edge& edge : graph.in) {
        Ints places; // every other one, back to front
        for (std::size_t i = 0; i < edge.sent.size(); ++i)
            places.push_back(end + 2 * static_cast<int>(edge.sent.size() - i));
        begins.push_back(end);
        end += 2 * static_cast<int>(edge.sent.size()) + 3;
        received.push_back(type_of(places));
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    MPI_Info info = info_of();
    CHECK_OK(ORTHO_Alltoallw_init(buffers.send.data(), ones.data(), nowhere.data(), sent.data(),
                                  buffers.receive.data(), ones.data(), nowhere.data(), received.data(),
                                  graph.made, info, &request));
    for (auto* const types : {&sent, &received})
        for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    play(request, buffers, random, local, me, [&](const Buffers& now, int turn) {
        Ints expected(now.receive.size(), untouched);
        for (std::size_t i = 0; i < graph.in.size(); ++i) {
            const Ints& its = graph.in[i].sent;
            for (std::size_t e = 0; e < its.size(); ++e)
                expected[at(begins[i]) + 2 * (its.size() - e)] = value(graph.in[i].from, its[e], turn);
        }
        CHECK(now.receive == expected);
    });
    finish(request, info, chosen);
}

/// Blocks lie in rows, and may overlap where they are sent.
void alltoallv(const std::vector<Edge>& edges, Chosen chosen, Random& random, Random& local, MPI_Comm comm)
{
    const Graph graph(edges, local, comm);
    const int me = test::rank(comm);
    Buffers buffers;
    Ints sendcounts, sdispls, recvcounts, rdispls;
    const auto first_of = [](const Edge& edge) { return (edge.from + edge.to) % 8; };
    for (const Edge& edge : graph.out) {
        sendcounts.push_back(static_cast<int>(edge.sent.size()));
        sdispls.push_back(first_of(edge));
    }
    int end = 0;
    for (const Edge& edge : graph.in) {
        recvcounts.push_back(static_cast<int>(edge.sent.size()));
        rdispls.push_back(end);
        end += recvcounts.back() + 1;
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    MPI_Info info = info_of();
    CHECK_OK(ORTHO_Alltoallv_init(buffers.send.data(), sendcounts.data(), sdispls.data(), MPI_INT,
                                  buffers.receive.data(), recvcounts.data(), rdispls.data(), MPI_INT,
                                  graph.made, info, &request));
    play(request, buffers, random, local, me, [&](const Buffers& now, int turn) {
        Ints expected(now.receive.size(), untouched);
        for (std::size_t i = 0; i < graph.in.size(); ++i)
            for (int e = 0; e < recvcounts[i]; ++e)
                expected[at(rdispls[i] + e)] = value(graph.in[i].from, first_of(graph.in[i]) + e, turn);
        CHECK(now.receive == expected);
    });
    finish(request, info, chosen);
}

void allgatherv(const std::vector<Edge>& edges, Chosen chosen, Random& random, Random& local, MPI_Comm comm)
{
    const Graph graph(edges, local, comm);
    const int me = test::rank(comm);
    Buffers buffers;
    const auto count_of = [](int rank) { return rank % 5 == 3 ? 0 : 3 + rank % 7; };
    Ints recvcounts, rdispls;
    int end = 0;
    for (const Edge& edge : graph.in) {
        recvcounts.push_back(count_of(edge.from));
        rdispls.push_back(end);
        end += recvcounts.back() + 1;
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    MPI_Info info = info_of();
    CHECK_OK(ORTHO_Allgatherv_init(buffers.send.data(), count_of(me), MPI_INT, buffers.receive.data(),
                                   recvcounts.data(), rdispls.data(), MPI_INT, graph.made, info, &request));
    play(request, buffers, random, local, me, [&](const Buffers& now, int turn) {
        Ints expected(now.receive.size(), untouched);
        for (std::size_t i = 0; i < graph.in.size(); ++i)
            for (int e = 0; e < recvcounts[i]; ++e)
                expected[at(rdispls[i] + e)] = value(graph.in[i].from, e, turn);
        CHECK(now.receive == expected);
    });
    finish(request, info, chosen);
}

/// Sums of numbers that depend on the order: that of in-edges, from the last one on.  `personal`: each
/// out-neighbor gets a block of its own.
void sums(const std::vector<Edge>& edges, bool personal, Chosen chosen, Random& random, Random& local,
          MPI_Comm comm)
{
    const Graph graph(edges, local, comm);
    const int me = test::rank(comm);
    const int count = uniform(random, 1, 20);
    const auto number = [](int from, int to, int i, int turn) {
        return 1.0 / (1 + from * 7 + to * 3 + i * 11 + turn * 5);
    };
    const std::size_t blocks = personal ? graph.out.size() : 1;
    std::vector<double> send(blocks * at(count)), receive(at(count));
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    MPI_Info info = info_of();
    if (personal)
        CHECK_OK(ORTHO_Reduce_scatter_block_init(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM,
                                                 graph.made, info, &request));
    else
        CHECK_OK(ORTHO_Allreduce_init(send.data(), receive.data(), count, MPI_DOUBLE, MPI_SUM, graph.made,
                                      info, &request));
    for (int turn = 0; turn < 5; ++turn) {
        for (std::size_t b = 0; b < blocks; ++b)
            for (int i = 0; i < count; ++i)
                send[b * at(count) + at(i)] = number(me, personal ? graph.out[b].to : 0, i, turn);
        std::ranges::fill(receive, untouched);
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < count; ++i) {
            double sum = untouched;
            for (std::size_t e = graph.in.size(); e-- > 0;) {
                const double its = number(graph.in[e].from, personal ? me : 0, i, turn);
                sum = e + 1 == graph.in.size() ? its : its + sum;
            }
            CHECK_EQ(receive[at(i)], sum);
        }
    }
    finish(request, info, chosen);
}

/// Processes run far ahead of each other, as far as they can: rows take turns.
void run_in_a_row(MPI_Comm comm)
{
    const int me = test::rank(comm);
    const int p = test::size(comm);
    // From the first processes to the last ones, which only receive.
    std::vector<Edge> edges;
    for (int from = 0; from < p / 2; ++from)
        for (int to = p / 2; to < p; ++to) edges.push_back({from, to, {from, to, from + to}});
    Random local(1);
    const Graph graph(edges, local, comm);
    Buffers buffers;
    std::vector<MPI_Datatype> sent, received;
    const Ints ones(at(p) + 1, 1);
    const std::vector<MPI_Aint> nowhere(ones.size(), 0);
    std::vector<MPI_Aint> begins;
    for (const Edge& edge : graph.out) sent.push_back(type_of(edge.sent));
    for (std::size_t i = 0; i < graph.in.size(); ++i) {
        received.push_back(type_of({0, 1, 2}));
        begins.push_back(static_cast<MPI_Aint>(3 * i * sizeof(int)));
    }
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    MPI_Info info = info_of();
    CHECK_OK(ORTHO_Alltoallw_init(buffers.send.data(), ones.data(), nowhere.data(), sent.data(),
                                  buffers.receive.data(), ones.data(), begins.data(), received.data(),
                                  graph.made, info, &request));
    for (int turn = 0; turn < 500; ++turn) {
        fill(buffers, me, turn);
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        for (std::size_t i = 0; i < graph.in.size(); ++i)
            for (std::size_t e = 0; e < 3; ++e)
                CHECK_EQ(buffers.receive[3 * i + e], value(graph.in[i].from, graph.in[i].sent[e], turn));
    }
    for (auto* const types : {&sent, &received})
        for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    CHECK_OK(ORTHO_Request_free(&request));
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
}

/// Large blocks: each process has a wire of its own.
void large(MPI_Comm comm)
{
    const int me = test::rank(comm);
    const int p = test::size(comm);
    constexpr int count = 20000;
    std::vector<Edge> edges;
    for (int from = 0; from < p; ++from)
        for (int to = 0; to < p; ++to) edges.push_back({from, to, {}});
    Random local(1);
    const Graph graph(edges, local, comm);
    Ints send(at(p * count)), receive(at(p * count));
    Ints counts(at(p), count), sent, received;
    for (const Edge& edge : graph.out) sent.push_back(edge.to * count);
    for (const Edge& edge : graph.in) received.push_back(edge.from * count);
    ORTHO_Request request = ORTHO_REQUEST_NULL;
    MPI_Info info = info_of();
    CHECK_OK(ORTHO_Alltoallv_init(send.data(), counts.data(), sent.data(), MPI_INT, receive.data(),
                                  counts.data(), received.data(), MPI_INT, graph.made, info, &request));
    for (int turn = 0; turn < 3; ++turn) {
        for (std::size_t i = 0; i < send.size(); ++i) send[i] = value(me, static_cast<int>(i), turn);
        CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
        for (int from = 0; from < p; ++from)
            for (int e = 0; e < count; ++e)
                CHECK_EQ(receive[at(from * count + e)], value(from, me * count + e, turn));
    }
    CHECK_OK(ORTHO_Request_free(&request));
    if (info != MPI_INFO_NULL) MPI_Info_free(&info);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm const comm = MPI_COMM_WORLD;
    const int p = test::size();
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4712)));
    Random local(random() + static_cast<unsigned>(test::rank()));
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::times(6));
    for (const int size : {2, 3}) {
        if (p <= size) continue;
        setenv("ORTHO_NODES", std::to_string(size).c_str(), 1);
        for (int repeat = 0; repeat < repeats; ++repeat) {
            const auto edges = random_edges(random, p, repeat % 2 == 0);
            // Chosen where they are predicted to be faster; started ones never, as nobody comes by.
            named = repeat % 3 == 0 ? ""
                                    : "alltoall_node_wires,allgather_node_wires,allreduce_node_wires,"
                                      "reduce_scatter_node_wires";
            const Chosen chosen = named.empty() ? Chosen::by_price : Chosen::always;
            alltoallw(edges, chosen, random, local, comm);
            alltoallv(edges, chosen, random, local, comm);
            allgatherv(edges, chosen, random, local, comm);
            sums(edges, false, chosen, random, local, comm);
            sums(edges, true, chosen, random, local, comm);
        }
        for (const char* const names : {"", "alltoall_node_wires"}) {
            named = names;
            run_in_a_row(comm);
            large(comm);
        }
    }
    unsetenv("ORTHO_NODES");
    return test::finish();
}
