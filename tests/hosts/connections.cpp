// SPDX-License-Identifier: BSD-3-Clause
// How many pairs of processes on different hosts have come to know each other?  A connection costs for as
// long as it is there, so a ring should not make all of them.  Prints "few" if it is less than a sixth of
// them.
#include <filesystem>

#include "tests/mpi/check.hpp"
#include "tests/mpi/owned.hpp"

namespace {

int sockets()
{
    int number = 0;
    std::error_code gone;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd"))
        number += std::filesystem::read_symlink(file, gone).string().starts_with("socket:") ? 1 : 0;
    return number;
}

} // namespace

TEST_MAIN()
{
    const int rank = test::rank(), size = test::size();
    test::Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);

    const int before = sockets();
    const int partners[] = {(rank + size - 1) % size, (rank + 1) % size};
    test::Comm ring;
    ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, partners, MPI_UNWEIGHTED, 2, partners, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &ring);
    int in[2] = {-1, -1};
    ORTHO_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring);
    const bool right = in[0] == partners[0] && in[1] == partners[1];
    // An end each.
    int numbers[] = {sockets() - before, size - test::size(host), right ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%d of %d pairs are connected: %s\n%d wrong\n", numbers[0] / 2, numbers[1] / 2,
                    6 * numbers[0] < numbers[1] ? "few" : "many", numbers[2]);
}
