// SPDX-License-Identifier: BSD-3-Clause
// Windows of ints on graphs: fences, what is put, got and accumulated between them, and with whom they
// synchronise; locks; what is refused: who is no neighbor, and calls outside their epochs.

#include "grids.hpp"

using cases::Multigraph;

namespace {

/// A communicator that carries the graph.
MPI_Comm comm_of(const cases::Multigraph& graph)
{
    const auto& mine = graph.processes[at(test::rank())];
    return test::adjacent(test::to_mpi(mine.sources), test::to_mpi(mine.targets));
}

/// The owner of a window's memory; `mpis`: the window is not made by the library.
enum class Memory { users, windows, mpis };

/// A window of `n` ints, displacements in ints, all -1 at first.
class IntWindow {
public:
    IntWindow(MPI_Comm comm, int n, Memory memory = Memory::users)
    {
        const auto bytes = static_cast<MPI_Aint>(at(n) * sizeof(int));
        int* begin = nullptr;
        if (memory == Memory::users) {
            own_.resize(at(n) + 1); // never a null pointer
            begin = own_.data();
            CHECK_OK(ORTHO_Win_create(begin, bytes, sizeof(int), MPI_INFO_NULL, comm, &win_));
        } else {
            CHECK_OK((memory == Memory::mpis ? MPI_Win_allocate : ORTHO_Win_allocate)(
                bytes, sizeof(int), MPI_INFO_NULL, comm, &begin, &win_));
        }
        cells = {begin, at(n)};
        std::ranges::fill(cells, -1);
        MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
        MPI_Barrier(comm); // before others write
    }

    MPI_Win get() const { return win_; }
    MPI_Win* address() { return &win_; }
    std::span<int> cells;

private:
    Ints own_;
    test::Window win_;
};

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
    test::Comm comm = comm_of(graph);
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
    test::Comm comm = comm_of(graph);
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

/// Windows outlive their communicators, and duplicates' graphs are graphs; several windows are several.
void windows_and_communicators()
{
    test::Comm comm = test::adjacent({test::left()}, {test::right()}), copy = test::duplicate(comm);
    IntWindow one(comm, 1);
    IntWindow other(copy, 1, Memory::windows);
    // MPI_Win_wait of Intel's MPI 2021.18 may crash.
    if (!test::is_intel()) {
        MPI_Comm_free(&comm);
        MPI_Comm_free(&copy);
    }
    const int ones = 10 + me(), others = 20 + me();
    CHECK_OK(ORTHO_Win_fence(0, one.get()));
    CHECK_OK(ORTHO_Win_fence(0, other.get()));
    CHECK_OK(ORTHO_Put(&ones, 1, MPI_INT, test::right(), 0, 1, MPI_INT, one.get()));
    CHECK_OK(ORTHO_Put(&others, 1, MPI_INT, test::right(), 0, 1, MPI_INT, other.get()));
    CHECK_OK(ORTHO_Win_fence(0, other.get()));
    CHECK_OK(ORTHO_Win_fence(0, one.get()));
    CHECK_EQ(one.cells[0], 10 + test::left());
    CHECK_EQ(other.cells[0], 20 + test::left());
    // They are MPI's windows.
    void* base = nullptr;
    int found = 0;
    MPI_Win_get_attr(one.get(), MPI_WIN_BASE, &base, &found);
    CHECK(found != 0 && base == one.cells.data());
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

/// Different neighbors, gaps left out.
std::set<int> neighbors(const Ints& list)
{
    std::set<int> result(list.begin(), list.end());
    result.erase(ortho::grid::gap);
    return result;
}

/// Reads this process's own memory: windows are MPI's, and take MPI's calls.
int own_cell(const IntWindow& window, int i)
{
    MPI_Win_lock(MPI_LOCK_SHARED, me(), 0, window.get());
    const int value = window.cells[at(i)];
    MPI_Win_unlock(me(), window.get());
    return value;
}

void set_own_cells(const IntWindow& window, int value)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me(), 0, window.get());
    std::ranges::fill(window.cells, value);
    MPI_Win_unlock(me(), window.get());
    MPI_Barrier(MPI_COMM_WORLD);
}

