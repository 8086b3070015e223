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

/// The lists of this process in a graph of all processes of a communicator, for MPI; gaps have no weight.
template <class Weight>
test::Lists lists_in(const Multigraph& graph, Weight weight_of, MPI_Comm comm = MPI_COMM_WORLD)
{
    const int me = test::rank(comm);
    const auto& mine = graph.processes[at(me)];
    test::Lists lists{test::to_mpi(mine.sources), Ints(mine.sources.size(), 0), test::to_mpi(mine.targets),
                      Ints(mine.targets.size(), 0)};
    for (const cases::Pair& pair : graph.pairs) {
        if (pair.from == me) lists.target_weights[at(pair.out_edge)] = weight_of(pair.from, pair.out_edge);
        if (pair.to == me) lists.source_weights[at(pair.in_edge)] = weight_of(pair.from, pair.out_edge);
    }
    return lists;
}

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
    const test::Lists lists = lists_in(graph, weight);
    if (!mpis) {
        MPI_Comm comm = test::adjacent(lists, kind == Kind::weighted);
        if (kind != Kind::duplicate) return comm;
        const test::Comm original = comm;
        return test::duplicate(comm);
    }
    MPI_Comm comm = test::adjacent_by_mpi(lists, true);
    if (kind == Kind::of_mpi_attached) CHECK_OK(ORTHO_Barrier(comm));
    return comm;
}

/// `sub` has `members` in this order, and their subgraph.  The weights say which edges they are.
void check_lists(const Induced& expected, const Ints& members, bool weighted, MPI_Comm sub)
{
    CHECK_EQ(test::topology(sub), ORTHO_GRAPH);
    CHECK_EQ(test::edges(sub)[2], weighted ? 1 : 0);
    const auto old_weight = [&](int from, int edge) {
        return weighted ? weight(members[at(from)], expected.old_targets[at(from)][at(edge)]) : 0;
    };
    CHECK(test::lists_of(sub) == lists_in(expected.graph, old_weight, sub));
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
    const bool weighted = test::edges(whole.comm)[2] == 1;
    if (has_slots(whole.graph))
        CHECK_EQ(weighted, whole.kind != Kind::unweighted && whole.kind != Kind::duplicate);
    check_lists(expected, members, weighted, sub);
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
        test::Comm full;
        MPI_Comm_split(MPI_COMM_WORLD, split.my_color(), split.my_key(), &full);
        if (full != MPI_COMM_NULL) {
            CHECK_OK(ORTHO_Comm_subgraph(whole.comm, full, &sub));
            check(whole, split.mine(), sub, shared, reductions);
        }
        MPI_Comm_free(&whole.comm);
    }
}

/// A graph of MPI's older make.
void older_graphs(const Random& random, const test::Reductions& reductions)
{
    const int p = test::size();
    // Everybody and its successor.
    Whole whole{{}, Kind::unweighted, MPI_COMM_NULL};
    std::vector<Ints> neighbors;
    for (int r = 0; r < p; ++r) {
        const Ints& both = neighbors.emplace_back(Ints{(r + 1) % p, (r + p - 1) % p});
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
    whole.comm = test::old_graph(neighbors);
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
    check_lists(expected, members, false, sub);
    const test::Case c{expected.graph, sub, test::rank(sub)};
    Random local(random() + static_cast<unsigned>(c.me));
    int form = 0;
    test::Session session([&] { return static_cast<test::Form>(form++); });
    for (int i = 0; i < 3; ++i) test::alltoall(session, c, {random, local});
    session.complete();

    const Ints from(at(c.targets()) + 1, 0);
    Ints to(at(c.sources()) + 1, 0);
    const test::Request request = test::alltoall_init(from.data(), to.data(), sub);
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
    test::Comm half;
    const int n = test::size(sub);
    CHECK_OK(ORTHO_Comm_split(sub, test::rank(sub) < (n + 1) / 2 ? 0 : MPI_UNDEFINED, 0, &half));
    if (half == MPI_COMM_NULL) return;
    Ints members = split.mine();
    members.resize(at((n + 1) / 2));
    check_lists(induced(whole.whole.graph, members), members, false, half);
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

void rings()
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
        check_lists(induced(ring.whole.graph, members), members, false, sub);
        test::check_blocks(sub);
        MPI_Comm_free(&sub);
    }
    // Backwards, beginning elsewhere, and where two have changed places: no grid that steps lead along.
    const int keys[] = {-me, (me + 1) % p, me < 2 ? 1 - me : me};
    for (const int i : {0, 1, 2}) {
        CHECK_OK(ORTHO_Comm_split(comm, 0, keys[i], &sub));
        CHECK_EQ(test::isomorphic(sub), i == 2 && p >= 4 ? -1 : 3);
        MPI_Comm_free(&sub);
    }
    test::Comm forget = comm;
}

