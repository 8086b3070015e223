// SPDX-License-Identifier: BSD-3-Clause
// Communicators made of others: of random multigraphs the subgraph, against arithmetic on edges that all
// processes know; sub-grids that are isomorphic again; what MPI makes of full and inter-communicators;
// errors.

#include "grids.hpp"
#include "random_graphs.hpp"

using cases::Multigraph;
using ortho::grid::gap;
using ortho::grid::Grid;

namespace {

/// This communicator stands in for one that must not be written.
MPI_Comm untouched() { return MPI_COMM_SELF; }

Ints iota(int n)
{
    Ints list(at(n));
    std::iota(list.begin(), list.end(), 0);
    return list;
}

MPI_Group group_of(const Ints& ranks)
{
    test::Group world;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
    return group;
}

/// The weight of the edge that is out-edge `slot` of `process`.
int weight(int process, int slot) { return 1000 * process + slot + 1; }

/// The edges between `members`, and the gaps, of which those of each process keep their order: member i is
/// process i.
struct Induced {
    Multigraph graph;
    std::vector<Ints> old_targets; ///< which out-edge of the whole each out-edge was
    std::vector<Ints> old_sources;
};

Induced induced(const Multigraph& whole, const Ints& members)
{
    Ints number(whole.processes.size(), -1);
    for (std::size_t i = 0; i < members.size(); ++i) number[at(members[i])] = static_cast<int>(i);
    Induced result;
    const auto filter = [&](const Ints& list, Ints& kept, Ints& old) {
        for (std::size_t slot = 0; slot < list.size(); ++slot) {
            if (list[slot] != gap && number[at(list[slot])] == -1) continue;
            kept.push_back(list[slot] == gap ? gap : number[at(list[slot])]);
            old.push_back(static_cast<int>(slot));
        }
    };
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& process = result.graph.processes.emplace_back();
        process.rank = static_cast<int>(i);
        filter(whole.processes[at(members[i])].targets, process.targets, result.old_targets.emplace_back());
        filter(whole.processes[at(members[i])].sources, process.sources, result.old_sources.emplace_back());
    }
    for (const cases::Pair& pair : whole.pairs) {
        const int from = number[at(pair.from)], to = number[at(pair.to)];
        if (from == -1 || to == -1) continue;
        const Ints& out = result.old_targets[at(from)];
        const Ints& in = result.old_sources[at(to)];
        result.graph.pairs.push_back(
            {from, static_cast<int>(std::ranges::find(out, pair.out_edge) - out.begin()), to,
             static_cast<int>(std::ranges::find(in, pair.in_edge) - in.begin())});
    }
    return result;
}

enum class Kind { weighted, unweighted, of_mpi, of_mpi_attached, duplicate };
constexpr int kinds = 5;

/// A graph of all processes.  MPI knows no gaps: they are left out of `graph`.
MPI_Comm make(Multigraph& graph, Kind kind)
{
    const bool mpis = kind == Kind::of_mpi || kind == Kind::of_mpi_attached;
    if (mpis) test::close_gaps(graph);
    const int me = test::rank();
    const auto& mine = graph.processes[at(me)];
    const Ints sources = test::to_mpi(mine.sources), targets = test::to_mpi(mine.targets);
    Ints out_weights(targets.size() + 1, 0), in_weights(sources.size() + 1, 0);
    for (const cases::Pair& pair : graph.pairs) {
        if (pair.from == me) out_weights[at(pair.out_edge)] = weight(pair.from, pair.out_edge);
        if (pair.to == me) in_weights[at(pair.in_edge)] = weight(pair.from, pair.out_edge);
    }
    const bool weighted = kind == Kind::weighted || mpis;
    MPI_Comm comm = MPI_COMM_NULL;
    const auto create = mpis ? MPI_Dist_graph_create_adjacent : ORTHO_Dist_graph_create_adjacent;
    CHECK_OK(create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(),
                    weighted ? in_weights.data() : MPI_UNWEIGHTED, static_cast<int>(targets.size()),
                    targets.data(), weighted ? out_weights.data() : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    if (kind == Kind::of_mpi_attached) CHECK_OK(ORTHO_Barrier(comm));
    if (kind == Kind::duplicate) {
        MPI_Comm copy = test::duplicate(comm);
        MPI_Comm_free(&comm);
        comm = copy;
    }
    return comm;
}

/// `sub` has `members` in this order, and their subgraph.
void check_lists(const Induced& expected, bool weighted, MPI_Comm sub)
{
    const int me = test::rank(sub);
    const auto& mine = expected.graph.processes[at(me)];
    int in = -1, out = -1, has_weights = -1;
    CHECK_EQ(test::topology(sub), ORTHO_GRAPH);
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(sub, &in, &out, &has_weights));
    CHECK_EQ(at(in), mine.sources.size());
    CHECK_EQ(at(out), mine.targets.size());
    CHECK_EQ(has_weights, weighted ? 1 : 0);
    Ints sources(mine.sources.size() + 1, -99), targets(mine.targets.size() + 1, -99);
    Ints in_weights(sources.size(), -99), out_weights(targets.size(), -99);
    CHECK_OK(ORTHO_Dist_graph_neighbors(sub, in, sources.data(), in_weights.data(), out, targets.data(),
                                        out_weights.data()));
    sources.pop_back();
    targets.pop_back();
    CHECK(sources == test::to_mpi(mine.sources));
    CHECK(targets == test::to_mpi(mine.targets));
}

