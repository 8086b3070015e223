// SPDX-License-Identifier: BSD-3-Clause
// The topologies of communicators: making graphs and asking about them, isomorphism, base, duplicates.

namespace {

constexpr int null = MPI_PROC_NULL;

MPI_Comm copy_of_world()
{
    MPI_Comm comm = test::duplicate();
    test::return_errors(comm);
    return comm;
}

MPI_Comm adjacent(MPI_Comm comm, const test::Numbers& sources, const test::Numbers& targets)
{
    return test::adjacent(sources, targets, comm, MPI_INFO_NULL, 1);
}

/// Sources r-N[i], targets r+N[i] from the name of `comm`.
std::pair<Ints, Ints> lists(MPI_Comm comm, int d, Ints offsets)
{
    const int t = static_cast<int>(offsets.size()) / d;
    Ints targets(at(t)), sources(at(t));
    CHECK_OK(ORTHO_Cart_allranks_relative(comm, test::rank(comm), t, offsets.data(), targets.data()));
    for (int& n : offsets) n = -n;
    CHECK_OK(ORTHO_Cart_allranks_relative(comm, test::rank(comm), t, offsets.data(), sources.data()));
    return {sources, targets};
}

void lists_are_given_back()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank(), next = test::right(), last = test::left();
    const Ints sources{null, last, last, me}, targets{next, me, null, next, null};
    const Ints in_weights{-9, 3, 4, 5}, out_weights{3, 5, -1, 4, 0};
    test::Comm graph = test::adjacent({sources, in_weights, targets, out_weights}, true, comm, 1);
    int in = 0, out = 0, weighted = -1;
    CHECK((test::edges(graph) == std::array<int, 3>{4, 5, 1}));
    Ints a(6, -99), b(6, -99), c(6, -99), d(6, -99);
    CHECK_OK(ORTHO_Dist_graph_neighbors(graph, 6, a.data(), b.data(), 3, c.data(), d.data()));
    CHECK((a == Ints{null, last, last, me, -99, -99}));
    CHECK((b == Ints{0, 3, 4, 5, -99, -99}));
    CHECK((c == Ints{next, me, null, -99, -99, -99}));
    CHECK((d == Ints{3, 5, 0, -99, -99, -99}));
    CHECK_OK(ORTHO_Dist_graph_neighbors(graph, 0, nullptr, nullptr, 1, a.data(), MPI_UNWEIGHTED));
    CHECK_EQ(a[0], next);
    // MPI sees the edges without the gaps, and a distributed graph.
    int topology = 0;
    MPI_Topo_test(graph, &topology);
    CHECK_EQ(topology, MPI_DIST_GRAPH);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK_EQ(in, 3);
    CHECK_EQ(out, 3);
    CHECK_EQ(test::topology(graph), ORTHO_GRAPH);
    CHECK_EQ(test::isomorphic(graph), -1); // nobody named anything

    // A duplicate keeps graph, gaps and weights, whoever makes it.
    for (const bool ours : {true, false}) {
        test::Comm dup;
        CHECK_OK((ours ? ORTHO_Comm_dup : MPI_Comm_dup)(graph, &dup));
        CHECK_OK(ORTHO_Dist_graph_neighbors(dup, 6, a.data(), b.data(), 6, c.data(), d.data()));
        CHECK((a == Ints{null, last, last, me, -99, -99}));
        CHECK((c == Ints{next, me, null, next, null, -99}));
        CHECK((d == Ints{3, 5, 0, 4, 0, -99}));
        Ints received(4, -1);
        const Ints sent{10 * me, 10 * me + 1, 10 * me + 2, 10 * me + 3, 10 * me + 4};
        CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, dup));
        // On one process all edges are self-edges, in the order of the lists.
        const Ints come = p == 1 ? Ints{-1, 0, 1, 3} : Ints{-1, 10 * last, 10 * last + 3, 10 * me + 1};
        CHECK(received == come);
    }

    // Unweighted: weight arrays are left alone (peers' T24).
    graph = adjacent(comm, {last}, {next});
    CHECK_EQ(test::edges(graph)[2], 0);
    b.assign(6, -99);
    CHECK_OK(ORTHO_Dist_graph_neighbors(graph, 6, a.data(), b.data(), 6, c.data(), b.data()));
    CHECK_EQ(b[0], -99);
    MPI_Comm_free(&graph);

    // A process may have no edges, in a weighted graph too.
    const Ints one{1};
    if (p > 1) {
        const int degree = me < 2 ? 1 : 0;
        const Ints other{1 - me};
        CHECK_OK(ORTHO_Dist_graph_create_adjacent(
            comm, degree, other.data(), me < 2 ? one.data() : MPI_UNWEIGHTED, degree, other.data(),
            me < 2 ? one.data() : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph));
        CHECK_EQ(test::edges(graph)[0], degree);
        CHECK_EQ(test::edges(graph)[2], 1);
        MPI_Comm_free(&graph);
    }
}

