// SPDX-License-Identifier: BSD-3-Clause
// For tests/scripts/verify.sh: prints after how many seconds a wait is reported, before and after the first
// communicator is made.

#include "runtime/stall_report.hpp"

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int size = 0, rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int before = ortho::runtime::stall_settings().seconds;
    const int one = 1;
    MPI_Comm graph = MPI_COMM_NULL;
    ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &size, &one, 1, &one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    if (rank == 0) std::printf("%d %d\n", before, ortho::runtime::stall_settings().seconds);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
