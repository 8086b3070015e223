// SPDX-License-Identifier: BSD-3-Clause
// MPI's grids and old graphs with fewer points than there are processes, their duplicates, and graphs on
// them.  The last process has no point.  MPICH 5.0 gives such a communicator the group of its parent.

namespace {

/// Processes of a communicator in a ring.
struct Ring {
    explicit Ring(MPI_Comm comm) : points(test::size(comm)), me(test::rank(comm)) {}
    int points, me;
    int left = (me + points - 1) % points, right = (me + 1) % points;
};

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

void exchange(MPI_Comm graph, const Ring& ring)
{
    for (int call = 0; call < 3; ++call) {
        const std::array<int, 2> sent{100 * ring.me + call, 100 * ring.me + 50 + call};
        std::array<int, 2> received{};
        CHECK_OK(ORTHO_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, graph));
        CHECK_EQ(received[0], 100 * ring.left + call);
        CHECK_EQ(received[1], 100 * ring.right + 50 + call);
    }
}

/// The window's processes are those of the graph.
void put(MPI_Comm graph, const Ring& ring)
{
    if (test::is_played()) return;
    int* memory = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    CHECK_OK(ORTHO_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, graph, &memory, &win));
    *memory = -1;
    CHECK_OK(ORTHO_Win_fence(0, win));
    MPI_Put(&ring.me, 1, MPI_INT, ring.right, 0, 1, MPI_INT, win);
    CHECK_OK(ORTHO_Win_fence(0, win));
    CHECK_EQ(*memory, ring.left);
    CHECK_OK(ORTHO_Win_free(&win));
}

/// The ring without its last process.
void part_of(MPI_Comm graph, const Ring& ring)
{
    test::Comm part;
    CHECK_OK(MPI_Comm_split(graph, ring.me == ring.points - 1 ? 1 : 0, 0, &part));
    test::Comm sub;
    CHECK_OK(ORTHO_Comm_subgraph(graph, part, &sub));
    int in = -1, out = -1, weighted = -1;
    CHECK_OK(ORTHO_Dist_graph_neighbors_count(sub, &in, &out, &weighted));
    const int inside = ring.points - 1;
    const bool is_last = ring.me == inside;
    const auto is_kept = [&](int neighbor) { return (neighbor == inside) == is_last; };
    CHECK_EQ(out, (is_kept(ring.left) ? 1 : 0) + (is_kept(ring.right) ? 1 : 0));
}

void graph_on(MPI_Comm comm)
{
    const Ring ring(comm);
    const std::array<int, 2> sources{ring.left, ring.right};
    const std::array<int, 2> targets{ring.right, ring.left};
    test::Comm graph;
    CHECK_OK(ORTHO_Dist_graph_create_adjacent(comm, 2, sources.data(), MPI_UNWEIGHTED, 2, targets.data(),
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph));
    base_of(graph);
    const Ring placed(graph); // the library may have given other ranks, and then the ring is theirs
    exchange(graph, placed);
    put(graph, placed);
    part_of(graph, placed);
}

/// One layer on each side of three ints.
void halo_on(MPI_Comm cart)
{
    const Ring ring(cart);
    std::array<int, 5> field{-1, 10 * ring.me, 10 * ring.me + 1, 10 * ring.me + 2, -1};
    void* const fields[] = {field.data()};
    const MPI_Datatype element = MPI_INT;
    const int size = 5, one = 1;
    test::Request request;
    CHECK_OK(ORTHO_Halo_init(1, fields, &element, 1, &size, &one, &one, cart, MPI_INFO_NULL, &request));
    CHECK_OK(ORTHO_Run(&request, MPI_STATUS_IGNORE));
    CHECK_EQ(field[0], 10 * ring.left + 2);
    CHECK_EQ(field[4], 10 * ring.right);
}

MPI_Comm grid_of(int points, MPI_Comm parent)
{
    const int periodic = 1;
    MPI_Comm cart = MPI_COMM_NULL;
    MPI_Cart_create(parent, 1, &points, &periodic, 0, &cart);
    return cart;
}

MPI_Comm old_graph_of(int points, MPI_Comm parent)
{
    Ints ends, edges;
    for (int i = 0; i < points; ++i) {
        edges.push_back((i + 1) % points);
        ends.push_back(i + 1);
    }
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Graph_create(parent, points, ends.data(), edges.data(), 0, &graph);
    return graph;
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
        if (MPI_Comm cart = grid_of(points, parent); cart != MPI_COMM_NULL) {
            all_on(cart);
            halo_on(cart);
            MPI_Comm_free(&cart);
        }
        if (MPI_Comm graph = old_graph_of(points, parent); graph != MPI_COMM_NULL) {
            all_on(graph);
            MPI_Comm_free(&graph);
        }
    }
}
