// SPDX-License-Identifier: BSD-3-Clause
// Exchanges with four neighbors on a torus, over light and heavy edges, in some orders (T. Hoefler, J. L.
// Traff: Sparse Collective Operations for MPI, Figures 4 to 9).
//     mpiexec -n P bench/edges/edges ROWSxCOLUMNS PATTERN BYTES[,BYTES...] [SAMPLES]
// PATTERN says which edges are heavy: all (equal), those of rows (horizontal), those of columns (vertical),
// or rings of 2x2 processes (circular).  BYTES are of a heavy block, a 64th of them is light.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "mpiortho.h"

namespace {

constexpr int edges = 4;
/// The order of the paper's Listing 6: up and down in the first dimension, then in the second.
constexpr int offsets[2 * edges] = {1, 0, -1, 0, 0, 1, 0, -1};

struct Grid {
    int rows = 0, columns = 0;
    std::string pattern;
};

/// Whether the block that the process at (row, column) sends along this edge is heavy.
bool is_heavy(const Grid& grid, int row, int column, int edge)
{
    if (grid.pattern == "equal") return true;
    const bool vertical = edge < 2;
    if (grid.pattern == "horizontal") return !vertical;
    if (grid.pattern == "vertical") return vertical;
    // A ring has an even and an odd row, and an even and an odd column.
    const int place = vertical ? row : column;
    const int size = vertical ? grid.rows : grid.columns;
    const int towards = place % 2 == 0 ? 0 : 1; // the edge that stays in the ring
    return edge % 2 == towards && (place % 2 == 1 || place + 1 < size);
}

/// An exchange on processes in row-major order.
class Problem {
public:
    Problem(MPI_Comm comm, const Grid& grid, int heavy, int light) : comm_(comm)
    {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        const int row = rank / grid.columns, column = rank % grid.columns;
        int bytes = 0;
        for (int e = 0; e < edges; ++e) {
            const int down = offsets[2 * e], right = offsets[2 * e + 1];
            const auto at = [&](int r, int c) {
                return (r + grid.rows) % grid.rows * grid.columns + (c + grid.columns) % grid.columns;
            };
            targets_[e] = at(row + down, column + right);
            sources_[e] = at(row - down, column - right);
            out_heavy_[e] = is_heavy(grid, row, column, e);
            in_heavy_[e] = is_heavy(grid, sources_[e] / grid.columns, sources_[e] % grid.columns, e);
            sent_[e] = out_heavy_[e] ? heavy : light;
            received_[e] = in_heavy_[e] ? heavy : light;
            places_[e] = bytes;
            bytes += heavy;
        }
        send_.resize(static_cast<std::size_t>(bytes));
        receive_.resize(static_cast<std::size_t>(bytes));
        for (int e = 0; e < edges; ++e)
            std::fill_n(send_.data() + places_[e], sent_[e], static_cast<char>(1 + rank % 25 * edges + e));
    }

    /// Listing 6.
    void in_rounds()
    {
        for (int e = 0; e < edges; ++e) pass(e, e);
    }
    /// The heavy edges of rings at once in both directions, a dimension after the other; then light ones.
    void in_pairs()
    {
        for (const bool heavy : {true, false})
            for (int first = 0; first < edges; first += 2) {
                int out = -1, in = -1;
                for (int e = first; e < first + 2; ++e)
                    if (out_heavy_[e] == heavy) out = e;
                for (int e = first; e < first + 2; ++e)
                    if (in_heavy_[e] == heavy) in = e;
                const bool both = out_heavy_[first] == out_heavy_[first + 1];
                if (both && out >= 0)
                    for (int e = first; e < first + 2; ++e) pass(e, e);
                else if (!both)
                    pass(out, in);
            }
    }
    /// Listing 5.
    void at_once()
    {
        MPI_Request requests[2 * edges];
        for (int e = 0; e < edges; ++e)
            MPI_Irecv(receive_.data() + places_[e], received_[e], MPI_CHAR, sources_[e], e, comm_,
                      &requests[e]);
        for (int e = 0; e < edges; ++e)
            MPI_Isend(send_.data() + places_[e], sent_[e], MPI_CHAR, targets_[e], e, comm_,
                      &requests[edges + e]);
        MPI_Waitall(2 * edges, requests, MPI_STATUSES_IGNORE);
    }

    ORTHO_Request init(MPI_Comm graph, const char* algorithm)
    {
        MPI_Info info = MPI_INFO_NULL;
        MPI_Info_create(&info);
        if (*algorithm != '\0') MPI_Info_set(info, "ortho_algorithm", algorithm);
        ORTHO_Request request = ORTHO_REQUEST_NULL;
        ORTHO_Alltoallv_init(send_.data(), sent_, places_, MPI_CHAR, receive_.data(), received_, places_,
                             MPI_CHAR, graph, info, &request);
        MPI_Info_free(&info);
        return request;
    }

    void clear() { std::ranges::fill(receive_, '\0'); }
    bool is_right() const
    {
        for (int e = 0; e < edges; ++e)
            for (int i = 0; i < received_[e]; ++i)
                if (receive_.data()[places_[e] + i] != static_cast<char>(1 + sources_[e] % 25 * edges + e))
                    return false;
        return true;
    }

private:
    void pass(int out, int in)
    {
        MPI_Sendrecv(send_.data() + places_[out], sent_[out], MPI_CHAR, targets_[out], out,
                     receive_.data() + places_[in], received_[in], MPI_CHAR, sources_[in], in, comm_,
                     MPI_STATUS_IGNORE);
    }

