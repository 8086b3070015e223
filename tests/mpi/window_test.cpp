// SPDX-License-Identifier: BSD-3-Clause
// Fences on graphs, and what is put, got and accumulated between them; and with whom they synchronise.

#include "windows.hpp"

using cases::Multigraph;
using test::IntWindow;
using test::Memory;

namespace {

constexpr int block = 5; // ints an edge

int value(int process, int edge, int round, int i)
{
    return 1000000 * (process + 1) + 1000 * edge + 10 * round + i;
}

int me() { return test::rank(); }

/// A block at its target: `block` ints, of which each is `step` from the one before.
class Target {
public:
    explicit Target(Memory memory)
        : step(memory == Memory::users ? 1 : 2),
          type(test::committed(MPI_Type_vector, block, 1, step, MPI_INT))
    {}
    int place(int edge, int i = 0) const { return step * (block * edge + i); }

    int step;
    test::Type type;
};

/// Block k-th edge to k-th edge, as an alltoall has it.  Slots without edges keep their -1.
void put_along_edges(const Multigraph& graph, MPI_Comm comm, Memory memory)
{
    const int indegree = static_cast<int>(graph.processes[at(me())].sources.size());
    const int outdegree = static_cast<int>(graph.processes[at(me())].targets.size());
    const Target target(memory);
    IntWindow window(comm, target.place(indegree), memory);
    Ints from(at(block * outdegree) + 1);
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOPRECEDE, window.get()));
    CHECK_OK(ORTHO_Put(from.data(), 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.get()));
    for (int round = 0; round < 3; ++round) {
        for (const auto& pair : graph.pairs) {
            if (pair.from != me()) continue;
            int* const begin = &from[at(block * pair.out_edge)];
            for (int i = 0; i < block; ++i) begin[i] = value(me(), pair.out_edge, round, i);
            CHECK_OK(ORTHO_Put(begin, block, MPI_INT, pair.to, target.place(pair.in_edge), 1, target.type,
                               window.get()));
        }
        CHECK_OK(ORTHO_Win_fence(0, window.get()));
        Ints expected(window.cells.size(), -1);
        for (const auto& pair : graph.pairs)
            for (int i = 0; pair.to == me() && i < block; ++i)
                expected[at(target.place(pair.in_edge, i))] = value(pair.from, pair.out_edge, round, i);
        CHECK(std::ranges::equal(window.cells, expected));
        CHECK_OK(ORTHO_Win_fence(0, window.get())); // all have looked
    }
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, window.get()));
}

void get_along_edges(const Multigraph& graph, MPI_Comm comm, Memory memory)
{
    const int indegree = static_cast<int>(graph.processes[at(me())].sources.size());
    const int outdegree = static_cast<int>(graph.processes[at(me())].targets.size());
    const Target target(memory);
    IntWindow window(comm, target.place(indegree), memory);
    Ints to(at(block * outdegree) + 1);
    for (int round = 0; round < 3; ++round) {
        for (int edge = 0; edge < indegree; ++edge)
            for (int i = 0; i < block; ++i)
                window.cells[at(target.place(edge, i))] = value(me(), edge, round, i);
        CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOPUT, window.get()));
        std::ranges::fill(to, -1);
        Ints expected = to;
        for (const auto& pair : graph.pairs) {
            if (pair.from != me()) continue;
            CHECK_OK(ORTHO_Get(&to[at(block * pair.out_edge)], block, MPI_INT, pair.to,
                               target.place(pair.in_edge), 1, target.type, window.get()));
            for (int i = 0; i < block; ++i)
                expected[at(block * pair.out_edge + i)] = value(pair.to, pair.in_edge, round, i);
        }
        CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window.get()));
        CHECK(to == expected);
    }
}

