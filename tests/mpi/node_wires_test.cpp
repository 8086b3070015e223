// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes that travel together: random graphs, nodes that are none (ORTHO_NODES), persistent
// alltoalls and allgathers whose blocks overlap, have gaps, or are empty, and reductions, run, started and
// rebound, against arithmetic.

#include "edge_graph.hpp"

namespace {

constexpr int elements = 64; ///< of a process
constexpr int untouched = -99;

using test::value;

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
    const int n = static_cast<int>(places.size());
    return test::committed(MPI_Type_create_indexed_block, n, 1, places.data(), MPI_INT);
}

using Graph = test::EdgeGraph<Edge>;

struct Buffers {
    Ints send = Ints(elements, untouched), receive = Ints(20000, untouched);
};

void fill(Buffers& buffers, int turn)
{
    for (int i = 0; i < elements; ++i) buffers.send[at(i)] = value(test::rank(), i, turn);
    std::ranges::fill(buffers.receive, untouched);
}

/// How a request is made: with algorithms of these names; by what is chosen without a name.
std::string named;

/// Where do messages between nodes travel together?
enum class Chosen { by_price, always };

/// A request that is made as `named` says.
struct Made {
    template <class Init, class... A>
    explicit Made(Init init, A... arguments)
    {
        const test::Info info{{"ortho_algorithm", named.empty() ? nullptr : named.c_str()}};
        CHECK_OK(init(arguments..., MPI_Info(info), &request));
    }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
    ~Made() { CHECK_OK(ORTHO_Request_free(&request)); }

    void check(Chosen chosen) const
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
    }
    void run() { CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE)); }

    ORTHO_Request request = ORTHO_REQUEST_NULL;
};

/// Where calls are made, and how processes choose.
struct Place {
    Graph graph;
    Chosen chosen;
    Random& random;
    Random& local;
};