/// Where nobody has edges the arguments say whether there are weights.
void weights_without_edges()
{
    const int nothing = 0, first = test::rank();
    struct Row {
        const int* weights;
        bool weighted;
    };
    for (const Row& row : {Row{MPI_UNWEIGHTED, false}, Row{MPI_WEIGHTS_EMPTY, true}, Row{nullptr, true},
                           Row{&nothing, true}}) {
        std::vector<MPI_Comm> graphs(3, MPI_COMM_NULL);
        CHECK_OK(ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &nothing, row.weights, 0, &nothing,
                                                  row.weights, MPI_INFO_NULL, 0, &graphs[0]));
        CHECK_OK(ORTHO_Dist_graph_create(MPI_COMM_WORLD, 1, &first, &nothing, &nothing, row.weights,
                                         MPI_INFO_NULL, 0, &graphs[1]));
        const int p = test::size();
        CHECK_OK(ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &p, &nothing, 0, nullptr, row.weights,
                                                MPI_INFO_NULL, 0, &graphs[2]));
        for (MPI_Comm& graph : graphs) {
            CHECK((test::edges(graph) == std::array{0, 0, row.weighted ? 1 : 0}));
            int in = -1, out = -1, weighted = -1;
            CHECK_OK(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
            CHECK_EQ(weighted, row.weighted ? 1 : 0);
            MPI_Comm_free(&graph);
        }
    }
}

void general_constructor()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank();
    // Process 0 says everything: the ring, with the first edge three times.
    Ints sources, degrees, targets, weights;
    for (int r = 0; me == 0 && r < p; ++r) {
        const int copies = r == 0 ? 3 : 1;
        sources.push_back(r);
        degrees.push_back(copies);
        for (int i = 0; i < copies; ++i) {
            targets.push_back((r + 1) % p);
            weights.push_back(10 * r + 7);
        }
    }
    test::Comm graph;
    CHECK_OK(ORTHO_Dist_graph_create(comm, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                                     targets.data(), weights.data(), MPI_INFO_NULL, 1, &graph));
    const int place = test::rank(graph); // processes may be reordered
    CHECK((test::edges(graph) == std::array<int, 3>{place == 1 % p ? 3 : 1, place == 0 ? 3 : 1, 1}));
    Ints ranks(3), w(3);
    CHECK_OK(ORTHO_Dist_graph_neighbors(graph, 3, ranks.data(), w.data(), 0, nullptr, nullptr));
    CHECK_EQ(ranks[0], (place + p - 1) % p);
    CHECK_EQ(w[0], 10 * ((place + p - 1) % p) + 7);
    MPI_Comm_free(&graph);

    const Ints nowhere{null}, ones{1}, zeros{0}, minus{-1};
    const auto create = [&](int n, const Ints& from, const Ints& degree, const Ints& to, const int* weight) {
        return error_class(ORTHO_Dist_graph_create(comm, n, from.data(), degree.data(), to.data(), weight,
                                                   MPI_INFO_NULL, 0, &graph));
    };
    CHECK_EQ(create(1, zeros, ones, nowhere, MPI_UNWEIGHTED), MPI_ERR_RANK);
    CHECK_EQ(create(1, nowhere, ones, zeros, MPI_UNWEIGHTED), MPI_ERR_RANK);
    CHECK_EQ(create(1, zeros, minus, zeros, MPI_UNWEIGHTED), MPI_ERR_ARG);
    CHECK_EQ(create(-1, zeros, minus, zeros, MPI_UNWEIGHTED), MPI_ERR_ARG);
    CHECK_EQ(create(1, zeros, ones, zeros, minus.data()), MPI_ERR_ARG);
    CHECK_OK(ORTHO_Dist_graph_create(comm, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                     &graph));
    CHECK_OK(ORTHO_Barrier(graph));
}

