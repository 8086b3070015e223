// SPDX-License-Identifier: BSD-3-Clause
// How many pairs of processes on different hosts have come to know each other?  A connection costs for as
// long as it is there, so a ring should not make all of them.  Prints "few" if it is less than a sixth of
// them.
#include <dirent.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "mpiortho.h"

namespace {

int sockets()
{
    const std::string folder = "/proc/self/fd/";
    DIR* const files = opendir(folder.c_str());
    if (files == nullptr) return 0;
    int number = 0;
    while (const dirent* const file = readdir(files)) {
        char to[256];
        const ssize_t length = readlink((folder + file->d_name).c_str(), to, sizeof to);
        if (length > 0 && std::string_view(to, static_cast<std::size_t>(length)).starts_with("socket:"))
            ++number;
    }
    closedir(files);
    return number;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int here = 0;
    MPI_Comm_size(host, &here);
    MPI_Comm_free(&host);

    const int before = sockets();
    const int partners[] = {(rank + size - 1) % size, (rank + 1) % size};
    MPI_Comm ring = MPI_COMM_NULL;
    ORTHO_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, partners, MPI_UNWEIGHTED, 2, partners, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &ring);
    int in[2] = {-1, -1};
    ORTHO_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, ring);
    const bool right = in[0] == partners[0] && in[1] == partners[1];
    // An end each.
    int numbers[] = {sockets() - before, size - here, right ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%d of %d pairs are connected: %s\n%d wrong\n", numbers[0] / 2, numbers[1] / 2,
                    6 * numbers[0] < numbers[1] ? "few" : "many", numbers[2]);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