/// Runs or starts it some times, with these buffers or with others.  In-edge i brings `count(edge)` elements
/// to `to(i, k)`, which are `element(edge, k)` of the sender's.
template <class Count, class To, class Element>
void play(Made& made, Buffers& first, Place& place, Count count, To to, Element element)
{
    Buffers second;
    for (int turn = 0; turn < 7; ++turn) {
        // Each process rebinds as it likes, but all run it, or all start it.
        Buffers& now = uniform(place.local, 0, 1) == 0 ? first : second;
        CHECK_OK(ORTHO_Request_rebind(made.request, now.send.data(), now.receive.data()));
        fill(now, turn);
        if (uniform(place.random, 0, 3) != 0) {
            CHECK_OK(ORTHO_Run(&made.request, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(test::start_and_wait(&made.request));
        }
        Ints expected(now.receive.size(), untouched);
        for (std::size_t i = 0; i < place.graph.in.size(); ++i) {
            const Edge& edge = place.graph.in[i];
            for (int k = 0; k < count(edge); ++k)
                expected[at(to(i, k))] = value(edge.from, element(edge, k), turn);
        }
        CHECK(now.receive == expected);
        std::ranges::fill(now.send, -1); // it is this process's again
    }
    made.check(place.chosen);
}

/// Blocks in a row, with an element between.
struct Row {
    template <class Count>
    Row(const std::vector<Edge>& edges, Count count)
    {
        for (int end = 0; const Edge& edge : edges) {
            counts.push_back(count(edge));
            places.push_back(end);
            end += counts.back() + 1;
        }
    }
    Ints counts, places;
};

int size_of(const Edge& edge) { return static_cast<int>(edge.sent.size()); }

/// Blocks are indexed types over one buffer: what several processes of a node want crosses once.
void alltoallw(Place& place)
{
    const Graph& graph = place.graph;
    Buffers buffers;
    std::vector<MPI_Datatype> sent, received;
    const Ints ones(std::max(graph.in.size(), graph.out.size()) + 1, 1);
    const std::vector<MPI_Aint> nowhere(ones.size(), 0);
    for (const Edge& edge : graph.out) sent.push_back(type_of(edge.sent));
    Ints begins;
    int end = 3;
    for (const Edge& edge : graph.in) {
        Ints places; // every other one, back to front
        for (int i = size_of(edge); i > 0; --i) places.push_back(end + 2 * i);
        begins.push_back(end);
        end += 2 * size_of(edge) + 3;
        received.push_back(type_of(places));
    }
    Made made(ORTHO_Alltoallw_init, buffers.send.data(), ones.data(), nowhere.data(), sent.data(),
              buffers.receive.data(), ones.data(), nowhere.data(), received.data(), graph.made);
    for (auto* const types : {&sent, &received})
        for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    play(
        made, buffers, place, size_of,
        [&](std::size_t i, int k) { return begins[i] + 2 * (size_of(graph.in[i]) - k); },
        [](const Edge& edge, int k) { return edge.sent[at(k)]; });
}

/// Blocks lie in rows, and may overlap where they are sent.
void alltoallv(Place& place)
{
    Buffers buffers;
    const auto first_of = [](const Edge& edge) { return (edge.from + edge.to) % 8; };
    Row sent(place.graph.out, size_of);
    std::ranges::transform(place.graph.out, sent.places.begin(), first_of);
    const Row row(place.graph.in, size_of);
    Made made(ORTHO_Alltoallv_init, buffers.send.data(), sent.counts.data(), sent.places.data(), MPI_INT,
              buffers.receive.data(), row.counts.data(), row.places.data(), MPI_INT, place.graph.made);
    play(
        made, buffers, place, size_of, [&](std::size_t i, int k) { return row.places[i] + k; },
        [&](const Edge& edge, int k) { return first_of(edge) + k; });
}

void allgatherv(Place& place)
{
    Buffers buffers;
    const auto count_of = [](int rank) { return rank % 5 == 3 ? 0 : 3 + rank % 7; };
    const auto count = [&](const Edge& edge) { return count_of(edge.from); };
    const Row row(place.graph.in, count);
    Made made(ORTHO_Allgatherv_init, buffers.send.data(), count_of(test::rank()), MPI_INT,
              buffers.receive.data(), row.counts.data(), row.places.data(), MPI_INT, place.graph.made);
    play(
        made, buffers, place, count, [&](std::size_t i, int k) { return row.places[i] + k; },
        [](const Edge&, int k) { return k; });
}

/// Sums of numbers that depend on the order: that of in-edges, from the last one on.  `personal`: each
/// out-neighbor gets a block of its own.
void sums(Place& place, bool personal)
{
    const Graph& graph = place.graph;
    const int me = test::rank(), count = uniform(place.random, 1, 20);
    const auto number = [](int from, int to, int i, int turn) {
        return 1.0 / (1 + from * 7 + to * 3 + i * 11 + turn * 5);
    };
    const std::size_t blocks = personal ? graph.out.size() : 1;
    std::vector<double> send(blocks * at(count)), receive(at(count));
    Made made(personal ? ORTHO_Reduce_scatter_block_init : ORTHO_Allreduce_init, send.data(), receive.data(),
              count, MPI_DOUBLE, MPI_SUM, graph.made);
    for (int turn = 0; turn < 5; ++turn) {
        for (std::size_t b = 0; b < blocks; ++b)
            for (int i = 0; i < count; ++i)
                send[b * at(count) + at(i)] = number(me, personal ? graph.out[b].to : 0, i, turn);
        std::ranges::fill(receive, untouched);
        made.run();
        for (int i = 0; i < count; ++i) {
            double sum = untouched;
            for (std::size_t e = graph.in.size(); e-- > 0;) {
                const double its = number(graph.in[e].from, personal ? me : 0, i, turn);
                sum = e + 1 == graph.in.size() ? its : its + sum;
            }
            CHECK_EQ(receive[at(i)], sum);
        }
    }
    made.check(place.chosen);
}

/// Processes run far ahead of each other, as far as they can: rows take turns.
void run_in_a_row()
{
    const int p = test::size();
    // From the first processes to the last ones, which only receive.
    std::vector<Edge> edges;
    for (int from = 0; from < p / 2; ++from)
        for (int to = p / 2; to < p; ++to) edges.push_back({from, to, {from, to, from + to}});
    const Graph graph(edges, 1);
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
    Made made(ORTHO_Alltoallw_init, buffers.send.data(), ones.data(), nowhere.data(), sent.data(),
              buffers.receive.data(), ones.data(), begins.data(), received.data(), graph.made);
    for (int turn = 0; turn < 500; ++turn) {
        fill(buffers, turn);
        made.run();
        for (std::size_t i = 0; i < graph.in.size(); ++i)
            for (std::size_t e = 0; e < 3; ++e)
                CHECK_EQ(buffers.receive[3 * i + e], value(graph.in[i].from, graph.in[i].sent[e], turn));
    }
    for (auto* const types : {&sent, &received})
        for (MPI_Datatype& type : *types) MPI_Type_free(&type);
}

/// Large blocks: each process has a wire of its own.
void large()
{
    const int me = test::rank(), p = test::size();
    constexpr int count = 20000;
    std::vector<Edge> edges;
    for (int from = 0; from < p; ++from)
        for (int to = 0; to < p; ++to) edges.push_back({from, to, {}});
    const Graph graph(edges, 1);
    Ints send(at(p * count)), receive(at(p * count));
    Ints counts(at(p), count), sent, received;
    for (const Edge& edge : graph.out) sent.push_back(edge.to * count);
    for (const Edge& edge : graph.in) received.push_back(edge.from * count);
    Made made(ORTHO_Alltoallv_init, send.data(), counts.data(), sent.data(), MPI_INT, receive.data(),
              counts.data(), received.data(), MPI_INT, graph.made);
    for (int turn = 0; turn < 3; ++turn) {
        for (std::size_t i = 0; i < send.size(); ++i) send[i] = value(me, static_cast<int>(i), turn);
        made.run();
        for (int from = 0; from < p; ++from)
            for (int e = 0; e < count; ++e)
                CHECK_EQ(receive[at(from * count + e)], value(from, me * count + e, turn));
    }
}

} // namespace

TEST_MAIN()
{
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
            for (const auto kind : {alltoallw, alltoallv, allgatherv}) {
                Place place{{edges, static_cast<unsigned>(random())}, chosen, random, local};
                kind(place);
            }
            for (const bool personal : {false, true}) {
                Place place{{edges, static_cast<unsigned>(random())}, chosen, random, local};
                sums(place, personal);
            }
        }
        for (const char* const names : {"", "alltoall_node_wires"}) {
            named = names;
            run_in_a_row();
            large();
        }
    }
    unsetenv("ORTHO_NODES");
}