/// Whatever tags Open MPI uses inside, and however many collectives there were on the communicator.
void general_constructor_after_much_else()
{
    test::Comm comm = copy_of_world();
    const int me = test::rank(), one = 1, right = test::right();
    for (int round = 0; round < 8; ++round) {
        for (int i = 0; i < 5; ++i) {
            MPI_Request request = MPI_REQUEST_NULL;
            int sum = 0;
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        test::Comm graph;
        CHECK_OK(
            ORTHO_Dist_graph_create(comm, 1, &me, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
        CHECK((test::lists_of(graph).sources == Ints{test::left()}));
        test::check_blocks(graph);
    }
}

void stencils_are_recognised()
{
    test::Comm comm = copy_of_world();
    const int p = test::size();
    const int rows = p % 3 == 0 && p > 3 ? 3 : p % 2 == 0 ? 2 : 1;
    std::mt19937 random(static_cast<unsigned>(test::rank()) + 7U);
    for (int periods = 0; periods < 4; ++periods)
        for (const int dimorder : {ORTHO_ROWMAJOR, ORTHO_COLMAJOR}) {
            name(comm, {rows, p / rows}, {periods & 1, periods & 2}, dimorder);
            for (const Ints& offsets : {Ints{0, 1, 0, -1, 1, 0, -1, 0}, Ints{1, 1},
                                        Ints{1, 1, 1, 1, 0, 0, -7, 2}, Ints{0, 0}, Ints{}}) {
                auto [sources, targets] = lists(comm, 2, offsets);
                std::ranges::shuffle(sources, random); // D3: every process has an order of its own
                std::ranges::shuffle(targets, random);
                test::Comm graph = adjacent(comm, sources, targets);
                CHECK(test::isomorphic(graph) >= 0);
                if (periods == 3) CHECK_EQ(test::isomorphic(graph), static_cast<int>(offsets.size()) / 2);
                test::Comm dup = MPI_COMM_NULL; // keeps isomorphism, not the name
                CHECK_OK(ORTHO_Comm_dup(graph, &dup));
                CHECK_EQ(test::isomorphic(dup), test::isomorphic(graph));
                CHECK_EQ(test::named(dup)[0], 0);
            }
        }
}

void what_is_no_stencil_is_not()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank(), next = test::right(), last = test::left();
    if (p < 3) return;
    name(comm, {p}, {1});
    // D2: equal in-degrees, unequal out-degrees: 0 -> {1,2}, 1 -> nobody, r -> r+1.
    Ints targets = me == 0 ? Ints{1, 2} : me == 1 ? Ints{} : Ints{next};
    Ints sources = me == 2 ? Ints{0} : Ints{last};
    test::Comm graph = adjacent(comm, sources, targets);
    CHECK_EQ(test::isomorphic(graph), -1);
    MPI_Comm_free(&graph);

    // A name that differs on one process, and one that is missing there.
    for (const bool missing : {false, true}) {
        if (me == 1 && missing)
            CHECK_OK(ORTHO_Cart_unname(comm));
        else
            name(comm, {p}, {me == 1 ? 0 : 1});
        graph = adjacent(comm, {last}, {next});
        CHECK_EQ(test::isomorphic(graph), -1);
        test::check_blocks(graph);
        name(comm, {p}, {1});
    }

    // D8: a grid smaller than the communicator, with a ring on all of it.
    name(comm, {p - 1}, {1});
    graph = adjacent(comm, {last}, {next});
    CHECK_EQ(test::isomorphic(graph), -1);

    // D5: on a mesh +1, -1 is a stencil; and the ring is one, too: +1 and, for the last process
    // alone, -(p-1).
    name(comm, {p}, {0});
    Ints around;
    if (me > 0) around.push_back(me - 1);
    if (me < p - 1) around.push_back(me + 1);
    graph = adjacent(comm, around, around);
    CHECK_EQ(test::isomorphic(graph), 2);
    graph = adjacent(comm, {last}, {next});
    CHECK_EQ(test::isomorphic(graph), 2);
    // One edge too few, in the middle.
    graph = adjacent(comm, me == 2 % p ? Ints{} : Ints{last}, me == 1 ? Ints{} : Ints{next});
    CHECK_EQ(test::isomorphic(graph), -1);
}

void graphs_of_others()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank(), next = test::right(), last = test::left();
    // MPI's own constructor: direct, until asked.
    test::Comm graph = test::adjacent_by_mpi({{last, me}, {}, {next, me}, {}}, false, comm);
    CHECK_EQ(test::topology(graph), ORTHO_GRAPH);
    const Ints sent{2 * me, 2 * me + 1};
    Ints received(2, -1);
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph));
    const Ints expected{2 * last, 2 * me + 1};
    CHECK(received == expected);
    // A name given later changes nothing by itself; asking does, and collectives mean the same.
    name(graph, {p}, {1});
    CHECK_EQ(test::isomorphic(graph), 2);
    received.assign(2, -1);
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph));
    CHECK(received == expected);

    // Asked without a name: no, for good.
    graph = test::one_way_ring();
    CHECK_EQ(test::isomorphic(graph), -1);
    name(graph, {p}, {1});
    CHECK_EQ(test::isomorphic(graph), -1);

    // MPI_GRAPH: in = out = neighbors.  A path.
    std::vector<Ints> path(at(p));
    for (int r = 1; r < p; ++r) {
        path[at(r)].push_back(r - 1);
        path[at(r - 1)].push_back(r);
    }
    graph = test::old_graph(path, comm);
    CHECK_EQ(test::topology(graph), ORTHO_GRAPH);
    const int degree = (me > 0 ? 1 : 0) + (me < p - 1 ? 1 : 0);
    CHECK((test::edges(graph) == std::array<int, 3>{degree, degree, 0}));
    CHECK_EQ(test::sum_of_ranks(graph), p == 1 ? -1 : me == 0 ? 1 : me == p - 1 ? p - 2 : 2 * me);
    MPI_Comm_free(&graph);

    // D1: a Cartesian communicator carries no graph.
    test::Comm cart = test::cart({p}, {1}, comm);
    test::return_errors(cart);
    CHECK_EQ(test::topology(cart), ORTHO_FULL);
    int flag = 0;
    FAILS(ORTHO_Comm_isomorphic(cart, &flag, &flag), MPI_ERR_TOPOLOGY);
    FAILS(ORTHO_Dist_graph_neighbors_count(cart, &flag, &flag, &flag), MPI_ERR_TOPOLOGY);
    CHECK(
        message().find("is an MPI Cartesian communicator, which carries a grid and no graph: make the graph "
                       "of its neighbors by ORTHO_Cart_neighborhood_create") != std::string::npos);
    CHECK_EQ(test::sum_of_ranks(cart), p * (p - 1) / 2); // peers' O12: not silence
    // ... but gives a graph made on it its name.
    graph = adjacent(cart, {last}, {next});
    CHECK_EQ(test::isomorphic(graph), 1);
}