/// The weights say which edges they are.
void check_weights(const Induced& expected, const Ints& members, MPI_Comm sub)
{
    const int me = test::rank(sub);
    Ints in(expected.graph.processes[at(me)].sources.size() + 1, 0);
    Ints out(expected.graph.processes[at(me)].targets.size() + 1, 0);
    for (const cases::Pair& pair : expected.graph.pairs) {
        const int w = weight(members[at(pair.from)], expected.old_targets[at(pair.from)][at(pair.out_edge)]);
        if (pair.to == me) in[at(pair.in_edge)] = w;
        if (pair.from == me) out[at(pair.out_edge)] = w;
    }
    Ints ranks(std::max(in.size(), out.size()));
    Ints in_weights(in.size(), 0), out_weights(out.size(), 0);
    CHECK_OK(ORTHO_Dist_graph_neighbors(sub, static_cast<int>(in.size()) - 1, ranks.data(), in_weights.data(),
                                        0, nullptr, nullptr));
    CHECK_OK(ORTHO_Dist_graph_neighbors(sub, 0, nullptr, nullptr, static_cast<int>(out.size()) - 1,
                                        ranks.data(), out_weights.data()));
    CHECK(in_weights == in);
    CHECK(out_weights == out);
}

/// Some collectives, in any form.
void check_calls(const Multigraph& graph, MPI_Comm sub, Random random, const test::Reductions& reductions)
{
    const test::Case c{graph, sub, test::rank(sub)};
    Random local(random() + static_cast<unsigned>(c.me));
    const test::Dice dice{random, local};
    test::Session session([&] { return static_cast<test::Form>(uniform(random, 0, 2)); });
    test::alltoall(session, c, dice);
    test::allgather(session, c, dice);
    test::allreduce(session, c, dice,
                    reductions.all()[at(uniform(random, 0, static_cast<int>(reductions.all().size()) - 1))]);
    test::any_call(session, c, dice, uniform(random, 0, test::kinds_of_calls - 1), reductions, {});
    session.complete();
}

bool has_slots(const Multigraph& graph)
{
    return std::ranges::any_of(graph.processes, [](const auto& process) {
        return !process.sources.empty() || !process.targets.empty();
    });
}

struct Whole {
    Multigraph graph;
    Kind kind;
    MPI_Comm comm;
};

/// `sub`, made of `whole`, has these processes, in this order; none: MPI_COMM_NULL here.
void check(const Whole& whole, const Ints& members, MPI_Comm sub, const Random& random,
           const test::Reductions& reductions)
{
    const bool in = std::ranges::find(members, test::rank()) != members.end();
    CHECK_EQ(sub != MPI_COMM_NULL, in);
    if (sub == MPI_COMM_NULL) return;
    CHECK_EQ(at(test::size(sub)), members.size());
    CHECK_EQ(members[at(test::rank(sub))], test::rank());
    const Induced expected = induced(whole.graph, members);
    // Where nobody has a slot, it is as MPI sees it.
    int in_degree = -1, out_degree = -1, weighted = -1;
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(whole.comm, &in_degree, &out_degree, &weighted));
    if (has_slots(whole.graph))
        CHECK_EQ(weighted == 1, whole.kind != Kind::unweighted && whole.kind != Kind::duplicate);
    check_lists(expected, weighted == 1, sub);
    if (weighted == 1) check_weights(expected, members, sub);
    check_calls(expected.graph, sub, random, reductions);
    MPI_Comm_free(&sub);
}

/// Colors and keys of all processes, MPI_UNDEFINED for some; members of a color by key, then rank.
struct Split {
    Ints colors, keys;
    Ints members(int color) const
    {
        Ints list;
        for (int r : iota(test::size()))
            if (color != MPI_UNDEFINED && colors[at(r)] == color) list.push_back(r);
        std::ranges::stable_sort(list, {}, [&](int r) { return keys[at(r)]; });
        return list;
    }
    int my_color() const { return colors[at(test::rank())]; }
    int my_key() const { return keys[at(test::rank())]; }
    Ints mine() const { return members(my_color()); }
};

Split random_split(Random& random)
{
    Split split;
    const int colors = uniform(random, 1, 3);
    for (int r = 0; r < test::size(); ++r) {
        const int color = uniform(random, -1, colors - 1);
        split.colors.push_back(color == -1 ? MPI_UNDEFINED : 7 * color);
        split.keys.push_back(uniform(random, -3, 3));
    }
    return split;
}

