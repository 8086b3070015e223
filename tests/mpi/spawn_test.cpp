// SPDX-License-Identifier: BSD-3-Clause
// Processes that are spawned: exchanges with them, and what is left of their memory when they have ended.

namespace {

constexpr MPI_Aint bytes = MPI_Aint{64} << 20;
constexpr int count = static_cast<int>(bytes / sizeof(int) / 4); // a neighbor gets so many

/// Arenas that this process sees, its own among them.
int arenas()
{
    std::ifstream maps("/proc/self/maps");
    int result = 0;
    for (std::string line; std::getline(maps, line);)
        result += line.find("memfd:mpiortho") != std::string::npos ? 1 : 0;
    return result;
}

/// All processes in a ring; data lies in memory that processes of a node share.
void exchange(MPI_Comm all)
{
    const int rank = test::rank(all), size = test::size(all);
    const Ints neighbors = {(rank + size - 1) % size, (rank + 1) % size};
    MPI_Comm ring = test::adjacent(neighbors, neighbors, all);
    int* from = nullptr;
    CHECK_OK(ORTHO_Alloc_mem(bytes, MPI_INFO_NULL, ring, &from));
    for (int i = 0; i < 2 * count; ++i) from[i] = rank * 1000 + i % 997;
    std::vector<int> to(std::size_t{2} * count, -1);
    for (int lap = 0; lap < 2; ++lap)
        CHECK_OK(ORTHO_Alltoall(from, count, MPI_INT, to.data(), count, MPI_INT, ring));
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        // If there are two edges between two processes, the first out is the first in.
        const int before = size <= 2 ? i : count + i;
        wrong += to[static_cast<std::size_t>(i)] == neighbors[0] * 1000 + before % 997 ? 0 : 1;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(arenas(), size); // on one node each sees all
    CHECK_OK(MPI_Comm_free(&ring));
    CHECK_OK(ORTHO_Free_mem(from, all));
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm all = MPI_COMM_NULL;
        MPI_Intercomm_merge(parent, 1, &all);
        exchange(all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&parent);
        return test::finish();
    }
    exchange(MPI_COMM_WORLD);
    // Arenas of processes of one MPI_COMM_WORLD, which end together, are kept for later graphs: all of them
    // if these processes may read each other's memory, else none.
    const int kept = arenas();
    if (kept != 1) CHECK_EQ(kept, test::size());
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int laps = test::is_intel() ? 0 : 3; // MPI_Comm_spawn of Intel's MPI 2021.18 crashes
    for (int lap = 0; lap < laps; ++lap) {
        MPI_Comm children = MPI_COMM_NULL;
        const int code = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                        &children, MPI_ERRCODES_IGNORE);
        if (code != MPI_SUCCESS && !test::is_open_mpi()) break; // Debian's MPICH cannot spawn
        CHECK_OK(code);
        MPI_Comm all = MPI_COMM_NULL;
        MPI_Intercomm_merge(children, 0, &all);
        exchange(all);
        MPI_Comm_free(&all);
        MPI_Comm_disconnect(&children);
        CHECK_EQ(arenas(), kept);
    }
    return test::finish();
}
