// SPDX-License-Identifier: BSD-3-Clause
// Windows of ints on graphs of which all processes know everything.
#pragma once

#include "grids.hpp"

namespace test {

/// A communicator that carries the graph.
inline MPI_Comm comm_of(const cases::Multigraph& graph)
{
    const auto& mine = graph.processes[at(rank())];
    return test::adjacent(to_mpi(mine.sources), to_mpi(mine.targets));
}

/// The owner of a window's memory.
enum class Memory { users, windows };

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
            CHECK_OK(ORTHO_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &begin, &win_));
        }
        cells = {begin, at(n)};
        std::ranges::fill(cells, -1);
        MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
        MPI_Barrier(comm); // before others write
    }
    ~IntWindow()
    {
        if (win_ != MPI_WIN_NULL) CHECK_OK(ORTHO_Win_free(&win_));
    }
    IntWindow(const IntWindow&) = delete;
    IntWindow& operator=(const IntWindow&) = delete;

    MPI_Win get() const { return win_; }
    MPI_Win* address() { return &win_; }
    std::span<int> cells;

private:
    Ints own_;
    MPI_Win win_ = MPI_WIN_NULL;
};

} // namespace test