/// MPI's graphs on communicators that the library has seen are graphs of their own, whatever MPI copies to
/// them: parents that are full, that carry another graph, and, on all processes but the last, that carry the
/// same.
void graphs_on_what_is_known()
{
    const int p = test::size(), rank = test::rank(), left = test::left(), right = test::right();
    MPI_Comm known = copy_of_world();
    CHECK_OK(ORTHO_Barrier(known));
    MPI_Comm ring = adjacent(known, {left}, {right});
    CHECK_OK(ORTHO_Barrier(ring));
    for (MPI_Comm parent : {known, ring})
        for (const bool back : {true, false}) {
            // Back: the other way round.  Else the ring, with edges of the last process to itself besides.
            Ints sources{back ? right : left}, targets{back ? left : right};
            if (!back && rank == p - 1) {
                sources.push_back(rank);
                targets.push_back(rank);
            }
            const test::Comm graph = test::adjacent_by_mpi({sources, {}, targets, {}}, false, parent);
            const Ints send(2, 100 + rank);
            Ints receive(2, -1);
            CHECK_OK(ORTHO_Allgather(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, graph));
            CHECK_EQ(receive[0], 100 + sources[0]);
            CHECK_EQ(receive[1], sources.size() == 2 ? 100 + rank : -1);
        }
    MPI_Comm_free(&ring);
    MPI_Comm_free(&known);
    // A graph on a grid is no grid.
    test::Comm grid = test::cart({p}, {1});
    test::Comm graph = adjacent(grid, {left}, {right});
    int topology = MPI_UNDEFINED;
    MPI_Topo_test(graph, &topology);
    CHECK_EQ(topology, MPI_DIST_GRAPH);
}

