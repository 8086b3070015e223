// SPDX-License-Identifier: BSD-3-Clause
#include "book_bench/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <unordered_set>

#include "bench/statistics.hpp"
#include "bench/table_columns.hpp"
#include "neighbor_calls.hpp"
#include "progress.hpp"
#include "world_comm.hpp"

namespace bench {

namespace {

/// The results of repeats: the seconds of making a communicator, and of each call on it.
struct SetupSeries {
    std::vector<double> create;
    std::vector<std::vector<double>> calls;
};

/// Medians in seconds.
struct SetupTimes {
    double create = 0;
    std::vector<double> calls;

    SetupTimes() = default;
    explicit SetupTimes(const SetupSeries& series) : create(median(series.create))
    {
        for (const auto& times : series.calls) calls.push_back(median(times));
    }
    double first() const { return calls.front(); }
    double slowest() const { return *std::ranges::max_element(calls); }
    double last() const { return calls.back(); }
    /// The time of making the communicator and of the first n calls.
    double up_to(std::size_t n) const
    {
        return std::reduce(calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(n), create);
    }
};

/// The number of calls on a communicator: the last ones are planned.
constexpr std::size_t calls_in_all = 40;

/// Makes a communicator and calls on it.  False if a result was wrong.
bool measure_once(MPI_Comm base, const std::function<MPI_Comm()>& create,
                  const std::function<void(MPI_Comm)>& call, Data& data, SetupSeries& series)
{
    MPI_Comm comm = MPI_COMM_NULL;
    series.create.push_back(time_batch(
        base, [&] { comm = create(); }, 1));
    series.calls.resize(calls_in_all);
    int right = 1;
    for (auto& times : series.calls) {
        data.prepare(0);
        times.push_back(time_batch(
            base, [&] { call(comm); }, 1));
        if (!data.is_right(0)) right = 0;
    }
    MPI_Comm_free(&comm);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, base);
    return right == 1;
}

struct Result {
    SetupTimes mpi;
    SetupTimes ours;
    bool mpi_right = true;
    bool ours_right = true;
};

/// MPI and we in turn; only we if `alone`.
Result measure_setup(const World& world, const Exchange& exchange, const SetupOptions& options, bool alone)
{
    Data data(exchange, world.rank, options.collective == "alltoall", 1);
    const Family family = bench::family(options.collective, &data);
    SetupSeries mpi, ours;
    Result result;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        if (!alone)
            result.mpi_right &= measure_once(
                world.comm, [&] { return mpi_comm(world.comm, exchange); }, family.mpi.blocking, data, mpi);
        result.ours_right &= measure_once(
            world.comm, [&] { return ortho_comm(world.comm, exchange); }, family.ours.blocking, data, ours);
    }
    if (!alone) result.mpi = SetupTimes(mpi);
    result.ours = SetupTimes(ours);
    return result;
}

/// Distinct offsets, in a cube that holds eight times as many.  All processes get the same.
std::vector<int> random_offsets(int count)
{
    std::mt19937_64 random(17);
    int radius = 1;
    while (std::int64_t{2 * radius + 1} * (2 * radius + 1) * (2 * radius + 1) < std::int64_t{8} * count)
        ++radius;
    std::vector<int> offsets;
    std::unordered_set<std::int64_t> seen;
    while (seen.size() < static_cast<std::size_t>(count)) {
        std::array<int, 3> point{};
        std::int64_t number = 0;
        for (int& x : point) {
            const int steps = static_cast<int>(random() % static_cast<std::uint64_t>(2 * radius + 1));
            number = number * (2 * radius + 1) + steps;
            x = steps - radius;
        }
        if (seen.insert(number).second) offsets.insert(offsets.end(), point.begin(), point.end());
    }
    return offsets;
}

constexpr auto setup_columns = std::to_array<Column>({
    {"d", 1, "dimensions of the stencil {-1, ..., n-2}^d without 0"},
    {"n", 1, "its extent in each of them"},
    {"t", 5, "its offsets"},
    {"MPI create", 11, "microseconds to make MPI's communicator with the graph, the median"},
    {"ours create", 11, "microseconds to make mpiortho's"},
    {"MPI first", 11, "microseconds of MPI's first call on it"},
    {"ours first", 11, "microseconds of mpiortho's first call on it"},
    {"ours plan", 11, "microseconds of its slowest call: that which plans"},
    {"MPI last", 11, "microseconds of MPI's 40th call"},
    {"ours last", 11, "microseconds of mpiortho's 40th call"},
    {"first", 6, "mpiortho's create and first call, by MPI's"},
    {"most", 6, "the largest such ratio of create and any number of calls, up to 40"},
});

constexpr auto growth_columns = std::to_array<Column>({
    {"t", 9, "offsets"},
    {"create", 11, "seconds to make mpiortho's communicator with the graph, the median"},
    {"plan", 11, "seconds of its slowest call: that which plans"},
    {"/ million", 11, "seconds of both for a million offsets: the same in all lines if they grow linearly"},
    {"next", 11, "seconds of the next call"},
});

constexpr auto graphs_columns = std::to_array<Column>({
    {"d", 1, "dimensions of the stencil {-1, ..., n-2}^d without 0"},
    {"n", 1, "its extent in each of them"},
    {"t", 5, "its offsets"},
    {"MPI first", 11, "microseconds to make MPI's first graph on a communicator that has none, the median"},
    {"MPI third", 11, "microseconds to make its third graph there, while the others live"},
    {"first", 11, "microseconds to make mpiortho's first graph on such a communicator"},
    {"second", 11, "microseconds to make its second graph there"},
    {"third", 11, "microseconds to make its third graph there"},
    {"2nd/1st", 8, "the second by the first"},
    {"3rd/1st", 8, "the third by the first"},
});

