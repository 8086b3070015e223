// SPDX-License-Identifier: BSD-3-Clause
// Do fewer edges between hosts mean fewer bytes on the wire?  `traffic GRID torus|mesh moore|star ...`: for
// each grid exchanges on a communicator as numbered, on one whose ranks were placed, and on one of
// ORTHO_Nodecart_create.  The counts of the hosts' kernels are held against the edges that arithmetic finds
// between the hosts on which the processes in fact are.
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <vector>

#include "base/index.hpp"
#include "tests/mpi/check.hpp"
#include "tests/mpi/owned.hpp"

namespace {

using Ints = std::vector<int>;

constexpr int block_bytes = 128 * 1024;
constexpr int rounds = 4;
constexpr double tolerance = 0.05;
// The side of the arrays with ghosts.  A corner is 1/256 of a face: it matters little which way it goes.
constexpr int side = 256;
constexpr int cell_bytes = 512;

using ortho::at;

/// For each rank of the communicator: the host on which it is, as the kernel has its name.
std::vector<std::string> hosts_of(MPI_Comm comm)
{
    constexpr int length = 64;
    char name[length] = "";
    gethostname(name, length - 1);
    std::vector<char> names(at(test::size(comm)) * length);
    MPI_Allgather(name, length, MPI_CHAR, names.data(), length, MPI_CHAR, comm);
    std::vector<std::string> hosts;
    for (std::size_t first = 0; first < names.size(); first += length) hosts.emplace_back(&names[first]);
    return hosts;
}

struct Grid {
    Ints dims; ///< two
    Ints periods;

    /// The rank `offset` away from another, row-major, or MPI_PROC_NULL.
    int neighbor(int rank, int down, int right) const
    {
        int row = rank / dims[1] + down, column = rank % dims[1] + right;
        if (periods[0] != 0) row = (row + dims[0]) % dims[0];
        if (periods[1] != 0) column = (column + dims[1]) % dims[1];
        if (row < 0 || row >= dims[0] || column < 0 || column >= dims[1]) return MPI_PROC_NULL;
        return row * dims[1] + column;
    }
};

/// Steps of at most one in each dimension; a star has those in one dimension alone.
Ints make_offsets(bool moore)
{
    Ints offsets;
    for (int down = -1; down <= 1; ++down)
        for (int right = -1; right <= 1; ++right)
            if ((down != 0 || right != 0) && (moore || down == 0 || right == 0))
                offsets.insert(offsets.end(), {down, right});
    return offsets;
}

/// The data that leaves its host in one exchange.
struct Leaving {
    int edges = 0;
    double ghost_bytes = 0;
};

Leaving count_leaving(const Grid& grid, const Ints& offsets, const std::vector<std::string>& hosts)
{
    Leaving result;
    for (int r = 0; r < static_cast<int>(hosts.size()); ++r)
        for (std::size_t i = 0; i < offsets.size(); i += 2) {
            const int q = grid.neighbor(r, offsets[i], offsets[i + 1]);
            if (q == MPI_PROC_NULL || hosts[at(r)] == hosts[at(q)]) continue;
            ++result.edges;
            result.ghost_bytes += cell_bytes * (offsets[i] != 0 && offsets[i + 1] != 0 ? 1.0 : side);
        }
    return result;
}

/// Is this process the first one of its host?
bool is_first()
{
    static const bool first = [] {
        const std::vector<std::string> hosts = hosts_of(MPI_COMM_WORLD);
        const auto me = hosts.begin() + test::rank();
        return std::find(hosts.begin(), me, *me) == me;
    }();
    return first;
}

/// By all hosts, as their kernels count.
double bytes_sent()
{
    double bytes = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_first()) std::ifstream("/sys/class/net/eth0/statistics/tx_bytes") >> bytes;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return bytes;
}