void on_random_graphs(Random& random, int repeats, const test::Reductions& reductions)
{
    const int me = test::rank();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        Whole whole{cases::random_graph(random, test::size(), 6 * test::size()),
                    static_cast<Kind>(repeat % kinds), MPI_COMM_NULL};
        whole.comm = make(whole.graph, whole.kind);
        // All processes draw the same numbers here, in whatever communicator they are.
        const Random shared(random());
        MPI_Comm sub = untouched();

        Split split = random_split(random);
        CHECK_OK(ORTHO_Comm_split(whole.comm, split.my_color(), split.my_key(), &sub));
        check(whole, split.mine(), sub, shared, reductions);

        // All are on one node.
        split = random_split(random);
        for (int& color : split.colors) color = color == MPI_UNDEFINED ? color : MPI_COMM_TYPE_SHARED;
        CHECK_OK(ORTHO_Comm_split_type(whole.comm, split.my_color(), split.my_key(), MPI_INFO_NULL, &sub));
        check(whole, split.mine(), sub, shared, reductions);

        // Groups in any order, disjoint; processes that are in none hand in the empty group.
        split = random_split(random);
        for (int color : {0, 7, 14}) {
            Ints members = split.members(color);
            std::ranges::shuffle(members, random);
            for (std::size_t i = 0; i < members.size(); ++i) split.keys[at(members[i])] = static_cast<int>(i);
        }
        MPI_Group group = split.my_color() == MPI_UNDEFINED ? MPI_GROUP_EMPTY : group_of(split.mine());
        CHECK_OK(ORTHO_Comm_create(whole.comm, group, &sub));
        check(whole, split.mine(), sub, shared, reductions);

        // Nobody but the groups, one of which takes a tag of its own.
        if (split.my_color() != MPI_UNDEFINED) {
            sub = untouched();
            CHECK_OK(ORTHO_Comm_create_group(whole.comm, group, split.my_color(), &sub));
            check(whole, split.mine(), sub, shared, reductions);
            MPI_Group_free(&group);
        } else if (me % 2 == 0) {
            CHECK_OK(ORTHO_Comm_create_group(whole.comm, group, 3, &sub)); // local
            CHECK(sub == MPI_COMM_NULL);
        }

        // Full communicators of some of the processes, in any order.
        split = random_split(random);
        MPI_Comm full = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, split.my_color(), split.my_key(), &full);
        if (full != MPI_COMM_NULL) {
            CHECK_OK(ORTHO_Comm_subgraph(whole.comm, full, &sub));
            check(whole, split.mine(), sub, shared, reductions);
            MPI_Comm_free(&full);
        }
        MPI_Comm_free(&whole.comm);
    }
}

/// A graph of MPI's older make.
void older_graphs(const Random& random, const test::Reductions& reductions)
{
    const int p = test::size();
    // Everybody and its successor.
    Ints index, edges;
    Whole whole{{}, Kind::unweighted, MPI_COMM_NULL};
    for (int r = 0; r < p; ++r) {
        edges.push_back((r + 1) % p);
        edges.push_back((r + p - 1) % p);
        index.push_back(2 * (r + 1));
        const Ints both{(r + 1) % p, (r + p - 1) % p};
        whole.graph.processes.push_back({r, both, both});
    }
    // k-th edge u -> v is the k-th u in the list of v.
    for (int r = 0; r < p; ++r)
        for (int i = 0; i < 2; ++i) {
            const int to = whole.graph.processes[at(r)].targets[at(i)];
            // Where both neighbors are one process, both lists are the same twice.
            const int in = p <= 2 ? i : 1 - i;
            whole.graph.pairs.push_back({r, i, to, in});
        }
    MPI_Graph_create(MPI_COMM_WORLD, p, index.data(), edges.data(), 0, &whole.comm);
    Split split{Ints(at(p), 0), iota(p)};
    split.colors.back() = 1;
    MPI_Comm sub = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Comm_split(whole.comm, split.my_color(), split.my_key(), &sub));
    check(whole, split.mine(), sub, random, reductions);
    MPI_Comm_free(&whole.comm);
}

/// All of a named grid and a stencil around everybody, on MPI_COMM_WORLD, bound to an algorithm.
struct OnGrid {
    Grid grid;
    Whole whole;
};

OnGrid on_grid(const Grid& grid, const ortho::grid::Stencil& stencil, const char* algorithm)
{
    test::Comm comm = test::duplicate();
    test::name(comm, grid);
    OnGrid result{grid, {test::neighborhood_graph(grid, stencil), Kind::unweighted, MPI_COMM_NULL}};
    const auto& mine = result.whole.graph.processes[at(test::rank())];
    result.whole.comm = test::adjacent(test::to_mpi(mine.sources), test::to_mpi(mine.targets), comm,
                                       test::Info{{"ortho_algorithm", algorithm}});
    return result;
}