/// Every edge adds to the same cells of its target.
void accumulate_along_edges(const Multigraph& graph, MPI_Comm comm, Memory memory)
{
    const Target target(memory);
    IntWindow window(comm, target.place(1), memory);
    std::ranges::fill(window.cells, 7);
    std::vector<Ints> from;
    from.reserve(graph.pairs.size());
    Ints expected(window.cells.size(), 7);
    // Processes need not agree on this one.
    CHECK_OK(ORTHO_Win_fence(me() % 2 == 0 ? MPI_MODE_NOPRECEDE : 0, window.get()));
    for (const auto& pair : graph.pairs) {
        if (pair.from == me()) {
            Ints& values = from.emplace_back();
            for (int i = 0; i < block; ++i) values.push_back(value(me(), pair.out_edge, 0, i));
            CHECK_OK(ORTHO_Accumulate(values.data(), block, MPI_INT, pair.to, 0, 1, target.type, MPI_SUM,
                                      window.get()));
        }
        for (int i = 0; pair.to == me() && i < block; ++i)
            expected[at(target.place(0, i))] += value(pair.from, pair.out_edge, 0, i);
    }
    CHECK_OK(ORTHO_Win_fence(0, window.get()));
    CHECK(std::ranges::equal(window.cells, expected));
    // The window is freed while an epoch is open.
}

void all_along_edges(const Multigraph& graph)
{
    test::Comm comm = test::comm_of(graph);
    for (const Memory memory : {Memory::users, Memory::windows}) {
        put_along_edges(graph, comm, memory);
        get_along_edges(graph, comm, memory);
        accumulate_along_edges(graph, comm, memory);
    }
}

/// Stencils on tori, meshes and what is between, sizes 1 and 2 among them, offsets longer than the grid.
void on_grids(Random& random)
{
    const int p = test::size();
    for (const char period : {char{0}, char{1}}) {
        std::vector<ortho::grid::Grid> grids{{{p, 1}, {period, 1}}};
        if (p % 2 == 0) grids.push_back({{2, p / 2}, {1, period}});
        for (const auto& grid : grids) {
            const auto moore = ortho::grid::Stencil(2,
                                                    {-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1});
            all_along_edges(cases::graph_of(ortho::grid::canonical(grid, moore).neighborhood));
        }
        const auto any = cases::random_stencil(random, 2, 6, 3);
        all_along_edges(cases::graph_of(ortho::grid::canonical(grids.back(), any).neighborhood));
    }
}

/// Asymmetric, with self-edges, multi-edges, gaps and processes without edges.
void on_multigraphs(Random& random)
{
    for (int i = 0; i < cases::times(8); ++i)
        all_along_edges(cases::random_graph(random, test::size(), 4 * test::size()));
}

