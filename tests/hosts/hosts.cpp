// SPDX-License-Identifier: BSD-3-Clause
// Says which hosts there are, and which way messages go within them and from one to the next.
#include <unistd.h>

#include <fstream>
#include <vector>

#include "tests/mpi/check.hpp"
#include "tests/mpi/owned.hpp"

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
    const int rank = test::rank(ring), size = test::size(ring);
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

TEST_MAIN()
{
    test::Comm host; // who shares memory
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    const int rank = test::rank(host);
    test::Comm across; // the n-th process of each host
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &across);

    const char* const inside = way(host, host);
    const char* const between = way(rank == 0 ? across.handle() : MPI_COMM_SELF, host);
    char line[160];
    char name[64] = "";
    gethostname(name, sizeof name - 1);
    std::snprintf(line, sizeof line, "%s: %d processes, inside by %s, to the next by %s\n", name,
                  test::size(host), inside, between);
    if (rank == 0) { // in the order of the hosts
        std::vector<char> lines(sizeof line * static_cast<std::size_t>(test::size(across)));
        MPI_Gather(line, sizeof line, MPI_CHAR, lines.data(), sizeof line, MPI_CHAR, 0, across);
        for (std::size_t i = 0; i < lines.size() && test::rank(across) == 0; i += sizeof line)
            std::fputs(&lines[i], stdout);
    }
}
