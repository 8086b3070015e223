// SPDX-License-Identifier: BSD-3-Clause
// Windows on graphs under locks, and what is refused: who is no neighbor, and calls outside their epochs.

#include "windows.hpp"

using cases::Multigraph;
using test::IntWindow;
using test::Memory;

namespace {

int me() { return test::rank(); }

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

void on_graph(const Multigraph& graph)
{
    const auto sources = neighbors(graph.processes[at(me())].sources);
    const auto targets = neighbors(graph.processes[at(me())].targets);
    test::Comm comm = test::comm_of(graph);
    for (const Memory memory : {Memory::users, Memory::windows}) {
        const IntWindow window(comm, std::max(2, test::size()), memory);
        counters(sources, targets, window);
        the_first_wins(sources, targets, window);
        exclusive_locks(sources, targets, window);
        requests(sources, targets, window);
    }
}

/// The error is of this class, and says this.
void expect_error(int code, int error_class, const std::string& text)
{
    CHECK_EQ(test::error_class(code), error_class);
    const std::string message = test::message();
    if (message.find(text) == std::string::npos)
        test::fail(__FILE__, __LINE__, message + ": no \"" + text + '"');
}

/// Whoever is no out-neighbor is not accessed, and not locked.
void strangers()
{
    const int p = test::size();
    if (p < 3) return;
    test::Comm comm = test::adjacent({test::left()}, {test::right()});
    {
        IntWindow window(comm, 1);
        const MPI_Win win = window.get();
        const std::string text = " = " + std::to_string((me() + p - 1) % p) + " is no out-neighbor of rank " +
                                 std::to_string(me());
        const int mine = 77;
        int got = -5;
        MPI_Request request = MPI_REQUEST_NULL;
        const int left = (me() + p - 1) % p;
        for (const int assertion : {0, int{MPI_MODE_NOSUCCEED}}) {
            CHECK_OK(ORTHO_Win_fence(assertion, win));
            expect_error(ORTHO_Put(&mine, 1, MPI_INT, left, 0, 1, MPI_INT, win), ORTHO_ERR_NEIGHBOR,
                         "ORTHO_Put: target_rank" + text);
            expect_error(ORTHO_Get(&got, 1, MPI_INT, left, 0, 1, MPI_INT, win), ORTHO_ERR_NEIGHBOR,
                         "ORTHO_Get: target_rank" + text);
            expect_error(ORTHO_Accumulate(&mine, 1, MPI_INT, left, 0, 1, MPI_INT, MPI_SUM, win),
                         ORTHO_ERR_NEIGHBOR, "ORTHO_Accumulate: target_rank" + text);
            expect_error(
                ORTHO_Get_accumulate(&mine, 1, MPI_INT, &got, 1, MPI_INT, left, 0, 1, MPI_INT, MPI_SUM, win),
                ORTHO_ERR_NEIGHBOR, "ORTHO_Get_accumulate: target_rank" + text);
            expect_error(ORTHO_Fetch_and_op(&mine, &got, MPI_INT, left, 0, MPI_SUM, win), ORTHO_ERR_NEIGHBOR,
                         "ORTHO_Fetch_and_op: target_rank" + text);
            expect_error(ORTHO_Compare_and_swap(&mine, &mine, &got, MPI_INT, left, 0, win),
                         ORTHO_ERR_NEIGHBOR, "ORTHO_Compare_and_swap: target_rank" + text);
            expect_error(ORTHO_Rput(&mine, 1, MPI_INT, left, 0, 1, MPI_INT, win, &request),
                         ORTHO_ERR_NEIGHBOR, "ORTHO_Rput: target_rank" + text);
            expect_error(ORTHO_Win_lock(MPI_LOCK_SHARED, left, 0, win), ORTHO_ERR_NEIGHBOR,
                         "ORTHO_Win_lock: rank" + text);
            expect_error(ORTHO_Put(&mine, 1, MPI_INT, me(), 0, 1, MPI_INT, win), ORTHO_ERR_NEIGHBOR,
                         "target_rank = " + std::to_string(me()) + " is no out-neighbor");
            expect_error(ORTHO_Put(&mine, 1, MPI_INT, p, 0, 1, MPI_INT, win), MPI_ERR_RANK,
                         "ORTHO_Put: target_rank = " + std::to_string(p) + " is no rank of a window of " +
                             std::to_string(p) + " processes");
            expect_error(ORTHO_Win_lock(MPI_LOCK_SHARED, -17, 0, win), MPI_ERR_RANK,
                         "ORTHO_Win_lock: rank = -17 is no rank");
        }
        CHECK(request == MPI_REQUEST_NULL);
        CHECK_EQ(got, -5);
        // All left neighbors are locked by nobody but their own left neighbors.
        CHECK_OK(ORTHO_Win_lock_all(0, win));
        expect_error(ORTHO_Put(&mine, 1, MPI_INT, left, 0, 1, MPI_INT, win), ORTHO_ERR_NEIGHBOR,
                     "ORTHO_Put: target_rank" + text);
        CHECK_OK(ORTHO_Win_unlock_all(win));
        MPI_Barrier(comm);
        CHECK_EQ(own_cell(window, 0), -1);
    }
}

/// Epochs that are not open, and those that are.
void epochs()
{
    const int p = test::size(), right = (me() + 1) % p;
    const std::string target = "target_rank = " + std::to_string(right);
    const std::string rank = "rank = " + std::to_string(right);
    test::Comm comm = test::adjacent({test::left()}, {test::right()});
    {
        IntWindow window(comm, 1);
        const MPI_Win win = window.get();
        const int sync = MPI_ERR_RMA_SYNC, mine = 50 + me();
        MPI_Request request = MPI_REQUEST_NULL;
        const auto put = [&](int to) { return ORTHO_Put(&mine, 1, MPI_INT, to, 0, 1, MPI_INT, win); };
        expect_error(put(right), sync, "ORTHO_Put: " + target + " cannot be accessed: there was no fence");
        CHECK_OK(put(MPI_PROC_NULL));
        expect_error(ORTHO_Win_unlock(right, win), sync, "ORTHO_Win_unlock: " + rank + " is not locked");
        expect_error(ORTHO_Win_flush(right, win), sync, "ORTHO_Win_flush: " + rank + " is not locked");
        expect_error(ORTHO_Win_flush_all(win), sync, "ORTHO_Win_flush_all: win has no locks");
        expect_error(ORTHO_Win_unlock_all(win), sync, "ORTHO_Win_unlock_all: win has no lock on all");
        CHECK_OK(ORTHO_Win_fence(0, win));
        expect_error(ORTHO_Win_lock(MPI_LOCK_SHARED, right, 0, win), sync,
                     "ORTHO_Win_lock: win has the epoch of a fence open: locks need a closing fence, with "
                     "MPI_MODE_NOSUCCEED");
        expect_error(ORTHO_Win_lock_all(0, win), sync,
                     "ORTHO_Win_lock_all: win has the epoch of a fence open");
        expect_error(ORTHO_Rput(&mine, 1, MPI_INT, right, 0, 1, MPI_INT, win, &request), sync,
                     "ORTHO_Rput: " + target + " is not locked: calls with requests need a lock");
        CHECK_OK(put(MPI_PROC_NULL));
        CHECK_OK(ORTHO_Win_fence(MPI_MODE_NOSUCCEED, win));
        CHECK_EQ(window.cells[0], -1); // of all that, nothing has come
        MPI_Barrier(comm);
        expect_error(put(right), sync, "cannot be accessed");
        CHECK_OK(ORTHO_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win));
        expect_error(ORTHO_Win_lock(MPI_LOCK_SHARED, right, 0, win), sync, rank + " is locked already");
        expect_error(ORTHO_Win_lock_all(0, win), sync, "win has locks, one on rank " + std::to_string(right));
        expect_error(ORTHO_Win_fence(0, win), sync,
                     "ORTHO_Win_fence: win has locks, one on rank " + std::to_string(right));
        expect_error(ORTHO_Win_free(window.address()), sync, "unlock before freeing win");
        CHECK(window.get() == win);
        CHECK_OK(put(right));
        CHECK_OK(ORTHO_Win_unlock(right, win));
        CHECK_OK(ORTHO_Win_lock_all(0, win));
        expect_error(ORTHO_Win_unlock(right, win), sync, rank + " is locked with all neighbors");
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
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        MPI_Win_create_errhandler(count_error, &handler);
        MPI_Win_set_errhandler(window.get(), handler);
        MPI_Errhandler_free(&handler);
        const int mine = 0;
        CHECK(ORTHO_Put(&mine, 1, MPI_INT, test::size(), 0, 1, MPI_INT, window.get()) != MPI_SUCCESS);
        CHECK_EQ(handled, 1);
        CHECK(ORTHO_Win_lock(MPI_LOCK_SHARED, test::size(), 0, window.get()) != MPI_SUCCESS);
        CHECK_EQ(handled, 2);
    }
    test::return_errors(comm);
    MPI_Win win = MPI_WIN_NULL;
    int value = 0;
    expect_error(ORTHO_Win_fence(0, win), MPI_ERR_WIN, "ORTHO_Win_fence: win is MPI_WIN_NULL");
    expect_error(ORTHO_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN,
                 "ORTHO_Put: win is MPI_WIN_NULL");
    expect_error(ORTHO_Win_free(&win), MPI_ERR_WIN, "ORTHO_Win_free: win is MPI_WIN_NULL");
    expect_error(ORTHO_Win_free(nullptr), MPI_ERR_ARG, "ORTHO_Win_free: win is a null pointer");
    expect_error(ORTHO_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM,
                 "ORTHO_Win_create: comm is MPI_COMM_NULL");
    expect_error(ORTHO_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, comm, nullptr), MPI_ERR_ARG,
                 "ORTHO_Win_create: win is a null pointer");
    expect_error(ORTHO_Win_allocate(4, 1, MPI_INFO_NULL, comm, nullptr, &win), MPI_ERR_ARG,
                 "ORTHO_Win_allocate: baseptr is a null pointer");
    if (test::size() > 1) {
        test::Comm half, inter;
        MPI_Comm_split(MPI_COMM_WORLD, me() % 2, 0, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me() % 2, 5, &inter);
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        expect_error(ORTHO_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, inter, &win), MPI_ERR_COMM,
                     "ORTHO_Win_create: comm is an inter-communicator");
    }
    CHECK(win == MPI_WIN_NULL);
}