/// The bound algorithm serves the subgraph, in all forms, and it is the one that was named.
void check_combining(const Whole& whole, const Ints& members, MPI_Comm sub, Random random)
{
    const Induced expected = induced(whole.graph, members);
    check_lists(expected, false, sub);
    const test::Case c{expected.graph, sub, test::rank(sub)};
    Random local(random() + static_cast<unsigned>(c.me));
    int form = 0;
    test::Session session([&] { return static_cast<test::Form>(form++); });
    for (int i = 0; i < 3; ++i) test::alltoall(session, c, {random, local});
    session.complete();

    test::Request request;
    const Ints from(expected.graph.processes[at(c.me)].targets.size() + 1, 0);
    Ints to(expected.graph.processes[at(c.me)].sources.size() + 1, 0);
    CHECK_OK(
        ORTHO_Alltoall_init(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, sub, MPI_INFO_NULL, &request));
    CHECK(test::explanation(request).find("alltoall_combining") != std::string::npos);
}

/// Blocks of h x w processes of a grid of 2 dimensions, smaller at the far ends: isomorphic again.
void blocks(const OnGrid& whole, int h, int w, const Random& random)
{
    const Grid& grid = whole.grid;
    const int p = grid.points(), across = (grid.size(1) + w - 1) / w;
    Split split{Ints(), iota(p)};
    for (int r = 0; r < p; ++r)
        split.colors.push_back(grid.coordinate(r, 0) / h * across + grid.coordinate(r, 1) / w);
    test::Comm sub;
    CHECK_OK(ORTHO_Comm_split(whole.whole.comm, split.my_color(), 0, &sub));

    int t = 1;
    const int length[] = {h, w};
    for (int k = 0; k < 2; ++k) {
        const int p_k = grid.size(k);
        const int mine = std::min(length[k], p_k - grid.coordinate(test::rank(), k) / length[k] * length[k]);
        const bool leads_around = grid.periodic(k) && mine == p_k;
        t *= leads_around || mine > 1 ? 3 : 1;
    }
    CHECK_EQ(test::isomorphic(sub), t);
    // Names are not inherited.
    CHECK_EQ(test::named(sub)[0], 0);
    check_combining(whole.whole, split.mine(), sub, random);

    // A subgraph has subgraphs: here, its first half.
    MPI_Comm half = MPI_COMM_NULL;
    const int n = test::size(sub);
    CHECK_OK(ORTHO_Comm_split(sub, test::rank(sub) < (n + 1) / 2 ? 0 : MPI_UNDEFINED, 0, &half));
    if (half != MPI_COMM_NULL) {
        Ints members = split.mine();
        members.resize(at((n + 1) / 2));
        check_lists(induced(whole.whole.graph, members), false, half);
        MPI_Comm_free(&half);
    }
}

void sub_grids(const Random& random)
{
    const int p = test::size();
    for (int rows = 1; rows <= p; ++rows) {
        if (p % rows != 0) continue;
        for (const char periodic : {char{0}, char{1}}) {
            const OnGrid whole = on_grid(Grid({rows, p / rows}, {periodic, periodic}),
                                         cases::all_of(2, -1, 1), "alltoall_combining");
            blocks(whole, 1, p, random);
            blocks(whole, rows, 1, random);
            blocks(whole, 2, 2, random);
            test::Comm comm = whole.whole.comm;
        }
    }
}

void rings(const Random& random)
{
    const int p = test::size(), me = test::rank();
    const OnGrid ring = on_grid(Grid({p}, {1}), {1, {1, 2, -2}}, "auto");
    const MPI_Comm comm = ring.whole.comm;
    MPI_Comm sub = MPI_COMM_NULL;
    CHECK_EQ(test::isomorphic(comm), 3);

    // Every second process: two steps are one, and lead around again.
    if (p % 2 == 0) {
        CHECK_OK(ORTHO_Comm_split(comm, me % 2, me, &sub));
        CHECK_EQ(test::isomorphic(sub), 2);
        Ints members;
        for (int r = me % 2; r < p; r += 2) members.push_back(r);
        Random shared = random;
        const Multigraph graph = induced(ring.whole.graph, members).graph;
        const test::Case c{graph, sub, test::rank(sub)};
        test::Session session([] { return test::Form::blocking; });
        test::alltoall(session, c, {shared, shared});
        MPI_Comm_free(&sub);
    }
    // Backwards, and beginning elsewhere.
    CHECK_OK(ORTHO_Comm_split(comm, 0, -me, &sub));
    CHECK_EQ(test::isomorphic(sub), 3);
    MPI_Comm_free(&sub);
    CHECK_OK(ORTHO_Comm_split(comm, 0, (me + 1) % p, &sub));
    CHECK_EQ(test::isomorphic(sub), 3);
    MPI_Comm_free(&sub);
    // Two processes have changed places: no grid that steps lead along.
    CHECK_OK(ORTHO_Comm_split(comm, 0, me < 2 ? 1 - me : me, &sub));
    CHECK_EQ(test::isomorphic(sub), p >= 4 ? -1 : 3);
    MPI_Comm_free(&sub);
    test::Comm forget = comm;
}

