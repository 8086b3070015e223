// SPDX-License-Identifier: BSD-3-Clause
// Says which hosts there are, and which way messages go within them and from one to the next.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <vector>

namespace {

constexpr int message_bytes = 1 << 20;

/// By this host, as the kernel counts.
long long bytes_sent()
{
    long long bytes = 0;
    std::ifstream("/sys/class/net/eth0/statistics/tx_bytes") >> bytes;
    return bytes;
}

/// Sends a message round a ring of processes: how much of this does the kernel see on the wire?
const char* way(MPI_Comm ring, MPI_Comm host)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    const std::vector<char> out(message_bytes);
    std::vector<char> in(message_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const long long before = bytes_sent();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(out.data(), message_bytes, MPI_BYTE, (rank + 1) % size, 0, in.data(), message_bytes,
                 MPI_BYTE, (rank + size - 1) % size, 0, ring, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    long long sent = bytes_sent() - before;
    MPI_Bcast(&sent, 1, MPI_LONG_LONG, 0, host);
    return sent < message_bytes / 4 ? "memory" : "wire";
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm host = MPI_COMM_NULL; // who shares memory
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int rank = 0, size = 0;
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &size);
    MPI_Comm across = MPI_COMM_NULL; // the n-th process of each host
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &across);

    const char* const inside = way(host, host);
    const char* const between = way(rank == 0 ? across : MPI_COMM_SELF, host);
    char line[160];
    char name[64] = "";
    gethostname(name, sizeof name - 1);
    std::snprintf(line, sizeof line, "%s: %d processes, inside by %s, to the next by %s\n", name, size,
                  inside, between);
    if (rank == 0) { // in the order of the hosts
        int me = 0, hosts = 0;
        MPI_Comm_rank(across, &me);
        MPI_Comm_size(across, &hosts);
        std::vector<char> lines(sizeof line * static_cast<std::size_t>(hosts));
        MPI_Gather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, across);
        for (int i = 0; i < hosts && me == 0; ++i)
            std::fputs(&lines[sizeof line * static_cast<std::size_t>(i)], stdout);
    }
    MPI_Comm_free(&across);
    MPI_Comm_free(&host);
    MPI_Finalize();
    return 0;
}
