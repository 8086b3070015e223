// SPDX-License-Identifier: BSD-3-Clause
// Trials of the network, by a clock that goes as it is told: no machine's speed decides what is found.

#include "mpi/comm.hpp"
#include "planner/tune.hpp"
#include "runtime/internal_collectives.hpp"
#include "topology/node_map.hpp"

namespace {

using namespace ortho;

/// Seconds that pass between two looks at the clock: the first looks, which are at round trips of one byte,
/// and further ones.
struct Pace {
    int short_looks;
    double short_s, long_s;
};
Pace pace{20, 0, 0};
int looks = 0;
double now = 1;

} // namespace

extern "C" double PMPI_Wtime()
{
    now += looks++ < pace.short_looks ? pace.short_s : pace.long_s;
    return now;
}

namespace {

/// The result of a trial on nodes of one process each.
int trial(double short_s, double long_s)
{
    pace = {20, short_s, long_s};
    looks = 0;
    const mpi::Comm comm = runtime::bare_copy(MPI_COMM_WORLD);
    return topology::try_network({comm.get(), comm.get(), 0},
                                 grid::Nodes::consecutive(test::size(), std::array{1}));
}

/// Slower ones first: a process remembers the fastest.
void kinds()
{
    CHECK(!topology::found_network_kind());
    CHECK_EQ(trial(60e-6, 60e-6 + 2 * 49152 * 8e-9), 2);
    // A pair that is disturbed all the time does not decide.
    CHECK_EQ(test::rank() == 0 ? trial(40e-6, 100e-6) : trial(1, 2), 1);
    CHECK_EQ(*topology::found_network_kind(), 1);
    CHECK_EQ(trial(3e-6, 20e-6), 0);
    CHECK_EQ(trial(60e-6, 2e-3), 0);
}

/// A ring of all processes, and whether the text for a call on it tells of sockets.
bool ring_tells_of_sockets()
{
    const test::Comm ring = test::adjacent({test::left(), test::right()}, {test::right(), test::left()});
    const int out[2] = {};
    int in[2] = {};
    const test::Request request = test::alltoall_init(out, in, ring);
    return test::explanation(request).find("; messages between them take as long as over sockets\n") !=
           std::string::npos;
}

/// Nodes that are made up, and figures of a file, leave nothing to find out.
void without_a_trial()
{
    pace = {20, 40e-6, 100e-6};
    looks = 0;
    setenv("ORTHO_NODES", "1", 1);
    CHECK(!ring_tells_of_sockets());
    unsetenv("ORTHO_NODES");
    const std::string file = "network_trial.tune." + std::to_string(getpid());
    std::ofstream(file) << "network.byte_ps 100\n";
    setenv("ORTHO_TUNE", file.c_str(), 1);
    CHECK(!ring_tells_of_sockets());
    unsetenv("ORTHO_TUNE");
    std::remove(file.c_str());
    CHECK_EQ(looks, 0);
}

/// A communicator on several hosts looks once, and says what it has found.
void of_a_communicator()
{
    pace = {20, 40e-6, 100e-6};
    looks = 0;
    test::Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    const bool has_hosts = test::size(host) < test::size();
    for (int i = 0; i < 2; ++i) CHECK_EQ(ring_tells_of_sockets(), has_hosts);
    CHECK(has_hosts ? looks == 0 || looks == 26 : looks == 0);
}

} // namespace

TEST_MAIN()
{
    without_a_trial();
    of_a_communicator();
    if (!topology::found_network_kind() && test::size() > 1) kinds();
}