/// The name of which communicator counts, and until when.
void names()
{
    const int p = test::size(), me = test::rank(), next = (me + 1) % p, last = (me + p - 1) % p;
    const int one = 1;
    test::Comm world = test::duplicate(), sub;
    test::name(world, Grid({p}, {1}));

    // Made on no name: not isomorphic.  Its subgraph on a named communicator is.
    test::Comm graph = test::adjacent({last}, {next});
    CHECK_OK(ORTHO_Comm_subgraph(graph, world, &sub));
    CHECK_EQ(test::isomorphic(sub), 1);
    MPI_Comm_free(&sub);
    CHECK_OK(ORTHO_Comm_split(graph, 0, 0, &sub));
    CHECK_EQ(test::isomorphic(sub), -1);
    MPI_Comm_free(&sub);
    // Named later: that counts when something is made of it.
    int size = 0;
    CHECK_OK(ORTHO_Cart_name(graph, 1, ORTHO_ROWMAJOR, &p, &one, &size));
    CHECK_EQ(test::isomorphic(graph), -1);
    CHECK_OK(ORTHO_Comm_split(graph, 0, 0, &sub));
    CHECK_EQ(test::isomorphic(sub), 1);
    MPI_Comm_free(&sub);
    // Names that differ are none; nor is one of fewer processes.
    const int fewer = me == 0 && p > 1 ? p - 1 : p;
    CHECK_OK(ORTHO_Cart_name(graph, 1, ORTHO_ROWMAJOR, &fewer, &one, &size));
    CHECK_OK(ORTHO_Comm_split(graph, 0, 0, &sub));
    CHECK_EQ(test::isomorphic(sub), p > 1 ? -1 : 1);
    MPI_Comm_free(&sub);
    MPI_Comm_free(&graph);

    // A graph of MPI's make is open until somebody asks, and so is a part of it.
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, &one, 1, &next, &one, MPI_INFO_NULL, 0, &graph);
    CHECK_OK(ORTHO_Comm_split(graph, 0, 0, &sub));
    CHECK_OK(ORTHO_Cart_name(sub, 1, ORTHO_ROWMAJOR, &p, &one, &size));
    CHECK_EQ(test::isomorphic(sub), 1);
    MPI_Comm_free(&sub);
    CHECK_EQ(test::isomorphic(graph), -1);
    CHECK_OK(ORTHO_Comm_split(graph, 0, 0, &sub));
    CHECK_OK(ORTHO_Cart_name(sub, 1, ORTHO_ROWMAJOR, &p, &one, &size));
    CHECK_EQ(test::isomorphic(sub), -1);
}

/// Graphs by ORTHO_Cart_neighborhood_create: their gaps stay, and slots are no offsets any more.
void cart_neighborhoods()
{
    const int p = test::size(), me = test::rank(), period = 0;
    const Ints steps{-1, 1};
    test::Comm sub;
    test::Comm line = test::neighborhood({p}, {period}, steps);
    // Without the last process: the one before it loses a slot, the first keeps its gap.
    CHECK_OK(ORTHO_Comm_split(line, me < p - 1 ? 0 : 1, 0, &sub));
    Ints expected{me > 0 ? me - 1 : MPI_PROC_NULL};
    if (me < p - 2) expected.push_back(me + 1);
    if (me == p - 1) expected = p == 1 ? Ints{MPI_PROC_NULL, MPI_PROC_NULL} : Ints{MPI_PROC_NULL};
    int in = -1, out = -1, weighted = -1;
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(sub, &in, &out, &weighted));
    CHECK_EQ(at(out), expected.size());
    Ints targets(3, -99);
    CHECK_OK(ORTHO_Dist_graph_neighbors(sub, 0, nullptr, nullptr, 3, targets.data(), nullptr));
    targets.resize(at(out));
    CHECK(targets == expected);
    CHECK_EQ(test::isomorphic(sub), me < p - 1 && p > 2 ? 2 : 0);
    int t = -1;
    test::return_errors(sub);
    CHECK_EQ(error_class(ORTHO_Cart_neighborhood_count(sub, &t)), MPI_ERR_TOPOLOGY);
}