/// In a round; each round ends with a barrier.
double bytes_sent_by(const std::function<void()>& exchange)
{
    const double before = bytes_sent();
    for (int i = 0; i < rounds; ++i) {
        exchange();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return (bytes_sent() - before) / rounds;
}

/// One communicator's exchanges.
struct Traffic {
    Leaving leaving;
    double block_bytes = 0, ghost_bytes = 0;
};

/// The edges that leave their nodes, as the library counts them: "80 edges leave their nodes" in what it
/// says; -1 if it does not.
int edges_in(const std::string& explanation)
{
    const std::size_t words = explanation.find(" edges leave their nodes");
    if (words == std::string::npos) return -1;
    return std::atoi(&explanation[explanation.find_last_not_of("0123456789", words - 1) + 1]);
}

class Case {
public:
    Case(const std::string& dims, const std::string& borders, const std::string& stencil)
        : words_(dims + " " + borders + " " + stencil),
          offsets_(make_offsets(stencil == "moore"))
    {
        grid_.dims = {std::atoi(dims.c_str()), std::atoi(dims.substr(dims.find('x') + 1).c_str())};
        grid_.periods = Ints(2, borders == "torus" ? 1 : 0);
    }

    /// Checks that what is sent is what should be.
    void run() const
    {
        const test::Info info({{"ortho_algorithm", "alltoall_direct"}}); // a message for each edge
        const Traffic numbered = measure("as numbered", neighborhood(info, 0), false);
        const Traffic placed = measure("placed", neighborhood(info, 1), true);
        const Traffic nodecart = measure("nodecart", graph_on_nodecart(info), false);
        check_less("placed", placed, numbered);
        check_less("nodecart", nodecart, numbered);
        if (test::rank() == 0)
            std::printf("%s: %d edges leave their hosts as numbered, %d placed\n", words_.c_str(),
                        numbered.leaving.edges, placed.leaving.edges);
    }

private:
    void require(bool condition, const std::string& what) const
    {
        if (!condition) test::fail(__FILE__, __LINE__, words_ + ": " + what);
    }

    MPI_Comm neighborhood(MPI_Info info, int reorder) const
    {
        MPI_Comm comm = MPI_COMM_NULL;
        ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 2, grid_.dims.data(), grid_.periods.data(),
                                       static_cast<int>(offsets_.size() / 2), offsets_.data(), MPI_UNWEIGHTED,
                                       info, reorder, &comm);
        return comm;
    }

    MPI_Comm graph_on_nodecart(MPI_Info info) const
    {
        test::Comm cart;
        ORTHO_Nodecart_create(MPI_COMM_WORLD, 2, grid_.dims.data(), grid_.periods.data(), 1, &cart);
        Ints sources, targets;
        for (std::size_t i = 0; i < offsets_.size(); i += 2) {
            sources.push_back(grid_.neighbor(test::rank(cart), -offsets_[i], -offsets_[i + 1]));
            targets.push_back(grid_.neighbor(test::rank(cart), offsets_[i], offsets_[i + 1]));
        }
        const int t = static_cast<int>(targets.size());
        MPI_Comm graph = MPI_COMM_NULL;
        ORTHO_Dist_graph_create_adjacent(cart, t, sources.data(), MPI_UNWEIGHTED, t, targets.data(),
                                         MPI_UNWEIGHTED, info, 0, &graph);
        return graph;
    }

    /// `says`: the ranks of the communicator were placed, and it says so.
    Traffic measure(const std::string& what, const test::Comm& comm, bool says) const
    {
        Traffic result;
        result.leaving = count_leaving(grid_, offsets_, hosts_of(comm));

        const std::size_t t = offsets_.size() / 2;
        const std::vector<char> out(t * block_bytes);
        std::vector<char> in(t * block_bytes);
        const auto exchange = [&] {
            ORTHO_Alltoall(out.data(), block_bytes, MPI_BYTE, in.data(), block_bytes, MPI_BYTE, comm);
        };

        test::Type cell = test::committed(MPI_Type_contiguous, cell_bytes, MPI_BYTE);
        const int whole[] = {side + 2, side + 2}, depths[] = {1, 1};
        std::vector<char> field(at(whole[0]) * at(whole[1]) * cell_bytes);
        void* const fields[] = {field.data()};
        test::Request halo;
        ORTHO_Halo_init(1, fields, &cell, 2, whole, depths, depths, comm, MPI_INFO_NULL, &halo);
        const auto exchange_ghosts = [&] { test::start_and_wait(&halo); };
        const std::string explanation = test::explanation(halo);
        const int told = edges_in(explanation);
        require(!says || told == result.leaving.edges,
                "the library sees " + std::to_string(told) + " edges between nodes and not " +
                    std::to_string(result.leaving.edges) + ": " + explanation);

        exchange(); // connections are made
        exchange_ghosts();
        static const double idle = bytes_sent_by([] {});
        result.block_bytes = bytes_sent_by(exchange) - idle;
        result.ghost_bytes = bytes_sent_by(exchange_ghosts) - idle;
        check(what + ", bytes of blocks", result.block_bytes, 1.0 * block_bytes * result.leaving.edges);
        check(what + ", bytes of ghosts", result.ghost_bytes, result.leaving.ghost_bytes);
        return result;
    }

    void check(const std::string& what, double sent, double predicted) const
    {
        char numbers[96];
        std::snprintf(numbers, sizeof numbers, ": %.9g were sent, %.9g were to be sent (%.4f)", sent,
                      predicted, sent / predicted);
        require(std::abs(sent / predicted - 1) <= tolerance, what + numbers);
        if (test::rank() == 0) std::printf("# %s: %s%s\n", words_.c_str(), what.c_str(), numbers);
    }

    void check_less(const std::string& what, const Traffic& after, const Traffic& before) const
    {
        require(after.leaving.edges <= before.leaving.edges, what + ": more edges than as numbered");
        check(what + ", blocks by those as numbered", after.block_bytes / before.block_bytes,
              1.0 * after.leaving.edges / before.leaving.edges);
        check(what + ", ghosts by those as numbered", after.ghost_bytes / before.ghost_bytes,
              after.leaving.ghost_bytes / before.leaving.ghost_bytes);
    }

    std::string words_;
    Grid grid_;
    Ints offsets_;
};

} // namespace

TEST_MAIN()
{
    for (int i = 1; i + 2 < argc; i += 3) Case(argv[i], argv[i + 1], argv[i + 2]).run();
}
