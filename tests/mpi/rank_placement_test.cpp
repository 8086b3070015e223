// SPDX-License-Identifier: BSD-3-Clause
// Ranks on nodes: new rank i has the edges that old rank i was given, everything that can be asked says so,
// and no more edges leave their nodes than before.  The nodes are ORTHO_NODES's, or real ones.

#include "grid/grid.hpp"
#include "grids.hpp"

namespace {

using test::Grid;
using test::Lists;
using test::name;

std::mt19937& random_numbers()
{
    static std::mt19937 generator(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1)));
    return generator;
}
int random_below(int n) { return static_cast<int>(random_numbers()() % static_cast<unsigned>(n)); }

/// Sizes of nodes of consecutive processes of MPI_COMM_WORLD, as ORTHO_NODES has them.
struct Machine {
    Ints sizes;

    void build() const
    {
        std::string text;
        for (const int size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
        setenv("ORTHO_NODES", text.c_str(), 1);
    }
    int node_of(int world_rank) const
    {
        int node = 0;
        for (std::size_t i = 0; world_rank >= sizes[std::min(i, sizes.size() - 1)]; ++i, ++node)
            world_rank -= sizes[std::min(i, sizes.size() - 1)];
        return node;
    }
};

/// Or, with ORTHO_TEST_NODES, these nodes each time, which MPI is to find by itself
/// (tests/scripts/hosts_traffic.sh).
Machine random_machine()
{
    Machine machine;
    if (const char* const real = std::getenv("ORTHO_TEST_NODES")) {
        std::istringstream sizes(real);
        for (std::string size; std::getline(sizes, size, ',');) machine.sizes.push_back(std::stoi(size));
        unsetenv("ORTHO_NODES");
        return machine;
    }
    for (int n = 1 + random_below(3); n > 0; --n) machine.sizes.push_back(1 + random_below(4));
    machine.build();
    return machine;
}

/// The processes of MPI_COMM_WORLD, in an order of ours.
MPI_Comm shuffled_world()
{
    Ints keys(at(test::size()));
    std::iota(keys.begin(), keys.end(), 0);
    std::shuffle(keys.begin(), keys.end(), random_numbers());
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, keys[at(test::rank())], &comm);
    test::return_errors(comm);
    return comm;
}

/// Ranks in MPI_COMM_WORLD of the processes of a communicator.
Ints world_ranks(MPI_Comm comm)
{
    Ints result(at(test::size(comm)));
    const int mine = test::rank();
    MPI_Allgather(&mine, 1, MPI_INT, result.data(), 1, MPI_INT, comm);
    return result;
}

/// The rank `offset` away from another one, there or, with sign -1, back; or MPI_PROC_NULL.
int neighbor(const Grid& grid, int rank, const int* offset, int sign)
{
    const std::span steps(offset, at(grid.dimensions()));
    const int result = sign > 0 ? grid.neighbor(rank, steps) : grid.neighbor_against(rank, steps);
    return result == ortho::grid::gap ? MPI_PROC_NULL : result;
}

/// Some grid of so many points.
Grid random_grid(int points) { return test::row_major(test::random_grid_of(random_numbers(), points)); }

Ints random_offsets(int d)
{
    Ints offsets(at(d * (1 + random_below(6))));
    for (int& n : offsets) n = random_below(5) - 2;
    return offsets;
}

Ints moore(int d)
{
    Ints offsets;
    for (const Ints& offset : cases::box(d, -1, 1))
        if (offset != Ints(at(d), 0)) offsets.insert(offsets.end(), offset.begin(), offset.end());
    return offsets;
}

Ints shifts(int d)
{
    Ints offsets;
    for (int k = 0; k < d; ++k)
        for (const int step : {-1, 1})
            for (int l = 0; l < d; ++l) offsets.push_back(l == k ? step : 0);
    return offsets;
}