void full_communicators()
{
    const int p = test::size(), me = test::rank(), periods[] = {1, 0};
    int dims[] = {0, 0};
    MPI_Dims_create(p, 2, dims);
    test::Comm cart = test::cart(dims, periods);
    for (MPI_Comm comm : std::initializer_list<MPI_Comm>{MPI_COMM_WORLD, cart}) {
        MPI_Comm sub = MPI_COMM_NULL;
        CHECK_OK(ORTHO_Comm_split(comm, me % 2, -me, &sub));
        CHECK_EQ(test::topology(sub), ORTHO_FULL);
        const int size = me % 2 == 0 ? (p + 1) / 2 : p / 2;
        CHECK_EQ(test::size(sub), size);
        CHECK_EQ(test::rank(sub), size - 1 - me / 2);
        int points = -1;
        CHECK_EQ(test::named(sub)[0], 0);
        // Collectives, duplicates, names and graphs of it are as of any other.
        int sum = -1;
        CHECK_OK(ORTHO_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, sub));
        CHECK_EQ(sum, size * (size - 1) + size * (me % 2));
        MPI_Comm copy = MPI_COMM_NULL;
        CHECK_OK(ORTHO_Comm_dup(sub, &copy));
        CHECK_EQ(test::topology(copy), ORTHO_FULL);
        const int one = 1;
        CHECK_OK(ORTHO_Cart_name(copy, 1, ORTHO_ROWMAJOR, &size, &one, &points));
        const int next = (test::rank(copy) + 1) % size, last = (test::rank(copy) + size - 1) % size;
        MPI_Comm ring = test::adjacent({last}, {next}, copy);
        CHECK_EQ(test::isomorphic(ring), 1);
        int got = -1;
        const int mine = test::rank(copy);
        CHECK_OK(ORTHO_Alltoall(&mine, 1, MPI_INT, &got, 1, MPI_INT, ring));
        CHECK_EQ(got, last);
        for (MPI_Comm* made : {&ring, &copy, &sub}) MPI_Comm_free(made);

        CHECK_OK(ORTHO_Comm_split(comm, me == 0 ? MPI_UNDEFINED : 1, 0, &sub));
        CHECK_EQ(sub == MPI_COMM_NULL, me == 0);
        if (sub != MPI_COMM_NULL) MPI_Comm_free(&sub);
        CHECK_OK(ORTHO_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, &sub));
        CHECK_EQ(test::rank(sub), p - 1 - me);
        MPI_Comm_free(&sub);
        test::Group group = group_of({p - 1});
        CHECK_OK(ORTHO_Comm_create(comm, group, &sub));
        CHECK_EQ(sub != MPI_COMM_NULL, me == p - 1);
        if (sub != MPI_COMM_NULL) {
            CHECK_EQ(test::topology(sub), ORTHO_FULL);
            MPI_Comm_free(&sub);
            CHECK_OK(ORTHO_Comm_create_group(comm, group, 0, &sub));
            CHECK_EQ(test::topology(sub), ORTHO_FULL);
            CHECK_EQ(test::size(sub), 1);
            MPI_Comm_free(&sub);
        }
    }
}

void inter_communicators()
{
    const int p = test::size(), me = test::rank();
    if (p < 2) return;
    test::Comm side, inter;
    const int half = p / 2;
    MPI_Comm_split(MPI_COMM_WORLD, me < half ? 0 : 1, me, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, me < half ? half : 0, 5, &inter);
    test::return_errors(inter);
    MPI_Comm sub = untouched();
    int size = 0;
    CHECK_OK(ORTHO_Comm_split(inter, 3, -me, &sub));
    CHECK_EQ(test::topology(sub), ORTHO_INTER);
    MPI_Comm_remote_size(sub, &size);
    CHECK_EQ(size, me < half ? p - half : half);
    CHECK_EQ(test::rank(sub), me < half ? half - 1 - me : p - 1 - me);
    MPI_Comm_free(&sub);

    // The first process of each side.
    test::Group group = group_of({me < half ? 0 : half});
    CHECK_OK(ORTHO_Comm_create(inter, group, &sub));
    CHECK_EQ(sub != MPI_COMM_NULL, me == 0 || me == half);
    if (sub != MPI_COMM_NULL) {
        CHECK_EQ(test::topology(sub), ORTHO_INTER);
        CHECK_EQ(test::size(sub), 1);
        MPI_Comm_free(&sub);
    }
    sub = untouched();
    EXPECT(ORTHO_Comm_create_group(inter, group, 0, &sub), MPI_ERR_COMM, "ORTHO_Comm_create_group", "inter");
    EXPECT(ORTHO_Comm_subgraph(inter, side, &sub), MPI_ERR_TOPOLOGY, "ORTHO_Comm_subgraph",
           "graph carries no graph");
    EXPECT(ORTHO_Comm_subgraph(side, inter, &sub), MPI_ERR_COMM, "ORTHO_Comm_subgraph", "sub is an inter");
    EXPECT(ORTHO_Comm_split(inter, -2, 0, &sub), MPI_ERR_ARG, "ORTHO_Comm_split", "color = -2");
    CHECK(sub == untouched());
}

MPI_Comm ring_of(MPI_Comm comm)
{
    const int p = test::size(comm), next = (test::rank(comm) + 1) % p;
    const int last = (test::rank(comm) + p - 1) % p;
    return test::adjacent({last}, {next}, comm);
}