MPI_Comm ring_of(MPI_Comm comm)
{
    const int p = test::size(comm), me = test::rank(comm);
    return test::adjacent({(me + p - 1) % p}, {(me + 1) % p}, comm);
}

/// The name of which communicator counts, and until when.
void names()
{
    const int p = test::size(), me = test::rank();
    test::Comm world = test::duplicate(), sub;
    test::name(world, Grid({p}, {1}));

    const auto part_of = [](MPI_Comm whole) {
        MPI_Comm part = MPI_COMM_NULL;
        CHECK_OK(ORTHO_Comm_split(whole, 0, 0, &part));
        return part;
    };
    const auto name_it = [](MPI_Comm comm, int points) { test::name(comm, Grid({points}, {1})); };
    const auto part_is_isomorphic = [&](MPI_Comm whole) {
        const test::Comm part = part_of(whole);
        return test::isomorphic(part);
    };

    // Made on no name: not isomorphic.  Its subgraph on a named communicator is.
    {
        const test::Comm graph = ring_of(MPI_COMM_WORLD);
        CHECK_OK(ORTHO_Comm_subgraph(graph, world, &sub));
        CHECK_EQ(test::isomorphic(sub), 1);
        CHECK_EQ(part_is_isomorphic(graph), -1);
        // Named later: that counts when something is made of it.
        name_it(graph, p);
        CHECK_EQ(test::isomorphic(graph), -1);
        CHECK_EQ(part_is_isomorphic(graph), 1);
        // Names that differ are none; nor is one of fewer processes.
        name_it(graph, me == 0 && p > 1 ? p - 1 : p);
        CHECK_EQ(part_is_isomorphic(graph), p > 1 ? -1 : 1);
    }
    // A graph of MPI's make is open until somebody asks, and so is a part of it.
    const test::Comm graph = test::one_way_ring();
    {
        const test::Comm part = part_of(graph);
        name_it(part, p);
        CHECK_EQ(test::isomorphic(part), 1);
    }
    CHECK_EQ(test::isomorphic(graph), -1);
    const test::Comm part = part_of(graph);
    name_it(part, p);
    CHECK_EQ(test::isomorphic(part), -1);
}

/// Graphs by ORTHO_Cart_neighborhood_create: their gaps stay, and slots are no offsets any more.
void cart_neighborhoods()
{
    const int p = test::size(), me = test::rank();
    test::Comm sub;
    test::Comm line = test::neighborhood({p}, {0}, {-1, 1});
    // Without the last process: the one before it loses a slot, the first keeps its gap.
    CHECK_OK(ORTHO_Comm_split(line, me < p - 1 ? 0 : 1, 0, &sub));
    test::return_errors(sub);
    Ints expected{me > 0 ? me - 1 : MPI_PROC_NULL};
    if (me < p - 2) expected.push_back(me + 1);
    if (me == p - 1) expected = p == 1 ? Ints{MPI_PROC_NULL, MPI_PROC_NULL} : Ints{MPI_PROC_NULL};
    CHECK(test::lists_of(sub).targets == expected);
    CHECK_EQ(test::isomorphic(sub), me < p - 1 && p > 2 ? 2 : 0);
    int t = -1;
    FAILS(ORTHO_Cart_neighborhood_count(sub, &t), MPI_ERR_TOPOLOGY);
}