/// How much weight leaves its node, if rank i is process world[i] of MPI_COMM_WORLD.
long leaving(const Machine& machine, const Grid& grid, const Ints& offsets, const Ints& weights,
             const Ints& world)
{
    long result = 0;
    const int t = static_cast<int>(offsets.size()) / grid.dimensions();
    for (int r = 0; r < grid.points(); ++r)
        for (int i = 0; i < t; ++i) {
            const int q = neighbor(grid, r, &offsets[at(i * grid.dimensions())], 1);
            if (q != MPI_PROC_NULL && machine.node_of(world[at(r)]) != machine.node_of(world[at(q)]))
                result += weights.empty() ? 1 : weights[at(i)];
        }
    return result;
}

/// The processes `old` of MPI_COMM_WORLD, as many as there are points, are in the communicator, and no more
/// weight leaves nodes.
long check_better(const Machine& machine, const Grid& grid, const Ints& offsets, const Ints& weights,
                  Ints old, MPI_Comm after)
{
    const Ints now = world_ranks(after);
    old.resize(at(grid.points()));
    const long less = leaving(machine, grid, offsets, weights, now);
    CHECK(less <= leaving(machine, grid, offsets, weights, old));
    CHECK(std::ranges::is_permutation(old, now));
    return less;
}

/// The lists that rank r of the graph is given: the grid's edges in an order of its own.
Lists lists_on(const Grid& grid, const Ints& offsets, const Ints& weights, int r)
{
    Lists result;
    const int t = static_cast<int>(offsets.size()) / grid.dimensions();
    for (int n = 0; n < t; ++n) {
        const int i = (n + r) % t; // equal edges need one order on both sides: see the weights
        const int* const offset = &offsets[at(i * grid.dimensions())];
        result.targets.push_back(neighbor(grid, r, offset, 1));
        result.target_weights.push_back(result.targets.back() == MPI_PROC_NULL ? 0 : weights[at(i)]);
        result.sources.push_back(neighbor(grid, r, offset, -1));
        result.source_weights.push_back(result.sources.back() == MPI_PROC_NULL ? 0 : weights[at(i)]);
    }
    return result;
}

Ints without_gaps(const Ints& list)
{
    Ints result;
    std::ranges::copy_if(list, std::back_inserter(result), [](int rank) { return rank != MPI_PROC_NULL; });
    return result;
}

/// Partners and the weights of the edges to them, gaps left out, in ascending order.
std::vector<std::pair<int, int>> as_multiset(const Ints& list, const Ints& weights)
{
    std::vector<std::pair<int, int>> result;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] != MPI_PROC_NULL) result.emplace_back(list[i], weights[i]);
    std::ranges::sort(result);
    return result;
}

/// Every question about the lists of a graph has the answer that they are these, and blocks go along them.
void check_lists(MPI_Comm graph, const Lists& lists)
{
    CHECK(test::lists_of(graph) == lists);
    CHECK_EQ(test::edges(graph)[2], 1);
    const Lists mpis = test::lists_of(graph, true);
    CHECK(mpis.sources == without_gaps(lists.sources));
    CHECK(mpis.targets == without_gaps(lists.targets));
    test::check_blocks(graph);
    test::Comm base;
    CHECK_OK(ORTHO_Comm_base(graph, &base));
    int compared = MPI_UNEQUAL;
    MPI_Comm_compare(graph, base, &compared);
    CHECK_EQ(compared, MPI_CONGRUENT);
}

Ints random_weights(const Ints& offsets, int d)
{
    Ints weights(offsets.size() / at(d));
    for (int& weight : weights) weight = random_below(4) == 0 ? 1000 : 1 + random_below(3);
    return weights;
}