void errors()
{
    const int p = test::size(), me = test::rank();
    MPI_Comm world = test::duplicate();
    test::return_errors(world);
    MPI_Comm ring = ring_of(world);
    MPI_Comm alone = MPI_COMM_NULL; // of process 0 or of the others
    MPI_Comm_split(world, me == 0 ? 0 : 1, 0, &alone);
    MPI_Comm small = ring_of(alone);
    MPI_Group all = group_of(iota(p));
    MPI_Comm sub = untouched();
    const MPI_Comm none = MPI_COMM_NULL;
    const MPI_Group no_group = MPI_GROUP_NULL;

    EXPECT(ORTHO_Comm_split(none, 0, 0, &sub), MPI_ERR_COMM, "ORTHO_Comm_split", "comm is MPI_COMM_NULL");
    EXPECT(ORTHO_Comm_split_type(none, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sub), MPI_ERR_COMM,
           "ORTHO_Comm_split_type", "comm is MPI_COMM_NULL");
    EXPECT(ORTHO_Comm_create(none, all, &sub), MPI_ERR_COMM, "ORTHO_Comm_create", "comm is MPI_COMM_NULL");
    EXPECT(ORTHO_Comm_create_group(none, all, 0, &sub), MPI_ERR_COMM, "ORTHO_Comm_create_group",
           "comm is MPI_COMM_NULL");
    EXPECT(ORTHO_Comm_subgraph(none, world, &sub), MPI_ERR_COMM, "ORTHO_Comm_subgraph",
           "graph is MPI_COMM_NULL");
    EXPECT(ORTHO_Comm_subgraph(ring, none, &sub), MPI_ERR_COMM, "ORTHO_Comm_subgraph",
           "sub is MPI_COMM_NULL");
    for (MPI_Comm comm : {world, ring}) {
        EXPECT(ORTHO_Comm_split(comm, -5, 0, &sub), MPI_ERR_ARG, "ORTHO_Comm_split", "color = -5");
        EXPECT(ORTHO_Comm_split(comm, 0, 0, nullptr), MPI_ERR_ARG, "ORTHO_Comm_split", "newcomm");
        EXPECT(ORTHO_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, nullptr), MPI_ERR_ARG,
               "ORTHO_Comm_split_type", "newcomm");
        EXPECT(ORTHO_Comm_create(comm, no_group, &sub), MPI_ERR_GROUP, "ORTHO_Comm_create",
               "group is MPI_GROUP_NULL");
        EXPECT(ORTHO_Comm_create(comm, all, nullptr), MPI_ERR_ARG, "ORTHO_Comm_create", "newcomm");
        EXPECT(ORTHO_Comm_create_group(comm, no_group, 0, &sub), MPI_ERR_GROUP, "ORTHO_Comm_create_group",
               "MPI_GROUP_NULL");
        EXPECT(ORTHO_Comm_create_group(comm, all, -3, &sub), MPI_ERR_TAG, "ORTHO_Comm_create_group",
               "tag = -3");
        EXPECT(ORTHO_Comm_create_group(comm, all, 0, nullptr), MPI_ERR_ARG, "ORTHO_Comm_create_group",
               "newcomm");
        // Wrong on one process: an error on all, and nobody waits.
        const int color = me == p - 1 ? -7 : 0;
        EXPECT(ORTHO_Comm_split(comm, color, 0, &sub), MPI_ERR_ARG, "ORTHO_Comm_split", "color = -7");
        MPI_Group given = me == p - 1 ? no_group : all;
        EXPECT(ORTHO_Comm_create(comm, given, &sub), MPI_ERR_GROUP, "ORTHO_Comm_create", "");
    }
    EXPECT(ORTHO_Comm_subgraph(world, world, &sub), MPI_ERR_TOPOLOGY, "ORTHO_Comm_subgraph",
           "graph carries no graph");
    EXPECT(ORTHO_Comm_subgraph(ring, ring, &sub), MPI_ERR_TOPOLOGY, "ORTHO_Comm_subgraph", "ORTHO_Comm_base");
    EXPECT(ORTHO_Comm_subgraph(ring, world, nullptr), MPI_ERR_ARG, "ORTHO_Comm_subgraph", "subgraph");
    if (p > 1) {
        const std::string outsider = "process " + std::to_string(me == 0 ? 1 : 0) + " of ";
        EXPECT(ORTHO_Comm_subgraph(small, world, &sub), MPI_ERR_COMM, "ORTHO_Comm_subgraph",
               (outsider + "sub is not in graph").c_str());
        for (MPI_Comm comm : {alone, small}) {
            EXPECT(ORTHO_Comm_create(comm, all, &sub), MPI_ERR_GROUP, "ORTHO_Comm_create",
                   (outsider + "group").c_str());
            EXPECT(ORTHO_Comm_create_group(comm, all, 0, &sub), MPI_ERR_GROUP, "ORTHO_Comm_create_group",
                   (outsider + "group").c_str());
        }
    }
    CHECK(sub == untouched());

    // A new communicator has the error handler of the communicator that it is made of.
    CHECK_OK(ORTHO_Comm_split(ring, 0, 0, &sub));
    EXPECT(ORTHO_Bcast(&sub, 1, MPI_INT, -1, sub), MPI_ERR_ROOT, "ORTHO_Bcast", "root = -1");
    MPI_Comm_free(&sub);
    CHECK_OK(ORTHO_Comm_subgraph(ring, world, &sub));
    EXPECT(ORTHO_Bcast(&sub, 1, MPI_INT, -1, sub), MPI_ERR_ROOT, "ORTHO_Bcast", "root = -1");
    MPI_Comm_free(&sub);
    MPI_Group_free(&all);
    for (MPI_Comm* comm : {&small, &alone, &ring, &world}) MPI_Comm_free(comm);
}