void full_communicators()
{
    const int p = test::size(), me = test::rank(), periods[] = {1, 0};
    int dims[] = {0, 0};
    MPI_Dims_create(p, 2, dims);
    test::Comm cart = test::cart(dims, periods);
    for (MPI_Comm comm : std::initializer_list<MPI_Comm>{MPI_COMM_WORLD, cart}) {
        test::Comm sub;
        CHECK_OK(ORTHO_Comm_split(comm, me % 2, -me, &sub));
        CHECK_EQ(test::topology(sub), ORTHO_FULL);
        const int size = me % 2 == 0 ? (p + 1) / 2 : p / 2;
        CHECK_EQ(test::size(sub), size);
        CHECK_EQ(test::rank(sub), size - 1 - me / 2);
        CHECK_EQ(test::named(sub)[0], 0);
        // Collectives, duplicates, names and graphs of it are as of any other.
        CHECK_EQ(test::sum_of_ranks(sub), size * (size - 1) + size * (me % 2));
        test::Comm copy;
        CHECK_OK(ORTHO_Comm_dup(sub, &copy));
        CHECK_EQ(test::topology(copy), ORTHO_FULL);
        test::name(copy, Grid({size}, {1}));
        const test::Comm ring = ring_of(copy);
        CHECK_EQ(test::isomorphic(ring), 1);
        CHECK((test::lists_of(ring).sources == Ints{(test::rank(copy) + size - 1) % size}));
        test::check_blocks(ring);

        test::Comm others, node, last;
        CHECK_OK(ORTHO_Comm_split(comm, me == 0 ? MPI_UNDEFINED : 1, 0, &others));
        CHECK_EQ(others == MPI_COMM_NULL, me == 0);
        CHECK_OK(ORTHO_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, &node));
        CHECK_EQ(test::rank(node), p - 1 - me);
        test::Group group = group_of({p - 1});
        CHECK_OK(ORTHO_Comm_create(comm, group, &last));
        CHECK_EQ(last != MPI_COMM_NULL, me == p - 1);
        if (me != p - 1) continue;
        test::Comm again;
        CHECK_EQ(test::topology(last), ORTHO_FULL);
        CHECK_OK(ORTHO_Comm_create_group(comm, group, 0, &again));
        CHECK_EQ(test::topology(again), ORTHO_FULL);
        CHECK_EQ(test::size(again), 1);
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
    test::Comm split, created;
    int size = 0;
    CHECK_OK(ORTHO_Comm_split(inter, 3, -me, &split));
    CHECK_EQ(test::topology(split), ORTHO_INTER);
    MPI_Comm_remote_size(split, &size);
    CHECK_EQ(size, me < half ? p - half : half);
    CHECK_EQ(test::rank(split), me < half ? half - 1 - me : p - 1 - me);

    // The first process of each side.
    test::Group group = group_of({me < half ? 0 : half});
    CHECK_OK(ORTHO_Comm_create(inter, group, &created));
    CHECK_EQ(created != MPI_COMM_NULL, me == 0 || me == half);
    if (created != MPI_COMM_NULL) {
        CHECK_EQ(test::topology(created), ORTHO_INTER);
        CHECK_EQ(test::size(created), 1);
    }
    MPI_Comm sub = untouched();
    FAILS(ORTHO_Comm_create_group(inter, group, 0, &sub), MPI_ERR_COMM, "inter");
    FAILS(ORTHO_Comm_subgraph(inter, side, &sub), MPI_ERR_TOPOLOGY, "graph carries no graph");
    FAILS(ORTHO_Comm_subgraph(side, inter, &sub), MPI_ERR_COMM, "sub is an inter");
    FAILS(ORTHO_Comm_split(inter, -2, 0, &sub), MPI_ERR_ARG, "color = -2");
    CHECK(sub == untouched());
}

