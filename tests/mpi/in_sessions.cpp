// SPDX-License-Identifier: BSD-3-Clause
// A C++ program that never calls MPI_Init: two sessions, one after the other.  Elements and operators that
// need datatypes and operators of MPI's, infos, processes outside of a grid.

#include <sys/wait.h>

#ifdef ORTHO_MPI_SESSIONS

#include "mpiortho.hpp"

namespace {

struct Cell {
    double x;
    int mark;
};

struct Longest {
    int operator()(int a, int b) const { return a > b ? a : b; }
};

int failures = 0;
int rank = 0;

void expect(bool holds, const char* what)
{
    if (holds) return;
    ++failures;
    std::fprintf(stderr, "not right: %s\n", what);
}

MPI_Comm all_of(MPI_Session session)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpiortho.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
    MPI_Group_free(&group);
    return all;
}

} // namespace

template <>
inline constexpr bool mpiortho::travels_as_bytes<Cell> = true;

namespace {

void use(MPI_Comm all)
{
    int size = 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    std::array<int, 3> told{-1, -1, -1};
    if (rank == 0) told = {1, 2, 3};
    mpiortho::bcast(std::span(&told, 1), 0, all); // the first call of all
    expect(told == std::array{1, 2, 3}, "an array");
    const mpiortho::info hints{{"ortho_forward", "true"}};
    expect(hints.get() != MPI_INFO_NULL, "an info");
    const mpiortho::grid<1> ring(all, {.periodic = {true}});
    mpiortho::field<Cell, 1> cells({2}, 1);
    cells(0).mark = cells(1).mark = rank;
    mpiortho::halo(ring, cells).run();
    expect(cells(-1).mark == (rank + size - 1) % size, "a struct");
    expect(mpiortho::allreduce(rank, Longest(), all) == size - 1, "an operator");
    const mpiortho::grid<1> first(all, {.sizes = {1}, .periodic = {true}});
    mpiortho::field<double, 1> inside({2});
    inside(0) = inside(1) = 1;
    mpiortho::halo(first, inside).run();
    expect(inside(-1) == (rank == 0 ? 1 : 0), "a process outside of a grid");
}

} // namespace

int main()
{
    int length = 0;
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> mpi{};
    MPI_Get_library_version(mpi.data(), &length);
    // Intel's MPI opens none after the last one was closed (doc/mpi-bugs.md, 31).
    const int laps = std::strstr(mpi.data(), "Intel") != nullptr ? 1 : 2;
    for (int lap = 0; lap < laps; ++lap) {
        MPI_Session session = MPI_SESSION_NULL;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Comm all = all_of(session);
        use(all);
        MPI_Comm_free(&all);
        MPI_Session_finalize(&session);
    }
    // Static objects are this process's, and none of its children's.
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        std::exit(3);
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3) ++failures;
    if (failures == 0 && rank == 0) std::puts("right");
    return failures != 0;
}

#else

int main() { std::puts("no sessions"); }

#endif