/// Graphs of lists, by both constructors.
void ranks_keep_their_edges(bool adjacent)
{
    const Machine machine = random_machine();
    test::Comm comm = shuffled_world();
    const Grid grid = random_grid(test::size());
    const Ints offsets = random_offsets(grid.dimensions()),
               weights = random_weights(offsets, grid.dimensions());
    name(comm, grid);
    const int me = test::rank(comm);
    const Lists mine = lists_on(grid, offsets, weights, me);
    test::Comm graph;
    if (adjacent) {
        graph = test::adjacent(mine, true, comm, 1);
    } else {
        const Ints targets = without_gaps(mine.targets);
        Ints target_weights;
        for (std::size_t i = 0; i < mine.targets.size(); ++i)
            if (mine.targets[i] != MPI_PROC_NULL) target_weights.push_back(mine.target_weights[i]);
        target_weights.push_back(0); // no null pointer
        const int degree = static_cast<int>(targets.size());
        CHECK_OK(ORTHO_Dist_graph_create(comm, 1, &me, &degree, targets.data(), target_weights.data(),
                                         MPI_INFO_NULL, 1, &graph));
    }
    if (graph == MPI_COMM_NULL) return;
    CHECK_OK(MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN));
    check_better(machine, grid, offsets, weights, world_ranks(comm), graph);
    CHECK(test::isomorphic(graph) >= 0);
    const Lists wanted = lists_on(grid, offsets, weights, test::rank(graph));
    if (adjacent) {
        check_lists(graph, wanted);
        test::Comm copy;
        CHECK_OK(ORTHO_Comm_dup(graph, &copy));
        check_lists(copy, wanted);
    } else {
        // Lists in MPI's order: as multisets.
        const Lists lists = test::lists_of(graph);
        CHECK(as_multiset(lists.targets, lists.target_weights) ==
              as_multiset(wanted.targets, wanted.target_weights));
        CHECK(as_multiset(lists.sources, lists.source_weights) ==
              as_multiset(wanted.sources, wanted.source_weights));
    }
}

/// Any graph: each process knows all edges.
struct AnyGraph {
    struct Edge {
        int from, to, weight;
    };
    std::vector<Edge> edges;

    explicit AnyGraph(int processes)
    {
        for (int n = random_below(4 * processes); n >= 0; --n)
            edges.push_back({random_below(processes), random_below(processes),
                             random_below(4) == 0 ? 1000 : random_below(4)});
    }
    Lists lists(int rank) const
    {
        Lists result;
        for (const auto& [from, to, weight] : edges) {
            if (from == rank) {
                result.targets.push_back(to);
                result.target_weights.push_back(weight);
            }
            if (to == rank) {
                result.sources.push_back(from);
                result.source_weights.push_back(weight);
            }
        }
        // Gaps are no edges.
        for (int gaps = rank % 3; gaps > 0; --gaps) {
            result.targets.push_back(MPI_PROC_NULL);
            result.target_weights.push_back(0);
        }
        return result;
    }
    /// How much weight, or how many edges, leave their nodes.
    long leaving(const Machine& machine, bool weighted, const Ints& world) const
    {
        long result = 0;
        for (const auto& [from, to, weight] : edges)
            if (machine.node_of(world[at(from)]) != machine.node_of(world[at(to)]))
                result += weighted ? weight : 1;
        return result;
    }
};

/// Graphs without names and stencils, by both constructors, with weights and without.
void any_graph_lies_better(bool adjacent, bool weighted)
{
    Machine machine = random_machine();
    if (std::getenv("ORTHO_TEST_NODES") == nullptr && random_below(2) == 0) {
        machine.sizes = {7, 5, 3, 1};
        machine.build();
    }
    test::Comm comm = shuffled_world();
    const AnyGraph edges(test::size());
    const int me = test::rank(comm);
    const Lists mine = edges.lists(me);
    test::Comm graph;
    if (adjacent) {
        graph = test::adjacent(mine, weighted, comm, 1);
    } else {
        const int out = static_cast<int>(mine.targets.size()) - me % 3; // no gaps
        Ints targets = mine.targets, weights = mine.target_weights;
        for (auto* list : {&targets, &weights}) list->push_back(0); // no null pointers
        CHECK_OK(ORTHO_Dist_graph_create(comm, 1, &me, &out, targets.data(),
                                         weighted ? weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                         &graph));
    }
    if (graph == MPI_COMM_NULL) return;
    CHECK_OK(MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN));
    const Ints before = world_ranks(comm), after = world_ranks(graph);
    CHECK(edges.leaving(machine, weighted, after) <= edges.leaving(machine, weighted, before));
    CHECK(std::ranges::is_permutation(before, after));
    const Lists now = edges.lists(test::rank(graph)), lists = test::lists_of(graph);
    if (adjacent && weighted) check_lists(graph, now);
    if (adjacent) CHECK(lists.sources == now.sources && lists.targets == now.targets);
    test::check_blocks(graph);
    CHECK_EQ(test::edges(graph)[2], weighted ? 1 : 0);
    CHECK_EQ(lists.sources.size(), now.sources.size());
}