constexpr int turns = 5;

/// A counter at each process, and everybody counts at its out-neighbors.
void counters(const std::set<int>& sources, const std::set<int>& targets, const IntWindow& window)
{
    set_own_cells(window, 0);
    const int one = 1;
    long fetched = 0;
    CHECK_OK(ORTHO_Win_lock_all(0, window.get()));
    for (int turn = 0; turn < turns; ++turn)
        for (const int target : targets) {
            int before = -1;
            CHECK_OK(ORTHO_Fetch_and_op(&one, &before, MPI_INT, target, 0, MPI_SUM, window.get()));
            CHECK_OK(turn % 2 == 0 ? ORTHO_Win_flush(target, window.get())
                                   : ORTHO_Win_flush_all(window.get()));
            fetched += before;
        }
    CHECK_OK(ORTHO_Win_unlock_all(window.get()));
    MPI_Barrier(MPI_COMM_WORLD);
    const int n = turns * static_cast<int>(sources.size());
    CHECK_EQ(own_cell(window, 0), n);
    // At a counter that n calls count, these have fetched 0 ... n-1 in some order.
    long sums[] = {fetched, -(static_cast<long>(n) * (n - 1) / 2)};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(sums[0] + sums[1], 0);
}

/// One of all in-neighbors is the first.
void the_first_wins(const std::set<int>& sources, const std::set<int>& targets, const IntWindow& window)
{
    set_own_cells(window, -1);
    CHECK_OK(ORTHO_Win_lock_all(MPI_MODE_NOCHECK, window.get()));
    int wins = 0;
    for (const int target : targets) {
        const int nobody = -1, mine = me();
        int before = -2;
        CHECK_OK(ORTHO_Compare_and_swap(&mine, &nobody, &before, MPI_INT, target, 0, window.get()));
        CHECK_OK(ORTHO_Win_flush(target, window.get()));
        CHECK(before >= -1 && before != me());
        if (before == -1) ++wins;
    }
    CHECK_OK(ORTHO_Win_unlock_all(window.get()));
    MPI_Barrier(MPI_COMM_WORLD);
    const int winner = own_cell(window, 0);
    if (sources.empty())
        CHECK_EQ(winner, -1);
    else
        CHECK(sources.contains(winner));
    int sums[] = {wins, sources.empty() ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(sums[0], sums[1]);
}

/// Reading and writing again under exclusive locks: nothing is lost.
void exclusive_locks(const std::set<int>& sources, const std::set<int>& targets, const IntWindow& window)
{
    set_own_cells(window, 0);
    for (int turn = 0; turn < turns; ++turn)
        for (const int target : targets) {
            int value = -1;
            CHECK_OK(ORTHO_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.get()));
            CHECK_OK(ORTHO_Get(&value, 1, MPI_INT, target, 1, 1, MPI_INT, window.get()));
            CHECK_OK(ORTHO_Win_flush(target, window.get()));
            value += me() + 1;
            CHECK_OK(ORTHO_Put(&value, 1, MPI_INT, target, 1, 1, MPI_INT, window.get()));
            CHECK_OK(ORTHO_Win_unlock(target, window.get()));
        }
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = 0;
    for (const int source : sources) sum += turns * (source + 1);
    CHECK_EQ(own_cell(window, 1), sum);
}