void cart_neighborhoods()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank();
    test::Comm cart;
    // 9-point on a 1 x p mesh: blocks that leave the grid are gaps, and stay in their slots.
    Ints offsets;
    for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y) offsets.insert(offsets.end(), {x, y});
    const Ints dims{1, p}, mesh{0, 0}, weight{1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK_OK(ORTHO_Cart_neighborhood_create(comm, 2, dims.data(), mesh.data(), 9, offsets.data(),
                                            weight.data(), MPI_INFO_NULL, 1, &cart));
    int t = -1;
    CHECK_OK(ORTHO_Cart_neighborhood_count(cart, &t));
    CHECK_EQ(t, 9);
    Ints sources(10, -99), sourceweights(10, -99), targets(10, -99), targetweights(10, -99);
    CHECK_OK(ORTHO_Cart_neighborhood_get(cart, 9, sources.data(), sourceweights.data(), 9, targets.data(),
                                         targetweights.data()));
    const int left = me > 0 ? me - 1 : null, right = me < p - 1 ? me + 1 : null;
    CHECK((targets == Ints{null, null, null, left, me, right, null, null, null, -99}));
    CHECK((sources == Ints{null, null, null, right, me, left, null, null, null, -99}));
    CHECK((targetweights == Ints{1, 2, 3, 4, 5, 6, 7, 8, 9, -99}));
    CHECK(sourceweights == targetweights);
    CHECK_OK(ORTHO_Cart_neighborhood_get(cart, 2, sources.data(), MPI_UNWEIGHTED, 1, targets.data(),
                                         MPI_UNWEIGHTED));
    CHECK((test::named(cart) == std::array{1, 2, p})); // named with its grid
    int dimorder = -1;
    Ints order(2), period(2);
    CHECK_OK(ORTHO_Cart_get(cart, &dimorder, 2, order.data(), period.data()));
    CHECK_EQ(dimorder, ORTHO_ROWMAJOR);
    CHECK(order == dims);
    Ints sent(9);
    for (int i = 0; i < 9; ++i) sent[at(i)] = 100 * me + i;
    Ints received(9, -1);
    CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, cart));
    CHECK((received == Ints{-1, -1, -1, right == null ? -1 : 100 * right + 3, 100 * me + 4,
                            left == null ? -1 : 100 * left + 5, -1, -1, -1}));
    test::Comm dup; // peers' T25
    MPI_Comm_dup(cart, &dup);
    CHECK_OK(ORTHO_Cart_neighborhood_count(dup, &t));
    CHECK_EQ(t, 9);
    received.assign(9, -1);
    CHECK_OK(ORTHO_Allgather(&me, 1, MPI_INT, received.data(), 1, MPI_INT, dup));
    CHECK(
        (received == Ints{-1, -1, -1, right == null ? -1 : right, me, left == null ? -1 : left, -1, -1, -1}));

    // A ring of p with +1, -1: block 0 arrives in slot 0, on 1 and 2 processes too.
    const Ints ends{1, -1};
    const int torus = 1;
    cart = test::neighborhood({p}, {torus}, ends, comm);
    const Ints mine{2 * me, 2 * me + 1};
    received.assign(2, -1);
    CHECK_OK(ORTHO_Alltoall(mine.data(), 1, MPI_INT, received.data(), 1, MPI_INT, cart));
    CHECK((received == Ints{2 * ((me + p - 1) % p), 2 * ((me + 1) % p) + 1}));
    CHECK_EQ(test::isomorphic(cart), 2);
    MPI_Comm_free(&cart);

    // Fewer grid points than processes (peers' T15); no neighbors at all (T9).
    const Ints small{(p + 1) / 2};
    CHECK_OK(ORTHO_Cart_neighborhood_create(comm, 1, small.data(), &torus, 0, nullptr, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &cart));
    CHECK_EQ(cart == MPI_COMM_NULL, me >= small[0]);
    if (cart != MPI_COMM_NULL) {
        CHECK_OK(ORTHO_Alltoall(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, cart));
        CHECK_EQ(test::isomorphic(cart), 0);
        MPI_Comm_free(&cart);
    }

    // Errors, the same on all processes.
    const auto create = [&](int dimensions, const int* sizes, const int* periods, int n, const int* list,
                            const int* weights) {
        return ORTHO_Cart_neighborhood_create(comm, dimensions, sizes, periods, n, list, weights,
                                              MPI_INFO_NULL, 0, &cart);
    };
    const Ints zero{0}, large{p + 1}, minus{-1, -1};
    CHECK_EQ(error_class(create(0, dims.data(), mesh.data(), 0, nullptr, MPI_UNWEIGHTED)), MPI_ERR_DIMS);
    refused(create(1, zero.data(), mesh.data(), 0, nullptr, MPI_UNWEIGHTED), MPI_ERR_DIMS,
            "ORTHO_Cart_neighborhood_create: dims[0] = 0");
    CHECK_EQ(error_class(create(1, large.data(), mesh.data(), 0, nullptr, MPI_UNWEIGHTED)), MPI_ERR_DIMS);
    CHECK_EQ(error_class(create(1, &p, mesh.data(), -1, ends.data(), MPI_UNWEIGHTED)), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, &p, mesh.data(), 2, nullptr, MPI_UNWEIGHTED)), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, &p, mesh.data(), 2, ends.data(), minus.data())), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, nullptr, mesh.data(), 0, nullptr, MPI_UNWEIGHTED)), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, &p, nullptr, 0, nullptr, MPI_UNWEIGHTED)), MPI_ERR_ARG);
    if (p > 1) { // processes that disagree: peers' T30
        const Ints other{me == 1 ? 2 : 1, -1};
        refused(create(1, &p, &torus, 2, other.data(), MPI_UNWEIGHTED), ORTHO_ERR_MISMATCH,
                "targetrelative[0] is not the same on all processes: 1 on rank 0, 2 on rank 1 [");
        CHECK_EQ(error_class(create(1, &p, &torus, me == 1 ? 1 : 2, ends.data(), MPI_UNWEIGHTED)),
                 ORTHO_ERR_MISMATCH);
        const int differs = me == 1 ? 1 : 0;
        CHECK_EQ(error_class(create(1, &p, &differs, 2, ends.data(), MPI_UNWEIGHTED)), ORTHO_ERR_MISMATCH);
        CHECK(message().find("periods is not the same on all processes: 1 on rank 0, ") == std::string::npos);
        CHECK(message().find("periods is not the same on all processes: 0 on rank 0, 1 on rank 1 [") !=
              std::string::npos);
        // Wrong on one process only is an error everywhere: nobody waits.
        CHECK_EQ(error_class(create(1, &p, &torus, me == 1 ? -1 : 2, ends.data(), MPI_UNWEIGHTED)),
                 MPI_ERR_ARG);
    }
    test::Comm graph = adjacent(comm, {}, {});
    FAILS(ORTHO_Cart_neighborhood_count(graph, &t), MPI_ERR_TOPOLOGY);
    FAILS(ORTHO_Cart_neighborhood_get(graph, 0, nullptr, nullptr, 0, nullptr, nullptr), MPI_ERR_TOPOLOGY);
    FAILS(ORTHO_Cart_neighborhood_count(comm, &t), MPI_ERR_TOPOLOGY);
}

