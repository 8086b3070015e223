// SPDX-License-Identifier: BSD-3-Clause
// Communicators and operations on shared memory that come and go: no memory stays of them.
#include <sys/stat.h>

#include "shared.hpp"

namespace ortho_shared_test {

namespace {

using test::watched;

/// Bytes of this process's arena, whose descriptor bears our name; 0 if there is none.
long long shared_bytes()
{
    for (int file = 0; file < 1024; ++file) {
        char target[64] = "";
        const std::string path = "/proc/self/fd/" + std::to_string(file);
        if (readlink(path.c_str(), target, sizeof target - 1) < 0) continue;
        struct stat status {};
        if (std::strstr(target, "memfd:mpiortho") != nullptr && fstat(file, &status) == 0)
            return 512LL * status.st_blocks;
    }
    return 0;
}

long long resident_kilobytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6);
    return 0;
}

} // namespace

/// Nothing stays of communicators, of their lines, nor of persistent operations.
void communicators_come_and_go()
{
    const int rounds = 10;
    // MPICH spins where there are more processes than cores, and makes few communicators a second there.
    const int each = test::size() <= 2 && !watched ? 50 : 5;
    long long shared = 0;
    long long resident = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < each; ++i) {
            Torus ring = Torus::ring(MPI_COMM_WORLD);
            alltoall(ring, Form::blocking, i, 1);
            alltoall(ring, Form::blocking, i, i % 10 == 0 ? 200'000 : 3000);
            alltoall(ring, Form::blocking, i, 0);
            Pending operation(ring, i, i % 10 == 1 ? 200'000 : 20);
            operation.init();
            operation.start(1);
            if (i % 3 == 0) MPI_Comm_free(&ring.comm);
            operation.wait();
            CHECK_OK(ORTHO_Request_free(&operation.request));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        // The first rounds find what is needed.
        if (round == 2) {
            shared = shared_bytes();
            resident = resident_kilobytes();
        }
    }
    const long long grown = shared_bytes() - shared;
    if (grown > 512 << 10) CHECK_EQ(grown, 0);
    const long long more = resident_kilobytes() - resident;
    if (!watched && more > 20'000) CHECK_EQ(more, 0);
}

} // namespace ortho_shared_test
