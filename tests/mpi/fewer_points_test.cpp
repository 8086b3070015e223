// SPDX-License-Identifier: BSD-3-Clause
// MPI's grids and old graphs with fewer points than there are processes, their duplicates, and graphs on
// them.  The last process has no point.  MPICH 5.0 gives such a communicator the group of its parent.

namespace {

/// The process before this one, or behind it, on a communicator.
int beside(MPI_Comm comm, int step)
{
    const int points = test::size(comm);
    return (test::rank(comm) + points + step) % points;
}

/// Every process of `comm` is in `full`, once, with its rank.
void is_all_of(MPI_Comm full, MPI_Comm comm)
{
    const int points = test::size(comm), me = test::rank(comm);
    CHECK_EQ(test::size(full), points);
    CHECK_EQ(test::rank(full), me);
    int sum = -1;
    CHECK_OK(ORTHO_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, full));
    CHECK_EQ(sum, points * (points - 1) / 2);
}

void base_of(MPI_Comm comm)
{
    test::Comm base;
    CHECK_OK(ORTHO_Comm_base(comm, &base));
    int topology = -1;
    MPI_Topo_test(base, &topology);
    CHECK_EQ(topology, MPI_UNDEFINED);
    is_all_of(base, comm);
}

/// The window's processes are those of the graph.
void put(MPI_Comm graph)
{
    const int me = test::rank(graph);
    int* memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    CHECK_OK(ORTHO_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, graph, &memory, &win));
    *memory = -1;
    CHECK_OK(ORTHO_Win_fence(0, win));
    MPI_Put(&me, 1, MPI_INT, beside(graph, 1), 0, 1, MPI_INT, win);
    CHECK_OK(ORTHO_Win_fence(0, win));
    CHECK_EQ(*memory, beside(graph, -1));
    CHECK_OK(ORTHO_Win_free(&win));
}

/// The ring without its last process.
void part_of(MPI_Comm graph)
{
    const int inside = test::size(graph) - 1;
    const bool is_last = test::rank(graph) == inside;
    test::Comm part;
    CHECK_OK(MPI_Comm_split(graph, is_last ? 1 : 0, 0, &part));
    test::Comm sub;
    CHECK_OK(ORTHO_Comm_subgraph(graph, part, &sub));
    const auto is_kept = [&](int neighbor) { return (neighbor == inside) == is_last; };
    CHECK_EQ(test::edges(sub)[1], (is_kept(beside(graph, -1)) ? 1 : 0) + (is_kept(beside(graph, 1)) ? 1 : 0));
}

void graph_on(MPI_Comm comm)
{
    const Ints sources{beside(comm, -1), beside(comm, 1)}, targets{sources[1], sources[0]};
    // The library may give other ranks, and then the ring is theirs.
    test::Comm graph = test::adjacent(sources, targets, comm, MPI_INFO_NULL, 1);
    base_of(graph);
    const test::Lists lists = test::lists_of(graph);
    CHECK((lists.sources == Ints{beside(graph, -1), beside(graph, 1)}));
    CHECK((lists.targets == Ints{beside(graph, 1), beside(graph, -1)}));
    for (int call = 0; call < 3; ++call) test::check_blocks(graph);
    put(graph);
    part_of(graph);
}

/// One layer on each side of three ints.
void halo_on(MPI_Comm cart)
{
    const int me = test::rank(cart);
    std::array<int, 5> field{-1, 10 * me, 10 * me + 1, 10 * me + 2, -1};
    test::Request request = test::row_halo(field.data(), 5, cart);
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(field[0], 10 * beside(cart, -1) + 2);
    CHECK_EQ(field[4], 10 * beside(cart, 1));
}

void all_on(MPI_Comm comm)
{
    base_of(comm);
    graph_on(comm);
    test::Comm copy;
    CHECK_OK(ORTHO_Comm_dup(comm, &copy));
    base_of(copy);
}

} // namespace

TEST_MAIN()
{
    const int points = test::size() - 1;
    test::Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test::rank(), &reversed);
    for (MPI_Comm parent : std::initializer_list<MPI_Comm>{MPI_COMM_WORLD, reversed}) {
        if (points == 0) break;
        if (MPI_Comm cart = test::cart({points}, {1}, parent); cart != MPI_COMM_NULL) {
            all_on(cart);
            halo_on(cart);
            MPI_Comm_free(&cart);
        }
        std::vector<Ints> edges;
        for (int i = 0; i < points; ++i) edges.push_back({(i + 1) % points});
        if (MPI_Comm graph = test::old_graph(edges, parent); graph != MPI_COMM_NULL) {
            all_on(graph);
            MPI_Comm_free(&graph);
        }
    }
}