/// The offsets as they were given, and the slots of each; of ranks, too.
void offsets_are_found()
{
    test::Comm comm = copy_of_world();
    const int p = test::size();
    const Ints dims{1, p}, periods{0, 1};
    // Out of order, one of them twice, one beyond the grid in one dimension, one around the other.
    const Ints offsets{0, 1, 0, 0, 1, 0, 0, -1, 0, 1, 0, 5 * p + 2};
    test::Comm made = test::neighborhood(dims, periods, offsets, comm);
    test::Comm cart = test::duplicate(made);
    Ints all(13, -99);
    CHECK_OK(ORTHO_Cart_neighborhood_offsets(cart, 6, all.data()));
    CHECK_EQ(all.back(), -99);
    all.pop_back();
    CHECK(all == offsets);
    Ints two(5, -99);
    CHECK_OK(ORTHO_Cart_neighborhood_offsets(cart, 2, two.data()));
    CHECK((two == Ints{0, 1, 0, 0, -99}));
    CHECK_OK(ORTHO_Cart_neighborhood_offsets(cart, 0, nullptr));

    const auto slot = [&](const Ints& offset) {
        int in = -99, out = -99;
        CHECK_OK(ORTHO_Cart_neighborhood_find(cart, offset.data(), &in, &out));
        CHECK_EQ(in, out);
        return in;
    };
    CHECK_EQ(slot({0, 1}), 0);
    CHECK_EQ(slot({0, 0}), 1);
    CHECK_EQ(slot({1, 0}), 2); // a gap everywhere
    CHECK_EQ(slot({0, -1}), 3);
    CHECK_EQ(slot({0, 5 * p + 2}), 5);
    CHECK_EQ(slot({-1, 0}), -1);
    CHECK_EQ(slot({2, 0}), -1);            // dimension 0 has borders
    const auto first_around = [&](int n) { // by arithmetic
        const Ints second{1, 0, 0, -1, 1, 5 * p + 2};
        for (const int i : {0, 1, 3, 4, 5})
            if ((n - static_cast<long long>(second[at(i)])) % p == 0) return i;
        return -1;
    };
    for (const int n : {2, -2, 3, p, 7 * p - 1, INT_MIN, INT_MAX})
        if (n != 1 && n != 0 && n != -1 && n != 5 * p + 2) CHECK_EQ(slot({0, n}), first_around(n));

    Ints sources(6), targets(6);
    CHECK_OK(ORTHO_Cart_neighborhood_get(cart, 6, sources.data(), MPI_UNWEIGHTED, 6, targets.data(),
                                         MPI_UNWEIGHTED));
    for (int r = 0; r < p; ++r) {
        Ints in(7, -99), out(7, -99);
        int nin = -1, nout = -1;
        CHECK_OK(ORTHO_Dist_graph_find(cart, r, 6, in.data(), &nin, out.data(), &nout));
        CHECK_EQ(nin, std::ranges::count(sources, r));
        CHECK_EQ(nout, std::ranges::count(targets, r));
        for (int i = 0; i < nin; ++i) CHECK_EQ(sources[at(in[at(i)])], r);
        for (int i = 0; i < nout; ++i) CHECK_EQ(targets[at(out[at(i)])], r);
        CHECK(std::is_sorted(in.begin(), in.begin() + nin) &&
              std::is_sorted(out.begin(), out.begin() + nout));
        CHECK_EQ(in[at(nin)], -99);
        int again = -1;
        CHECK_OK(ORTHO_Dist_graph_find(cart, r, 0, nullptr, &again, nullptr, &nout));
        CHECK_EQ(again, nin);
    }
    int x = 0;
    const Ints zero{0, 0};
    FAILS(ORTHO_Cart_neighborhood_offsets(cart, -1, all.data()), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_neighborhood_offsets(cart, 1, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_neighborhood_offsets(comm, 1, all.data()), MPI_ERR_TOPOLOGY);
    FAILS(ORTHO_Cart_neighborhood_find(cart, nullptr, &x, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_neighborhood_find(cart, zero.data(), nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Cart_neighborhood_find(comm, zero.data(), &x, &x), MPI_ERR_TOPOLOGY);
    FAILS(ORTHO_Dist_graph_find(cart, p, 0, nullptr, &x, nullptr, &x), MPI_ERR_RANK);
    FAILS(ORTHO_Dist_graph_find(cart, -1, 0, nullptr, &x, nullptr, &x), MPI_ERR_RANK);
    FAILS(ORTHO_Dist_graph_find(cart, 0, 1, nullptr, &x, all.data(), &x), MPI_ERR_ARG);
    FAILS(ORTHO_Dist_graph_find(cart, 0, 0, nullptr, nullptr, nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Dist_graph_find(comm, 0, 0, nullptr, &x, nullptr, &x), MPI_ERR_TOPOLOGY);
    test::Comm graph = adjacent(comm, {}, {});
    FAILS(ORTHO_Cart_neighborhood_offsets(graph, 1, all.data()), MPI_ERR_TOPOLOGY);
}

void base_communicators()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank();
    MPI_Comm base = MPI_COMM_NULL;
    int topology = 0, result = 0;

    test::Comm graph = adjacent(comm, {(me + p - 1) % p}, {(me + 1) % p});
    for (MPI_Comm from : std::initializer_list<MPI_Comm>{comm, graph}) {
        CHECK_OK(ORTHO_Comm_base(from, &base));
        MPI_Topo_test(base, &topology);
        CHECK_EQ(topology, MPI_UNDEFINED);
        MPI_Comm_compare(base, from, &result);
        CHECK_EQ(result, MPI_CONGRUENT);
        CHECK_EQ(test::sum_of_ranks(base), p * (p - 1) / 2);
        MPI_Comm_free(&base);
    }

    if (p > 1) { // inter: the local group, as an intra-communicator (peers' O17); unequal groups
        const bool left = me < (p + 2) / 3;
        test::Comm half;
        MPI_Comm_split(comm, left ? 0 : 1, me, &half);
        test::Comm inter;
        MPI_Intercomm_create(half, 0, comm, left ? (p + 2) / 3 : 0, 99, &inter);
        test::return_errors(inter);
        CHECK_EQ(test::topology(inter), ORTHO_INTER);
        CHECK_OK(ORTHO_Comm_base(inter, &base));
        int is_inter = -1;
        MPI_Comm_test_inter(base, &is_inter);
        CHECK_EQ(is_inter, 0);
        MPI_Comm_compare(base, half, &result);
        CHECK_EQ(result, MPI_CONGRUENT);
        MPI_Comm_free(&base);
        CHECK_OK(ORTHO_Comm_dup(inter, &base));
        CHECK_EQ(test::topology(base), ORTHO_INTER);
        MPI_Comm_free(&base);
        int x = 0;
        const int one = 1;
        FAILS(ORTHO_Cart_name(inter, 1, ORTHO_ROWMAJOR, &one, &one, &x), MPI_ERR_COMM);
        FAILS(ORTHO_Dist_graph_create_adjacent(inter, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED,
                                               MPI_INFO_NULL, 0, &base),
              MPI_ERR_COMM);
    }
    FAILS(ORTHO_Comm_base(MPI_COMM_NULL, &base), MPI_ERR_COMM);
    FAILS(ORTHO_Comm_base(comm, nullptr), MPI_ERR_ARG);
    FAILS(ORTHO_Comm_dup(MPI_COMM_NULL, &base), MPI_ERR_COMM);
    FAILS(ORTHO_Topo_test(MPI_COMM_NULL, &topology), MPI_ERR_COMM);
    FAILS(ORTHO_Topo_test(comm, nullptr), MPI_ERR_ARG);
}

void wrong_lists()
{
    test::Comm comm = copy_of_world();
    const int p = test::size(), me = test::rank();
    test::Comm graph;
    const Ints ok{0}, high{p}, minus{-7};
    const auto create = [&](int in, const int* sources, const int* in_weights, int out, const int* targets,
                            const int* out_weights) {
        return ORTHO_Dist_graph_create_adjacent(comm, in, sources, in_weights, out, targets, out_weights,
                                                MPI_INFO_NULL, 0, &graph);
    };
    refused(create(1, high.data(), MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED), MPI_ERR_RANK,
            "ORTHO_Dist_graph_create_adjacent: sources[0] = ");
    refused(create(0, nullptr, MPI_UNWEIGHTED, 1, minus.data(), MPI_UNWEIGHTED), MPI_ERR_RANK,
            "destinations[0] = -7");
    CHECK_EQ(error_class(create(-2, ok.data(), MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED)), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(0, nullptr, MPI_UNWEIGHTED, -2, ok.data(), MPI_UNWEIGHTED)), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, nullptr, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED)), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, ok.data(), minus.data(), 1, ok.data(), ok.data())), MPI_ERR_ARG);
    CHECK_EQ(error_class(create(1, ok.data(), ok.data(), 1, ok.data(), MPI_UNWEIGHTED)), MPI_ERR_ARG);
    FAILS(ORTHO_Dist_graph_create_adjacent(comm, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, nullptr),
          MPI_ERR_ARG);
    FAILS(ORTHO_Dist_graph_create_adjacent(MPI_COMM_NULL, 0, nullptr, MPI_UNWEIGHTED, 0, nullptr,
                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
          MPI_ERR_COMM);
    if (p > 1) { // wrong on one process only
        refused(create(me == 1 ? 1 : 0, high.data(), MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED),
                MPI_ERR_RANK, me == 1 ? "" : "on rank 1, sources[0] = ");
        // Some with weights, some without.
        refused(create(1, ok.data(), me == 1 ? MPI_UNWEIGHTED : ok.data(), 0, nullptr, MPI_UNWEIGHTED),
                ORTHO_ERR_MISMATCH, "");
    }
    graph = adjacent(comm, {}, {});
    int x = 0;
    FAILS(ORTHO_Dist_graph_neighbors(graph, -1, &x, &x, 0, &x, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Dist_graph_neighbors_count(graph, nullptr, &x, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Comm_isomorphic(graph, nullptr, &x), MPI_ERR_ARG);
    FAILS(ORTHO_Comm_isomorphic(MPI_COMM_NULL, &x, &x), MPI_ERR_COMM);
    FAILS(ORTHO_Dist_graph_neighbors_count(comm, &x, &x, &x), MPI_ERR_TOPOLOGY);
}

/// A null pointer for a result on one process is an error on all of them.
void null_results_on_one()
{
    const bool last = test::rank() == test::size() - 1;
    test::Comm comm = copy_of_world();
    MPI_Comm made = MPI_COMM_NULL;
    const auto refused = [&](int code, const char* name) {
        CHECK_EQ(error_class(code), MPI_ERR_ARG);
        if (last) CHECK(message().find(name) != std::string::npos);
    };
    refused(ORTHO_Comm_base(comm, last ? nullptr : &made), "basecomm");
    refused(ORTHO_Comm_dup(comm, last ? nullptr : &made), "newcomm");
    int flag = 0, d = 0, size = 0;
    refused(ORTHO_Cart_testall(comm, &flag, last ? nullptr : &d, &size), "d is");
    const int self = test::rank();
    const test::Comm graph = test::adjacent_by_mpi({{self}, {}, {self}, {}}, false, comm);
    test::return_errors(graph);
    refused(ORTHO_Comm_isomorphic(graph, last ? nullptr : &flag, &d), "flag");
    CHECK_OK(ORTHO_Comm_isomorphic(graph, &flag, &d));
}

} // namespace

TEST_MAIN()
{
    test::return_errors(MPI_COMM_NULL);
    for (const auto part :
         {lists_are_given_back, weights_without_edges, general_constructor,
          general_constructor_after_much_else, stencils_are_recognised, what_is_no_stencil_is_not,
          graphs_of_others, graphs_on_what_is_known, cart_neighborhoods, offsets_are_found,
          base_communicators, wrong_lists, null_results_on_one})
        part();
}