void errors()
{
    const int p = test::size(), me = test::rank();
    const test::Comm world = test::duplicate();
    test::return_errors(world);
    const test::Comm ring = ring_of(world);
    test::Comm alone; // of process 0 or of the others
    MPI_Comm_split(world, me == 0 ? 0 : 1, 0, &alone);
    const test::Comm small = ring_of(alone);
    const test::Group all = group_of(iota(p));
    MPI_Comm sub = untouched();
    const MPI_Comm none = MPI_COMM_NULL;
    const MPI_Group no_group = MPI_GROUP_NULL;

    FAILS(ORTHO_Comm_split(none, 0, 0, &sub), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
    FAILS(ORTHO_Comm_split_type(none, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sub), MPI_ERR_COMM,
          "comm is MPI_COMM_NULL");
    FAILS(ORTHO_Comm_create(none, all, &sub), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
    FAILS(ORTHO_Comm_create_group(none, all, 0, &sub), MPI_ERR_COMM, "comm is MPI_COMM_NULL");
    FAILS(ORTHO_Comm_subgraph(none, world, &sub), MPI_ERR_COMM, "graph is MPI_COMM_NULL");
    FAILS(ORTHO_Comm_subgraph(ring, none, &sub), MPI_ERR_COMM, "sub is MPI_COMM_NULL");
    for (MPI_Comm comm : {MPI_Comm{world}, MPI_Comm{ring}}) {
        FAILS(ORTHO_Comm_split(comm, -5, 0, &sub), MPI_ERR_ARG, "color = -5");
        FAILS(ORTHO_Comm_split(comm, 0, 0, nullptr), MPI_ERR_ARG, "newcomm");
        FAILS(ORTHO_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, nullptr), MPI_ERR_ARG,
              "newcomm");
        FAILS(ORTHO_Comm_create(comm, no_group, &sub), MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
        FAILS(ORTHO_Comm_create(comm, all, nullptr), MPI_ERR_ARG, "newcomm");
        FAILS(ORTHO_Comm_create_group(comm, no_group, 0, &sub), MPI_ERR_GROUP, "MPI_GROUP_NULL");
        FAILS(ORTHO_Comm_create_group(comm, all, -3, &sub), MPI_ERR_TAG, "tag = -3");
        FAILS(ORTHO_Comm_create_group(comm, all, 0, nullptr), MPI_ERR_ARG, "newcomm");
        // Wrong on one process: an error on all, and nobody waits.
        const int color = me == p - 1 ? -7 : 0;
        FAILS(ORTHO_Comm_split(comm, color, 0, &sub), MPI_ERR_ARG, "color = -7");
        const MPI_Group given = me == p - 1 ? no_group : MPI_Group{all};
        FAILS(ORTHO_Comm_create(comm, given, &sub), MPI_ERR_GROUP);
    }
    FAILS(ORTHO_Comm_subgraph(world, world, &sub), MPI_ERR_TOPOLOGY, "graph carries no graph");
    FAILS(ORTHO_Comm_subgraph(ring, ring, &sub), MPI_ERR_TOPOLOGY, "ORTHO_Comm_base");
    FAILS(ORTHO_Comm_subgraph(ring, world, nullptr), MPI_ERR_ARG, "subgraph");
    if (p > 1) {
        const std::string outsider = "process " + std::to_string(me == 0 ? 1 : 0) + " of ";
        FAILS(ORTHO_Comm_subgraph(small, world, &sub), MPI_ERR_COMM, outsider + "sub is not in graph");
        for (MPI_Comm comm : {MPI_Comm{alone}, MPI_Comm{small}}) {
            FAILS(ORTHO_Comm_create(comm, all, &sub), MPI_ERR_GROUP, outsider + "group");
            FAILS(ORTHO_Comm_create_group(comm, all, 0, &sub), MPI_ERR_GROUP, outsider + "group");
        }
    }
    CHECK(sub == untouched());

    // A new communicator has the error handler of the communicator that it is made of.
    for (const bool by_split : {true, false}) {
        CHECK_OK(by_split ? ORTHO_Comm_split(ring, 0, 0, &sub) : ORTHO_Comm_subgraph(ring, world, &sub));
        FAILS(ORTHO_Bcast(&sub, 1, MPI_INT, -1, sub), MPI_ERR_ROOT, "root = -1");
        MPI_Comm_free(&sub);
    }
}

/// Process 1 completes an operation first, in which blocks travel through processes that are making a
/// communicator by then.
void others_wait_for_us()
{
    const int p = test::size(), me = test::rank();
    if (p < 4 || p % 2 != 0) return;
    test::Comm torus = test::neighborhood(
        {2, p / 2}, {1, 1}, {0, 0, 0, 1, 1, 0, 1, 1}, MPI_COMM_WORLD,
        test::Info{{"ortho_forward", "true"}, {"ortho_algorithm", "alltoall_combining"}});
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
    const Ints members = me % 2 == 0 ? Ints{0} : Ints{1}; // whose ranks in the part are others
    std::vector<Ints> neighbors;
    for (int r = 0; r < p; ++r) neighbors.push_back({(r + 1) % p});
    const test::Comm grid = test::cart({p}, {1}), older = test::old_graph(neighbors);
    test::Comm graph = ring_of(MPI_COMM_WORLD);
    for (MPI_Comm const whole : std::initializer_list<MPI_Comm>{grid, graph, older})
        for (const int ours : {0, 1}) {
            if (me > 1 || (ours == 1 && whole != grid)) continue;
            const test::Group group = group_of(members);
            test::Comm part, copy;
            CHECK_OK((ours == 1 ? ORTHO_Comm_create_group : MPI_Comm_create_group)(whole, group, 1, &part));
            MPI_Comm_dup(part, &copy);
            for (MPI_Comm const comm : std::initializer_list<MPI_Comm>{part, copy}) {
                CHECK_EQ(test::topology(comm), ORTHO_FULL);
                CHECK_EQ(test::named(comm)[0], 0);
                CHECK_EQ(test::sum_of_ranks(comm), me);
            }
        }
    // All processes: ours inherits no name, and in another order there is no graph.
    Ints ranks = iota(p);
    const test::Group forwards = group_of(ranks);
    test::Comm all;
    CHECK_OK(ORTHO_Comm_create_group(grid, forwards, 1, &all));
    CHECK_EQ(test::named(all)[0], 0);
    MPI_Comm_free(&all);
    if (!test::is_open_mpi()) return;
    std::ranges::reverse(ranks);
    const test::Group backwards = group_of(ranks);
    MPI_Comm_create_group(graph, backwards, 1, &all);
    CHECK_EQ(test::topology(all), ORTHO_FULL);
    MPI_Comm_free(&all);
    MPI_Comm_free(&graph);
    if (p < 4) return;
    // A graph of MPI's that we have not seen before.
    graph = test::one_way_ring();
    if (me >= 2) return;
    const test::Group group = group_of({0, 1});
    MPI_Comm_create_group(graph, group, 1, &all);
    test::return_errors(all);
    int sum = -1;
    FAILS(ORTHO_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all), MPI_ERR_TOPOLOGY);
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
    for (const auto part : {rings, names, cart_neighborhoods, full_communicators, inter_communicators, errors,
                            others_wait_for_us})
        part();
}