/// On full communicators, and on windows of MPI's making, all is as with MPI: everybody may be locked.
void full_communicators()
{
    const int p = test::size();
    int* cells = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_allocate(static_cast<MPI_Aint>(sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells,
                     &win);
    *cells = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const int one = 1;
    CHECK_OK(ORTHO_Win_lock_all(0, win));
    for (int r = 0; r < p; ++r) {
        int before = -1;
        CHECK_OK(ORTHO_Fetch_and_op(&one, &before, MPI_INT, r, 0, MPI_SUM, win));
        CHECK_OK(ORTHO_Win_flush(r, win));
        CHECK(before >= 0 && before < p);
    }
    CHECK_OK(ORTHO_Win_flush_all(win));
    CHECK_OK(ORTHO_Win_flush_local_all(win));
    CHECK_OK(ORTHO_Win_sync(win));
    CHECK_OK(ORTHO_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    int count = -1;
    CHECK_OK(ORTHO_Win_lock(MPI_LOCK_SHARED, (me() + 1) % p, 0, win));
    CHECK_OK(ORTHO_Get(&count, 1, MPI_INT, (me() + 1) % p, 0, 1, MPI_INT, win));
    CHECK_OK(ORTHO_Win_flush_local((me() + 1) % p, win));
    CHECK_OK(ORTHO_Win_unlock((me() + 1) % p, win));
    CHECK_EQ(count, p);
    CHECK_OK(ORTHO_Win_free(&win));
}

} // namespace

TEST_MAIN()
{
    Random random(static_cast<unsigned>(test::given("ORTHO_TEST_SEED", 1)));
    for (int i = 0; i < 4; ++i) on_graph(cases::random_graph(random, test::size(), 4 * test::size()));
    strangers();
    epochs();
    handlers();
    full_communicators();
}
