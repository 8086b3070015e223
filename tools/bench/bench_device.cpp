// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_device.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <memory>

#include "base/index.hpp"
#include "bench/comparison_table.hpp"
#include "bench/device_fields.hpp"
#include "bench/ghost_fields.hpp"
#include "bench/halo_calls.hpp"
#include "csv_file.hpp"
#include "neighbor_calls.hpp"
#include "progress.hpp"
#include "size_text.hpp"

namespace bench {

namespace {

constexpr auto packing_columns = std::to_array<Column>({
    {"bytes", 8, "on the device, in runs with gaps as long as the runs"},
    {"run", 6, "bytes of a run"},
    {"kernel GB/s", 11, "by one launch into a row on the device"},
    {"copy GB/s", 11, "the driver's copy on the device of as many bytes without gaps"},
    {"copy/kernel", 11, "time of the driver's copy / time of the launch"},
});

/// Each process measures, and rank 0 prints its own.
void print_packing(const World& world)
{
    constexpr std::size_t most = 64UL << 20;
    if (world.rank == 0) {
        fmt::print("# packing, by rank 0: the median of 20 times\n");
        print_explanations(packing_columns);
        print_names(packing_columns);
    }
    for (std::size_t bytes = 1UL << 16; bytes <= most; bytes *= 4)
        for (const std::size_t run : {std::size_t{8}, std::size_t{1024}}) {
            const PackingTimes times = time_packing(bytes, run, 20);
            if (world.rank != 0) continue;
            const auto rate = [&](double seconds) {
                return fixed(static_cast<double>(bytes) / seconds / 1e9, 2);
            };
            print_row(packing_columns, "", tools::size_text(static_cast<std::int64_t>(bytes)), run,
                      rate(times.kernel), rate(times.copy), fixed(times.copy / times.kernel, 2));
        }
}

constexpr auto device_columns = std::to_array<Column>({
    {"fields", 6, "arrays that travel together"},
    {"side", 5, "owned elements (doubles) of an array in each dimension"},
    {"depth", 5, "layers of ghosts"},
    {"copies us", 10,
     "microseconds by hand: a copy of the driver's and a message for each field and neighbor"},
    {"kernels us", 10, "microseconds by hand: a launch and a message for each field and neighbor"},
    {"ours us", 10, "microseconds of mpiortho's halo exchange"},
    {"copies/ours", 22, "by hand with copies / mpiortho's: above 1 mpiortho is faster"},
    {"kernels/ours", 22, "by hand with launches / mpiortho's"},
});

/// The lines, and the CSV file.  Only rank 0 has it.
class DeviceTable {
public:
    DeviceTable(const DeviceOptions& options, int processes, const std::string& grid)
        : grid_(grid),
          csv_(options.cells.csv,
               "fields,side,depth,grid,library,form,algorithm,run,sample,batch,microseconds,right"),
          progress_("cell",
                    std::ssize(options.fields) * std::ssize(options.depths) * std::ssize(options.sides))
    {
        print_heading(processes,
                      fmt::format("{} {}; ghosts of cubes of doubles on devices, 26 neighbors",
                                  options.cells.mesh ? "mesh" : "torus", grid),
                      "their time / ours", options.cells.runs, device_columns);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(const Ghosts& ghosts, const std::vector<Contestant>& contestants, const Runs& runs)
    {
        progress_.hide();
        write_samples(csv_, fmt::format("{},{},{},{}", ghosts.fields(), ghosts.side(), ghosts.depth(), grid_),
                      contestants, runs);
        csv_.flush();
        const std::vector<std::vector<double>> medians = medians_of(runs);
        const auto microseconds = [&](std::size_t i) { return fixed(1e6 * median(medians[i]), 1); };
        const auto ratio = [&](std::size_t i) {
            return ratio_text(estimate_median(ratios(medians[i], medians[0])));
        };
        print_row(device_columns, wrong_contestants(contestants, runs), ghosts.fields(), ghosts.side(),
                  ghosts.depth(), microseconds(1), microseconds(2), microseconds(0), ratio(1), ratio(2));
        progress_.at(++done_);
    }

private:
    std::string grid_;
    CsvFile csv_;
    Progress progress_;
    int done_ = 0;
};

/// Returns the number of wrong samples of ours.
int measure_cell(MPI_Comm base, const Exchange& exchange, MPI_Comm comm, Ghosts& ghosts,
                 const CellOptions& options, DeviceTable* table)
{
    DeviceGhosts fields(ghosts);
    const auto copies = by_copies(exchange, ghosts, fields, comm);
    const auto kernels = by_kernels(exchange, ghosts, fields, comm);
    std::vector<void*> bases;
    for (int f = 0; f < ghosts.fields(); ++f) bases.push_back(fields.field(f));
    ORTHO_Request request = halo(ghosts, comm, MPI_INFO_NULL, bases);
    std::vector<Contestant> contestants = {
        started(request, "auto"),
        {"by hand", "copies", "", [&] { copies->exchange(); }},
        {"by hand", "kernels", "", [&] { kernels->exchange(); }},
    };
    const Runs runs = measure(
        base, contestants,
        {[&](int sample) { fields.prepare(sample); }, [&](int sample) { return fields.is_right(sample); }},
        options);
    if (table != nullptr) table->add(ghosts, contestants, runs);
    ORTHO_Request_free(&request);
    return wrong_of_ours(contestants, runs);
}

} // namespace

std::string run_device(const DeviceOptions& options)
{
    const World world;
    std::string mistake = take_device(world.comm);
    if (!mistake.empty()) return mistake;
    const Exchange exchange = ghost_exchange(world, options.cells.grid, options.cells.mesh, options.sides,
                                             options.depths, mistake);
    if (!mistake.empty()) return mistake;

    print_packing(world);
    std::unique_ptr<DeviceTable> table;
    if (world.rank == 0)
        table = std::make_unique<DeviceTable>(options, world.size,
                                              fmt::format("{}", fmt::join(exchange.dims, "x")));
    mistake = csv_mistake(world, options.cells.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    MPI_Comm comm = ortho_comm(world.comm, exchange, "auto", true);
    for (const int fields : options.fields)
        for (const int depth : options.depths)
            for (const int side : options.sides) {
                Ghosts ghosts(exchange, world.rank, fields, side, depth, false);
                wrong += measure_cell(world.comm, exchange, comm, ghosts, options.cells, table.get());
            }
    MPI_Comm_free(&comm);
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