    MPI_Comm comm_;
    int targets_[edges], sources_[edges], sent_[edges], received_[edges], places_[edges];
    bool out_heavy_[edges], in_heavy_[edges];
    std::vector<char> send_, receive_;
};

/// The torus, with the bytes of all processes along each edge as its weight; processes in an order that suits
/// the weights if `reorder` is 1.
MPI_Comm torus(const Grid& grid, int heavy, int light, int reorder)
{
    const int dims[] = {grid.rows, grid.columns}, periods[] = {1, 1};
    int weights[edges];
    for (int e = 0; e < edges; ++e) {
        long long sum = 0;
        for (int r = 0; r < grid.rows; ++r)
            for (int c = 0; c < grid.columns; ++c) sum += is_heavy(grid, r, c, e) ? heavy : light;
        weights[e] = static_cast<int>(sum / (grid.rows * grid.columns));
    }
    MPI_Comm comm = MPI_COMM_NULL;
    ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 2, dims, periods, edges, offsets, weights, MPI_INFO_NULL,
                                   reorder, &comm);
    return comm;
}

std::string chosen(ORTHO_Request request)
{
    int length = 0;
    ORTHO_Explain(request, nullptr, 0, &length);
    std::string text(static_cast<std::size_t>(length) + 1, '\0');
    ORTHO_Explain(request, text.data(), length + 1, nullptr);
    // A started operation may have another plan.
    std::istringstream lines(text.substr(std::min(text.size(), text.find("and by ORTHO_Run"))));
    if (text.find("and by ORTHO_Run") == std::string::npos) lines.str(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string first, name;
        words >> first >> name;
        if (first == "chosen") return name.substr(0, name.find(':'));
    }
    return "-";
}

/// The smallest time of all samples, each of which lasts until the last process is done.
double time_of(const std::function<void()>& call, Problem& problem, int samples, bool* right)
{
    double best = 1e300;
    for (int sample = 0; sample < samples; ++sample) {
        problem.clear();
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        call();
        double mine = MPI_Wtime() - start, all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        best = std::min(best, all);
        if (!problem.is_right()) *right = false;
    }
    return 1e6 * best;
}

/// Returns whether all results are right.
bool measure(const Grid& grid, int heavy, int samples, bool print)
{
    const int light = grid.pattern == "equal" ? heavy : std::max(heavy / 64, 1);
    MPI_Comm graph = torus(grid, heavy, light, 0), placed = torus(grid, heavy, light, 1), base, placed_base;
    ORTHO_Comm_base(graph, &base);
    ORTHO_Comm_base(placed, &placed_base);
    bool right = true;
    std::string algorithm;
    {
        Problem problem(base, grid, heavy, light), elsewhere(placed_base, grid, heavy, light);
        const auto by_hand = [&](auto way) {
            return time_of([&] { (problem.*way)(); }, problem, samples, &right);
        };
        const auto ours = [&](Problem& where, MPI_Comm comm, const char* name) {
            ORTHO_Request request = where.init(comm, name);
            if (*name == '\0') algorithm = chosen(request);
            const double time = time_of([&] { ORTHO_Run(&request, MPI_STATUS_IGNORE); }, where, samples,
                                        &right);
            ORTHO_Request_free(&request);
            return time;
        };
        const double rounds = by_hand(&Problem::in_rounds), pairs = by_hand(&Problem::in_pairs);
        const double at_once = by_hand(&Problem::at_once);
        const double direct = ours(problem, graph, "alltoall_direct");
        const double ordered = ours(problem, graph, "alltoall_ordered");
        const double phases = ours(problem, graph, "alltoall_rounds");
        const double moved = ours(elsewhere, placed, ""), planned = ours(problem, graph, "");
        int mine = right ? 1 : 0, all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        right = all == 1;
        if (print)
            std::printf("%-8s %-10s %9d %7d %10.2f %10.2f %10.2f %10.2f %10.2f %10.2f %10.2f %10.2f %s%s\n",
                        (std::to_string(grid.rows) + "x" + std::to_string(grid.columns)).c_str(),
                        grid.pattern.c_str(), heavy, light, rounds, pairs, at_once, direct, ordered, phases,
                        planned, moved, algorithm.c_str(), right ? "" : "  WRONG RESULTS");
    }
    for (MPI_Comm* comm : {&graph, &placed, &base, &placed_base}) MPI_Comm_free(comm);
    return right;
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, processes = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    Grid grid;
    const bool known = argc >= 4 && std::sscanf(argv[1], "%dx%d", &grid.rows, &grid.columns) == 2 &&
                       grid.rows > 0 && grid.columns > 0 && grid.rows * grid.columns == processes;
    if (known) grid.pattern = argv[2];
    constexpr std::array patterns = {"equal", "horizontal", "vertical", "circular"};
    if (!known || std::ranges::count(patterns, grid.pattern) == 0) {
        if (rank == 0)
            std::fprintf(stderr,
                         "usage: edges ROWSxCOLUMNS equal|horizontal|vertical|circular BYTES[,BYTES...] "
                         "[SAMPLES], on ROWS * COLUMNS processes\n");
        MPI_Finalize();
        return 2;
    }
    if (rank == 0)
        std::printf("#%-7s %-10s %9s %7s %10s %10s %10s %10s %10s %10s %10s %10s %s\n", "grid", "pattern",
                    "heavy", "light", "rounds", "pairs", "at_once", "direct", "ordered", "phases", "planned",
                    "placed", "chosen");
    bool right = true;
    std::istringstream sizes(argv[3]);
    for (std::string size; std::getline(sizes, size, ',');)
        right &= measure(grid, std::atoi(size.c_str()), argc > 4 ? std::atoi(argv[4]) : 1, rank == 0);
    MPI_Finalize();
    return right ? 0 : 1;
}