/// Processes of a mesh that take turns on nodes come together again: half of the edges at most leave.
void cyclic_numbers_are_mended()
{
    if (test::size() != 16) return;
    const Machine machine{{4}};
    machine.build();
    const int me = test::rank();
    const auto number = [](int point) { return point % 4 * 4 + point / 4; }; // of a ring's point
    const int point = number(me);                                            // its own inverse
    const int next = number((point + 1) % 16), last = number((point + 15) % 16);
    const test::Comm graph = test::adjacent({last}, {next}, MPI_COMM_WORLD, MPI_INFO_NULL, 1);
    const Ints world = world_ranks(graph);
    int leaving = 0;
    for (int i = 0; i < 16; ++i)
        leaving += machine.node_of(world[at(number(i))]) != machine.node_of(world[at(number((i + 1) % 16))]);
    CHECK_EQ(leaving, 4);
}

/// An offset with few edges on a grid with borders counts with the weight of its edges.
void few_heavy_edges_stay()
{
    if (test::size() != 16) return;
    const Machine machine{{2}};
    machine.build();
    // The ends of heavy edges share nodes already.
    const int ranks[] = {0, 12, 1, 13, 2, 14, 3, 15, 4, 5, 6, 7, 8, 9, 10, 11};
    test::Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks[test::rank()], &comm);
    const Grid grid({16}, {0});
    name(comm, grid);
    const Ints offsets{12, 1}, weights{3, 1};
    const test::Comm graph = test::adjacent(lists_on(grid, offsets, weights, test::rank(comm)), true, comm,
                                            1);
    CHECK_EQ(check_better(machine, grid, offsets, weights, world_ranks(comm), graph), 11);
}

/// A grid and a stencil in one call, on the first processes alone too.
void neighborhoods_lie_well()
{
    const Machine machine = random_machine();
    test::Comm comm = shuffled_world();
    const Ints before = world_ranks(comm);
    const Grid grid = random_grid(test::size() - random_below(std::min(test::size(), 3)));
    const Ints offsets = random_offsets(grid.dimensions()),
               weights = random_weights(offsets, grid.dimensions());
    const int t = static_cast<int>(weights.size());
    test::Comm cart;
    CHECK_OK(ORTHO_Cart_neighborhood_create(comm, grid.dimensions(), test::sizes_of(grid).data(),
                                            test::periods_of(grid).data(), t, offsets.data(), weights.data(),
                                            MPI_INFO_NULL, 1, &cart));
    CHECK_EQ(cart == MPI_COMM_NULL, test::rank(comm) >= grid.points());
    if (cart == MPI_COMM_NULL) return;
    CHECK_EQ(test::size(cart), grid.points());
    check_better(machine, grid, offsets, weights, before, cart);
    Ints source(at(t)), target(at(t)), sw(at(t)), tw(at(t));
    CHECK_OK(ORTHO_Cart_neighborhood_get(cart, t, source.data(), sw.data(), t, target.data(), tw.data()));
    CHECK(tw == weights);
    Ints coordinates(at(grid.dimensions()));
    CHECK_OK(ORTHO_Cart_coordinates(cart, test::rank(cart), coordinates.data()));
    int rank = -1;
    CHECK_OK(ORTHO_Cart_rank(cart, coordinates.data(), &rank));
    CHECK_EQ(rank, test::rank(cart));
    for (int i = 0; i < t; ++i) {
        CHECK_EQ(target[at(i)], neighbor(grid, rank, &offsets[at(i * grid.dimensions())], 1));
        CHECK_EQ(source[at(i)], neighbor(grid, rank, &offsets[at(i * grid.dimensions())], -1));
    }
    test::check_blocks(cart);
}