/// The last process has no edges, and comes to its fences when the others' are over.
void fences_synchronise_with_neighbors_alone()
{
    const int p = test::size();
    if (p < 3) return;
    Multigraph graph;
    for (int r = 0; r < p - 1; ++r)
        graph.processes.push_back({r, {(r + p - 2) % (p - 1)}, {(r + 1) % (p - 1)}});
    graph.processes.push_back({p - 1, {}, {}});
    test::Comm comm = test::comm_of(graph);
    {
        IntWindow window(comm, 1);
        int token = 100 + me();
        if (me() == p - 1) MPI_Recv(&token, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_OK(ORTHO_Win_fence(0, window.get()));
        if (me() < p - 1) {
            const int target = graph.processes[at(me())].targets[0];
            CHECK_OK(ORTHO_Put(&token, 1, MPI_INT, target, 0, 1, MPI_INT, window.get()));
        }
        CHECK_OK(ORTHO_Win_fence(0, window.get()));
        CHECK_EQ(window.cells[0], me() == p - 1 ? -1 : 100 + graph.processes[at(me())].sources[0]);
        if (me() == 0) MPI_Send(&token, 1, MPI_INT, p - 1, 9, MPI_COMM_WORLD);
    }
}

/// Half of the processes wait for a forwarding alltoall before the fence, half after it: who is in the fence
/// must forward.
void others_go_on_in_fences()
{
    const int p = test::size();
    if (p < 4 || p % 2 != 0) return;
    const std::array sizes{2, p / 2};
    const std::array periods{1, 1};
    const Ints moore{-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1};
    const test::Info info{{"ortho_forward", "true"}, {"ortho_algorithm", "alltoall_combining"}};
    test::Comm comm = test::neighborhood(sizes, periods, moore, MPI_COMM_WORLD, info);
    int sources[8];
    CHECK_OK(ORTHO_Cart_neighborhood_get(comm, 8, sources, MPI_UNWEIGHTED, 0, nullptr, MPI_UNWEIGHTED));
    {
        IntWindow window(comm, 1);
        Ints from(8), to(8, -1);
        test::Request request;
        CHECK_OK(ORTHO_Alltoall_init(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm, info, &request));
        for (int round = 0; round < 10; ++round) {
            for (int i = 0; i < 8; ++i) from[at(i)] = value(me(), i, round, 0);
            CHECK_OK(ORTHO_Start(&request));
            const bool before = (me() + round) % 2 == 0;
            if (before) CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            CHECK_OK(ORTHO_Win_fence(0, window.get()));
            if (!before) CHECK_OK(ORTHO_Wait(&request, MPI_STATUS_IGNORE));
            for (int i = 0; i < 8; ++i) CHECK_EQ(to[at(i)], value(sources[i], i, round, 0));
        }
    }
}

/// Windows outlive their communicators, and duplicates' graphs are graphs; several windows are several.
void windows_and_communicators()
{
    MPI_Comm comm = test::adjacent({test::left()}, {test::right()}), copy = test::duplicate(comm);
    IntWindow one(comm, 1);
    IntWindow other(copy, 1, Memory::windows);
    // MPI_Win_wait of Intel's MPI 2021.18 may crash.
    const bool outlive = !test::is_intel();
    if (outlive) {
        MPI_Comm_free(&comm);
        MPI_Comm_free(&copy);
    }
    const int p = test::size(), ones = 10 + me(), others = 20 + me();
    CHECK_OK(ORTHO_Win_fence(0, one.get()));
    CHECK_OK(ORTHO_Win_fence(0, other.get()));
    CHECK_OK(ORTHO_Put(&ones, 1, MPI_INT, (me() + 1) % p, 0, 1, MPI_INT, one.get()));
    CHECK_OK(ORTHO_Put(&others, 1, MPI_INT, (me() + 1) % p, 0, 1, MPI_INT, other.get()));
    CHECK_OK(ORTHO_Win_fence(0, other.get()));
    CHECK_OK(ORTHO_Win_fence(0, one.get()));
    CHECK_EQ(one.cells[0], 10 + (me() + p - 1) % p);
    CHECK_EQ(other.cells[0], 20 + (me() + p - 1) % p);
    // They are MPI's windows.
    void* base = nullptr;
    int found = 0;
    MPI_Win_get_attr(one.get(), MPI_WIN_BASE, &base, &found);
    CHECK(found != 0 && base == one.cells.data());
    if (!outlive) {
        MPI_Comm_free(&comm);
        MPI_Comm_free(&copy);
    }
}

/// On full communicators everybody is a neighbor, and a fence is MPI's.
void full_communicators()
{
    const int p = test::size();
    IntWindow window(MPI_COMM_WORLD, p, Memory::windows);
    CHECK_OK(ORTHO_Win_fence(0, window.get()));
    Ints values;
    for (int r = 0; r < p; ++r) values.push_back(100 * me() + r);
    for (int r = 0; r < p; ++r)
        CHECK_OK(ORTHO_Put(&values[at(r)], 1, MPI_INT, r, me(), 1, MPI_INT, window.get()));
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, window.get()));
    for (int r = 0; r < p; ++r) CHECK_EQ(window.cells[at(r)], 100 * r + me());
}

/// A mistake of one process is an error on all of them.
void wrong_on_one()
{
    const bool last = test::rank() == test::size() - 1;
    test::Comm comm = test::duplicate();
    test::return_errors(comm);
    MPI_Win win = MPI_WIN_NULL;
    void* base = nullptr;
    int memory = 0;
    constexpr MPI_Aint bytes = sizeof memory;
    const auto refused = [&](MPI_Aint size, int disp_unit, MPI_Win* made) {
        const int code = ORTHO_Win_create(&memory, size, disp_unit, MPI_INFO_NULL, comm, made);
        CHECK_EQ(test::error_class(code), MPI_ERR_ARG);
    };
    refused(bytes, 1, last ? nullptr : &win);
    refused(last ? -1 : bytes, 1, &win);
    refused(bytes, last ? 0 : 1, &win);
    const int code = ORTHO_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, last ? nullptr : &base, &win);
    CHECK_EQ(test::error_class(code), MPI_ERR_ARG);
}

} // namespace

TEST_MAIN()
{
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1)));
    on_grids(random);
    on_multigraphs(random);
    fences_synchronise_with_neighbors_alone();
    others_go_on_in_fences();
    windows_and_communicators();
    full_communicators();
    wrong_on_one();
}