std::string us(double seconds) { return fixed(1e6 * seconds, 1); }

/// Median seconds of making three graphs, one after the other, on a communicator that has none yet.
std::array<double, 3> make_graphs(const World& world, const SetupOptions& options,
                                  const std::function<MPI_Comm(MPI_Comm)>& create)
{
    std::array<std::vector<double>, 3> seconds;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        MPI_Comm base = MPI_COMM_NULL;
        MPI_Comm_dup(world.comm, &base);
        std::array<MPI_Comm, 3> graphs{};
        for (std::size_t i = 0; i < graphs.size(); ++i)
            seconds[i].push_back(time_batch(
                base, [&] { graphs[i] = create(base); }, 1));
        for (MPI_Comm& graph : graphs) MPI_Comm_free(&graph);
        MPI_Comm_free(&base);
    }
    return {median(seconds[0]), median(seconds[1]), median(seconds[2])};
}

} // namespace

std::string run_setup(const SetupOptions& options)
{
    const World world;
    const std::vector<int> dimensions = options.offsets.empty() ? options.d : std::vector<int>{3};
    std::string mistake = grid_mistake(options.grid, dimensions, world.size);
    if (!mistake.empty()) return mistake;

    bool right = true;
    long long done = 0;
    Progress progress("line", options.offsets.empty() ? std::ssize(options.d) * std::ssize(options.n)
                                                      : std::ssize(options.offsets));
    if (world.rank == 0)
        fmt::print("# {} processes, {}, {}: medians of {}\n", world.size, options.mesh ? "meshes" : "tori",
                   options.graphs ? "three graphs on each communicator" : options.collective + " of one int",
                   options.repeats);
    if (options.graphs) {
        if (world.rank == 0) {
            print_explanations(graphs_columns);
            print_names(graphs_columns);
        }
        for (const int d : options.d) {
            const std::vector<int> dims = parse_grid(options.grid, d, world.size, mistake);
            for (const int n : options.n) {
                const Exchange exchange = make_exchange(world.comm, dims, !options.mesh,
                                                        fmt::format("box:{}", n), mistake);
                const auto mpi = make_graphs(world, options,
                                             [&](MPI_Comm base) { return mpi_comm(base, exchange); });
                const auto ours = make_graphs(world, options,
                                              [&](MPI_Comm base) { return ortho_comm(base, exchange); });
                if (world.rank != 0) continue;
                progress.hide();
                print_row(graphs_columns, "", d, n, exchange.stencil_size(), us(mpi[0]), us(mpi[2]),
                          us(ours[0]), us(ours[1]), us(ours[2]), fixed(ours[1] / ours[0], 2),
                          fixed(ours[2] / ours[0], 2));
                progress.at(++done);
            }
        }
    } else if (options.offsets.empty()) {
        if (world.rank == 0) {
            print_explanations(setup_columns);
            print_names(setup_columns);
        }
        for (const int d : options.d) {
            const std::vector<int> dims = parse_grid(options.grid, d, world.size, mistake);
            for (const int n : options.n) {
                const Exchange exchange = make_exchange(world.comm, dims, !options.mesh,
                                                        fmt::format("box:{}", n), mistake);
                const Result result = measure_setup(world, exchange, options, false);
                right &= result.ours_right;
                if (world.rank != 0) continue;
                progress.hide();
                const SetupTimes& mpi = result.mpi;
                const SetupTimes& ours = result.ours;
                double most = 0;
                for (std::size_t calls = 1; calls <= calls_in_all; ++calls)
                    most = std::max(most, ours.up_to(calls) / mpi.up_to(calls));
                print_row(setup_columns,
                          fmt::format("{}{}", result.mpi_right ? "" : "  WRONG RESULTS: MPI",
                                      result.ours_right ? "" : "  WRONG RESULTS: mpiortho"),
                          d, n, exchange.stencil_size(), us(mpi.create), us(ours.create), us(mpi.first()),
                          us(ours.first()), us(ours.slowest()), us(mpi.last()), us(ours.last()),
                          fixed(ours.up_to(1) / mpi.up_to(1), 2), fixed(most, 2));
                progress.at(++done);
            }
        }
    } else {
        if (world.rank == 0) {
            print_explanations(growth_columns);
            print_names(growth_columns);
        }
        const std::vector<int> dims = parse_grid(options.grid, 3, world.size, mistake);
        for (const int count : options.offsets) {
            const Exchange exchange = make_exchange(world.comm, dims, !options.mesh, random_offsets(count));
            const Result result = measure_setup(world, exchange, options, true);
            right &= result.ours_right;
            if (world.rank != 0) continue;
            progress.hide();
            const SetupTimes& ours = result.ours;
            print_row(growth_columns, result.ours_right ? "" : "  WRONG RESULTS: mpiortho", count,
                      fixed(ours.create, 6), fixed(ours.slowest(), 6),
                      fixed(1e6 * (ours.create + ours.slowest()) / count, 6), fixed(ours.last(), 6));
            progress.at(++done);
        }
    }
    return right ? "" : "wrong results, see above";
}

} // namespace bench