void cartesian_communicators_lie_well()
{
    const Machine machine = random_machine();
    test::Comm comm = shuffled_world();
    const Grid grid = random_grid(test::size());
    test::Comm cart;
    CHECK_OK(ORTHO_Nodecart_create(comm, grid.dimensions(), test::sizes_of(grid).data(),
                                   test::periods_of(grid).data(), 1, &cart));
    check_better(machine, grid, shifts(grid.dimensions()), {}, world_ranks(comm), cart);
    int topology = MPI_UNDEFINED;
    MPI_Topo_test(cart, &topology);
    CHECK_EQ(topology, MPI_CART);
    CHECK_EQ(test::topology(cart), ORTHO_FULL);
    const int me = test::rank(cart), d = grid.dimensions();
    CHECK((test::named(cart) == std::array{1, d, grid.points()}));
    for (int k = 0; k < d; ++k) {
        Ints step(at(d), 0);
        step[at(k)] = 1;
        int source = -9, target = -9;
        CHECK_OK(MPI_Cart_shift(cart, k, 1, &source, &target));
        CHECK_EQ(source, neighbor(grid, me, step.data(), -1));
        CHECK_EQ(target, neighbor(grid, me, step.data(), 1));
    }
}

/// The order is left alone where there is no reason to change it, or not everybody wants that.
void the_order_stays()
{
    Machine{{2}}.build();
    test::Comm comm = shuffled_world();
    const int p = test::size(), me = test::rank(comm);
    const auto as_given = [&](MPI_Comm made) {
        CHECK(world_ranks(comm) == world_ranks(made));
        MPI_Comm_free(&made);
    };
    const auto ring = [&](int reorder, int degree) {
        return test::adjacent(Ints(at(degree), (me + p - 1) % p), Ints(at(degree), (me + 1) % p), comm,
                              MPI_INFO_NULL, reorder);
    };
    const Grid grid({p}, {1});
    name(comm, grid);
    as_given(ring(0, 1));
    as_given(ring(me == p - 1 ? 0 : 1, 1));
    as_given(ring(1, 0)); // no edges
    MPI_Comm cart = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Nodecart_create(comm, 1, test::sizes_of(grid).data(), test::periods_of(grid).data(),
                                   me == 0 ? 0 : 1, &cart));
    as_given(cart);
    Machine{{p}}.build();
    as_given(ring(1, 1)); // one node
}

/// Known figures of 4x4 processes on four nodes ([G], and the issue's own), and the effect of weights.
void known_figures()
{
    const Machine machine{{4}};
    machine.build();
    const auto placed = [&](const Grid& grid, const Ints& offsets, const Ints& weights) {
        test::Comm cart;
        CHECK_OK(ORTHO_Cart_neighborhood_create(
            MPI_COMM_WORLD, grid.dimensions(), test::sizes_of(grid).data(), test::periods_of(grid).data(),
            static_cast<int>(offsets.size()) / grid.dimensions(), offsets.data(),
            weights.empty() ? MPI_UNWEIGHTED : weights.data(), MPI_INFO_NULL, 1, &cart));
        return check_better(machine, grid, offsets, weights, world_ranks(MPI_COMM_WORLD), cart);
    };
    if (test::size() == 16) {
        CHECK_EQ(placed({{4, 4}, {1, 1}}, moore(2), {}), 80);
        CHECK_EQ(placed({{4, 4}, {0, 0}}, shifts(2), {}), 16);
        // Heavy edges up and down: columns share nodes.
        CHECK_EQ(placed({{4, 4}, {1, 1}}, shifts(2), {100, 100, 1, 1}), 32);
    }
    if (test::size() == 8) CHECK_EQ(placed({{4, 2}, {0, 0}}, shifts(2), {1, 1, 50, 50}), 2 * 2);
}