/// Process 1 completes an operation first, in which blocks travel through processes that are making a
/// communicator by then.
void others_wait_for_us()
{
    const int p = test::size(), me = test::rank();
    if (p < 4 || p % 2 != 0) return;
    const int dims[] = {2, p / 2}, periods[] = {1, 1};
    const int steps[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    test::Comm torus;
    CHECK_OK(ORTHO_Cart_neighborhood_create(
        MPI_COMM_WORLD, 2, dims, periods, 4, steps[0], MPI_UNWEIGHTED,
        test::Info{{"ortho_forward", "true"}, {"ortho_algorithm", "alltoall_combining"}}, 0, &torus));
    test::Group all = group_of(iota(p));
    for (int way = 0; way < 3; ++way) {
        const Ints from(4, me);
        Ints got(4, -1);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        CHECK_OK(ORTHO_Ialltoall(from.data(), 1, MPI_INT, got.data(), 1, MPI_INT, torus, &request));
        if (me == 1) CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        test::Comm sub;
        if (way == 0) CHECK_OK(ORTHO_Comm_create_group(torus, all, 9, &sub));
        if (way == 1) CHECK_OK(ORTHO_Comm_split(torus, 0, 0, &sub));
        if (way == 2) CHECK_OK(ORTHO_Comm_create(torus, all, &sub));
        CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
        const int column = (me % (p / 2) + p / 2 - 1) % (p / 2);
        CHECK_EQ(got[3], (1 - me / (p / 2)) * (p / 2) + column);
        CHECK_EQ(test::isomorphic(sub), 4);
    }
}

/// A part by MPI_Comm_create_group, of a communicator with this topology, has none.  Open MPI leaves that of
/// the whole on it.
void parts_have_no_topology()
{
    const int p = test::size(), me = test::rank();
    if (p < 2) return;
    const int period = 1, next[] = {(me + 1) % p}, last[] = {(me + p - 1) % p};
    const Ints members = me % 2 == 0 ? Ints{0} : Ints{1}; // whose ranks in the part are others
    MPI_Comm grid = MPI_COMM_NULL;
    test::Comm graph;
    MPI_Comm older = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &p, &period, 0, &grid);
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, last, MPI_UNWEIGHTED, 1, next,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    Ints ends = iota(p), list = iota(p);
    for (int& end : ends) ++end;
    std::rotate(list.begin(), list.begin() + 1, list.end());
    MPI_Graph_create(MPI_COMM_WORLD, p, ends.data(), list.data(), 0, &older);
    for (MPI_Comm const whole : std::initializer_list<MPI_Comm>{grid, graph, older})
        for (const int ours : {0, 1}) {
            if (me > 1 || (ours == 1 && whole != grid)) continue;
            MPI_Group group = group_of(members);
            test::Comm part, copy;
            if (ours == 1)
                CHECK_OK(ORTHO_Comm_create_group(whole, group, 1, &part));
            else
                MPI_Comm_create_group(whole, group, 1, &part);
            MPI_Group_free(&group);
            MPI_Comm_dup(part, &copy);
            for (MPI_Comm const comm : std::initializer_list<MPI_Comm>{part, copy}) {
                CHECK_EQ(test::topology(comm), ORTHO_FULL);
                CHECK_EQ(test::named(comm)[0], 0);
                int sum = -1;
                CHECK_OK(ORTHO_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
                CHECK_EQ(sum, me);
            }
        }
    // All processes: ours inherits no name, and in another order there is no graph.
    MPI_Group group = group_of(iota(p));
    MPI_Comm all = MPI_COMM_NULL;
    CHECK_OK(ORTHO_Comm_create_group(grid, group, 1, &all));
    CHECK_EQ(test::named(all)[0], 0);
    MPI_Comm_free(&all);
    MPI_Group_free(&group);
    if (test::is_open_mpi()) {
        Ints backwards = iota(p);
        std::ranges::reverse(backwards);
        group = group_of(backwards);
        MPI_Comm_create_group(graph, group, 1, &all);
        CHECK_EQ(test::topology(all), ORTHO_FULL);
        MPI_Comm_free(&all);
        MPI_Group_free(&group);
    }
    for (MPI_Comm* const comm : {&grid, &graph, &older}) MPI_Comm_free(comm);
    if (!test::is_open_mpi() || p < 4) return;
    // A graph of MPI's that we have not seen before.
    const int one = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, last, &one, 1, next, &one, MPI_INFO_NULL, 0, &graph);
    if (me < 2) {
        group = group_of({0, 1});
        MPI_Comm_create_group(graph, group, 1, &all);
        test::return_errors(all);
        int sum = -1;
        CHECK_EQ(error_class(ORTHO_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all)), MPI_ERR_TOPOLOGY);
        MPI_Comm_free(&all);
        MPI_Group_free(&group);
    }
}

} // namespace

TEST_MAIN()
{
    parts_have_no_topology();
    const int repeats = test::given("ORTHO_TEST_REPEATS", test::size() <= 2 ? 20 : 5);
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 4321)));
    {
        const test::Reductions reductions;
        on_random_graphs(random, repeats, reductions);
        older_graphs(random, reductions);
    }
    sub_grids(random);
    rings(random);
    names();
    cart_neighborhoods();
    full_communicators();
    inter_communicators();
    errors();
    others_wait_for_us();
}