/// Every process has a cell of its own at its neighbors.
void requests(const std::set<int>& sources, const std::set<int>& targets, const IntWindow& window)
{
    set_own_cells(window, 3);
    for (const int target : targets) {
        CHECK_OK(ORTHO_Win_lock(MPI_LOCK_SHARED, target, 0, window.get()));
        MPI_Request request = MPI_REQUEST_NULL;
        const int put = 100 * me() + target;
        CHECK_OK(ORTHO_Rput(&put, 1, MPI_INT, target, me(), 1, MPI_INT, window.get(), &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_OK(ORTHO_Win_flush(target, window.get()));
        const int added = 1000;
        CHECK_OK(
            ORTHO_Raccumulate(&added, 1, MPI_INT, target, me(), 1, MPI_INT, MPI_SUM, window.get(), &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_OK(ORTHO_Win_flush_local(target, window.get()));
        CHECK_OK(ORTHO_Win_flush_local_all(window.get()));
        CHECK_OK(ORTHO_Win_flush(target, window.get()));
        int got = -1;
        CHECK_OK(ORTHO_Rget(&got, 1, MPI_INT, target, me(), 1, MPI_INT, window.get(), &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQ(got, 1000 + put);
        const int more = 10000;
        CHECK_OK(ORTHO_Rget_accumulate(&more, 1, MPI_INT, &got, 1, MPI_INT, target, me(), 1, MPI_INT, MPI_SUM,
                                       window.get(), &request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK_EQ(got, 1000 + put);
        CHECK_OK(ORTHO_Get_accumulate(&more, 1, MPI_INT, &got, 1, MPI_INT, target, me(), 1, MPI_INT,
                                      MPI_NO_OP, window.get()));
        CHECK_OK(ORTHO_Win_flush(target, window.get()));
        CHECK_EQ(got, 11000 + put);
        CHECK_OK(ORTHO_Win_sync(window.get()));
        CHECK_OK(ORTHO_Win_unlock(target, window.get()));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < test::size(); ++r)
        CHECK_EQ(own_cell(window, r), sources.contains(r) ? 11000 + 100 * r + me() : 3);
}

void locks(const std::set<int>& sources, const std::set<int>& targets, MPI_Comm comm, Memory memory)
{
    const IntWindow window(comm, std::max(2, test::size()), memory);
    counters(sources, targets, window);
    the_first_wins(sources, targets, window);
    exclusive_locks(sources, targets, window);
    requests(sources, targets, window);
}

void locks_on_graph(const Multigraph& graph)
{
    const auto sources = neighbors(graph.processes[at(me())].sources);
    const auto targets = neighbors(graph.processes[at(me())].targets);
    test::Comm comm = comm_of(graph);
    for (const Memory memory : {Memory::users, Memory::windows}) locks(sources, targets, comm, memory);
}

/// On full communicators, and on windows of MPI's making, all is as with MPI: everybody may be locked.
void locks_on_full_communicators()
{
    std::set<int> all;
    for (int r = 0; r < test::size(); ++r) all.insert(r);
    locks(all, all, MPI_COMM_WORLD, Memory::mpis);
}

/// Whoever is no out-neighbor is not accessed, and not locked.
void strangers()
{
    const int p = test::size();
    if (p < 3) return;
    test::Comm comm = test::adjacent({test::left()}, {test::right()});
    IntWindow window(comm, 1);
    const MPI_Win win = window.get();
    const int left = test::left(), mine = 77;
    const std::string no_neighbor = " is no out-neighbor of rank " + std::to_string(me());
    const std::string text = " = " + std::to_string(left) + no_neighbor;
    int got = -5;
    MPI_Request request = MPI_REQUEST_NULL;
    const auto put = [&](int target) { return ORTHO_Put(&mine, 1, MPI_INT, target, 0, 1, MPI_INT, win); };
    for (const int assertion : {0, int{MPI_MODE_NOSUCCEED}}) {
        CHECK_OK(ORTHO_Win_fence(assertion, win));
        const auto stranger = [&](int code, const std::string& words) {
            refused(code, ORTHO_ERR_NEIGHBOR, words + text);
        };
        stranger(put(left), "ORTHO_Put: target_rank");
        stranger(ORTHO_Get(&got, 1, MPI_INT, left, 0, 1, MPI_INT, win), "ORTHO_Get: target_rank");
        stranger(ORTHO_Accumulate(&mine, 1, MPI_INT, left, 0, 1, MPI_INT, MPI_SUM, win),
                 "ORTHO_Accumulate: target_rank");
        stranger(ORTHO_Get_accumulate(&mine, 1, MPI_INT, &got, 1, MPI_INT, left, 0, 1, MPI_INT, MPI_SUM, win),
                 "ORTHO_Get_accumulate: target_rank");
        stranger(ORTHO_Fetch_and_op(&mine, &got, MPI_INT, left, 0, MPI_SUM, win),
                 "ORTHO_Fetch_and_op: target_rank");
        stranger(ORTHO_Compare_and_swap(&mine, &mine, &got, MPI_INT, left, 0, win),
                 "ORTHO_Compare_and_swap: target_rank");
        stranger(ORTHO_Rput(&mine, 1, MPI_INT, left, 0, 1, MPI_INT, win, &request),
                 "ORTHO_Rput: target_rank");
        stranger(ORTHO_Win_lock(MPI_LOCK_SHARED, left, 0, win), "ORTHO_Win_lock: rank");
        refused(put(me()), ORTHO_ERR_NEIGHBOR, "target_rank = " + std::to_string(me()) + no_neighbor);
        refused(put(p), MPI_ERR_RANK,
                "ORTHO_Put: target_rank = " + std::to_string(p) + " is no rank of a window of " +
                    std::to_string(p) + " processes");
        refused(ORTHO_Win_lock(MPI_LOCK_SHARED, -17, 0, win), MPI_ERR_RANK,
                "ORTHO_Win_lock: rank = -17 is no rank");
    }
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(got, -5);
    // All left neighbors are locked by nobody but their own left neighbors.
    CHECK_OK(ORTHO_Win_lock_all(0, win));
    refused(put(left), ORTHO_ERR_NEIGHBOR, "ORTHO_Put: target_rank" + text);
    CHECK_OK(ORTHO_Win_unlock_all(win));
    MPI_Barrier(comm);
    CHECK_EQ(own_cell(window, 0), -1);
}

/// Epochs that are not open, and those that are.
void epochs()
{
    const int p = test::size(), right = (me() + 1) % p;
    const std::string target = "target_rank = " + std::to_string(right);
    const std::string rank = "rank = " + std::to_string(right);
    test::Comm comm = test::adjacent({test::left()}, {test::right()});
    IntWindow window(comm, 1);
    const MPI_Win win = window.get();
    const int mine = 50 + me();
    const auto out_of_epoch = [](int code, const std::string& words) {
        refused(code, MPI_ERR_RMA_SYNC, words);
    };
    MPI_Request request = MPI_REQUEST_NULL;
    const auto put = [&](int to) { return ORTHO_Put(&mine, 1, MPI_INT, to, 0, 1, MPI_INT, win); };
    out_of_epoch(put(right), "ORTHO_Put: " + target + " cannot be accessed: there was no fence");
    CHECK_OK(put(MPI_PROC_NULL));
    out_of_epoch(ORTHO_Win_unlock(right, win), "ORTHO_Win_unlock: " + rank + " is not locked");
    out_of_epoch(ORTHO_Win_flush(right, win), "ORTHO_Win_flush: " + rank + " is not locked");
    out_of_epoch(ORTHO_Win_flush_all(win), "ORTHO_Win_flush_all: win has no locks");
    out_of_epoch(ORTHO_Win_unlock_all(win), "ORTHO_Win_unlock_all: win has no lock on all");
    CHECK_OK(ORTHO_Win_fence(0, win));
    out_of_epoch(ORTHO_Win_lock(MPI_LOCK_SHARED, right, 0, win),
                 "ORTHO_Win_lock: win has the epoch of a fence open: locks need a closing fence, with "
                 "MPI_MODE_NOSUCCEED");
    out_of_epoch(ORTHO_Win_lock_all(0, win), "ORTHO_Win_lock_all: win has the epoch of a fence open");
    out_of_epoch(ORTHO_Rput(&mine, 1, MPI_INT, right, 0, 1, MPI_INT, win, &request),
                 "ORTHO_Rput: " + target + " is not locked: calls with requests need a lock");
    CHECK_OK(put(MPI_PROC_NULL));
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(window.cells[0], -1); // of all that, nothing has come
    MPI_Barrier(comm);
    out_of_epoch(put(right), "cannot be accessed");
    CHECK_OK(ORTHO_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
    out_of_epoch(ORTHO_Win_lock(MPI_LOCK_SHARED, right, 0, win), rank + " is locked already");
    out_of_epoch(ORTHO_Win_lock_all(0, win), "win has locks, one on rank " + std::to_string(right));
    out_of_epoch(ORTHO_Win_fence(0, win),
                 "ORTHO_Win_fence: win has locks, one on rank " + std::to_string(right));
    out_of_epoch(ORTHO_Win_free(window.address()), "unlock before freeing win");
    CHECK(window.get() == win);
    CHECK_OK(put(right));
    CHECK_OK(ORTHO_Win_unlock(right, win));
    CHECK_OK(ORTHO_Win_lock_all(0, win));
    out_of_epoch(ORTHO_Win_unlock(right, win), rank + " is locked with all neighbors");
    CHECK_OK(put(MPI_PROC_NULL));
    CHECK_OK(ORTHO_Rput(&mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_OK(ORTHO_Win_unlock_all(win));
    MPI_Barrier(comm);
    CHECK_EQ(own_cell(window, 0), 50 + (me() + p - 1) % p);
    MPI_Barrier(comm);
    // After locks, fences again.
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOPRECEDE, win));
    window.cells[0] = 3;
    CHECK_OK(ORTHO_Win_fence(0, win));
    CHECK_OK(put(right));
    CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(window.cells[0], 50 + (me() + p - 1) % p);
}

int handled = 0;
extern "C" void count_error(MPI_Win*, int*, ...) { ++handled; }

/// Errors go through the window's handler; those without a window through the communicator's, or
/// MPI_COMM_SELF's.
void handlers()
{
    test::Comm comm = test::adjacent({test::left()}, {test::right()});
    {
        IntWindow window(comm, 1);
        test::Errhandler handler;
        MPI_Win_create_errhandler(count_error, &handler);
        MPI_Win_set_errhandler(window.get(), handler);
        const int mine = 0;
        CHECK(ORTHO_Put(&mine, 1, MPI_INT, test::size(), 0, 1, MPI_INT, window.get()) != MPI_SUCCESS);
        CHECK_EQ(handled, 1);
        CHECK(ORTHO_Win_lock(MPI_LOCK_SHARED, test::size(), 0, window.get()) != MPI_SUCCESS);
        CHECK_EQ(handled, 2);
    }
    test::return_errors(comm);
    MPI_Win win = MPI_WIN_NULL;
    int value = 0;
    refused(ORTHO_Win_fence(0, win), MPI_ERR_WIN, "ORTHO_Win_fence: win is MPI_WIN_NULL");
    refused(ORTHO_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN,
            "ORTHO_Put: win is MPI_WIN_NULL");
    refused(ORTHO_Win_free(&win), MPI_ERR_WIN, "ORTHO_Win_free: win is MPI_WIN_NULL");
    refused(ORTHO_Win_free(nullptr), MPI_ERR_ARG, "ORTHO_Win_free: win is a null pointer");
    refused(ORTHO_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM,
            "ORTHO_Win_create: comm is MPI_COMM_NULL");
    refused(ORTHO_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, comm, nullptr), MPI_ERR_ARG,
            "ORTHO_Win_create: win is a null pointer");
    refused(ORTHO_Win_allocate(4, 1, MPI_INFO_NULL, comm, nullptr, &win), MPI_ERR_ARG,
            "ORTHO_Win_allocate: baseptr is a null pointer");
    if (test::size() > 1) {
        test::Comm half, inter;
        MPI_Comm_split(MPI_COMM_WORLD, me() % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me() % 2, 5, &inter);
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        refused(ORTHO_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, inter, &win), MPI_ERR_COMM,
                "ORTHO_Win_create: comm is an inter-communicator");
    }
    CHECK(win == MPI_WIN_NULL);
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
    for (int i = 0; i < 4; ++i) locks_on_graph(cases::random_graph(random, test::size(), 4 * test::size()));
    strangers();
    epochs();
    handlers();
    locks_on_full_communicators();
}