void sizes_know_the_nodes()
{
    random_machine();
    const int p = test::size();
    for (int d = 1; d <= 4; ++d) {
        Ints dims(at(d), 0);
        CHECK_OK(ORTHO_Dims_create(MPI_COMM_WORLD, d, dims.data()));
        CHECK_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), p);
        CHECK(std::ranges::is_sorted(dims, std::greater<>()));
    }
    Ints given{0, p, 0};
    CHECK_OK(ORTHO_Dims_create(MPI_COMM_WORLD, 3, given.data()));
    CHECK(given == (Ints{1, p, 1}));
    Machine{{p}}.build();
    if (p == 12) {
        Ints dims{0, 0};
        CHECK_OK(ORTHO_Dims_create(MPI_COMM_WORLD, 2, dims.data()));
        CHECK(dims == (Ints{4, 3}));
    }
}

void mistakes_are_told()
{
    test::Comm comm = shuffled_world();
    const int p = test::size(), periods[] = {0, 0};
    MPI_Comm cart = MPI_COMM_NULL;
    const auto create = [&](int d, Ints dims) {
        return error_class(ORTHO_Nodecart_create(comm, d, dims.data(), periods, 1, &cart));
    };
    const std::string here = " [rank " + std::to_string(test::rank(comm)) + " of " + std::to_string(p) + "]";
    CHECK_EQ(create(0, {p}), MPI_ERR_DIMS);
    CHECK_EQ(create(2, {p, 0}), MPI_ERR_DIMS);
    CHECK_EQ(create(2, {p, 2}), MPI_ERR_DIMS);
    CHECK_EQ(message(), "ORTHO_Nodecart_create: dims gives a grid of " + std::to_string(2 * p) +
                            " processes on a communicator of " + std::to_string(p) + here);
    if (p > 1) CHECK_EQ(create(1, {test::rank() == 0 ? 1 : p}), ORTHO_ERR_MISMATCH);
    FAILS(ORTHO_Nodecart_create(comm, 1, nullptr, periods, 1, &cart), MPI_ERR_ARG);

    Ints dims{0, p + 1};
    FAILS(ORTHO_Dims_create(comm, 2, dims.data()), MPI_ERR_DIMS);
    dims = {-1, 0};
    FAILS(ORTHO_Dims_create(comm, 2, dims.data()), MPI_ERR_DIMS);
    CHECK(dims == (Ints{-1, 0}));

    for (const char* const wrong : {"4,x", "0", "-3", "4,,2", "2 2"}) {
        // Rank 0 of the communicator decides: elsewhere it may say anything.
        setenv("ORTHO_NODES", test::rank(comm) == 0 ? wrong : "1", 1);
        CHECK_EQ(create(1, {p}), MPI_ERR_INFO_VALUE);
        CHECK_EQ(message(), "ORTHO_Nodecart_create: ORTHO_NODES = '" + std::string(wrong) +
                                "' is no list of numbers of processes, such as 16 or 4,4,3" + here);
    }
    CHECK_EQ(cart, MPI_COMM_NULL);
    unsetenv("ORTHO_NODES");
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    for (int repeat = test::given("ORTHO_TEST_REPEATS", 6); repeat > 0; --repeat) {
        ranks_keep_their_edges(true);
        ranks_keep_their_edges(false);
        any_graph_lies_better(true, repeat % 2 == 0);
        any_graph_lies_better(false, repeat % 2 == 1);
        neighborhoods_lie_well();
        cartesian_communicators_lie_well();
    }
    if (std::getenv("ORTHO_TEST_NODES") == nullptr) {
        for (const auto part : {the_order_stays, cyclic_numbers_are_mended, few_heavy_edges_stay,
                                known_figures, sizes_know_the_nodes, mistakes_are_told})
            part();
    }
}
