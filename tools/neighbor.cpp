// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>

#include "csv_file.hpp"
#include "neighbor_calls.hpp"
#include "samples.hpp"
#include "statistics.hpp"
#include "stencils.hpp"

namespace bench {

namespace {

/// What the table and the CSV file say, on rank 0.
class Report {
public:
    Report(const NeighborOptions& options, const Exchange& exchange, int processes)
        : setting_(fmt::format("{},{},{},{},{}", options.collective, fmt::join(exchange.dims, "x"),
                               options.mesh ? "mesh" : "torus", quoted(options.stencil), processes)),
          csv_(options.csv,
               "kind,collective,grid,topology,stencil,processes,block_bytes,library,form,algorithm,"
               "sample,batch,microseconds,ratio_to_mpi_same_form,ratio_to_mpi_blocking,right")
    {
        fmt::print("# {}\n# {} processes on a {} {}, stencil {} with {} offsets, {}, {} samples\n",
                   mpi_name(), processes, options.mesh ? "mesh" : "torus", fmt::join(exchange.dims, "x"),
                   options.stencil, exchange.stencil_size(), options.collective, options.samples);
    }
    bool is_open() const { return csv_.is_open(); }

    void add(int bytes, int batch, const std::vector<Contestant>& contestants,
             const std::vector<Series>& series)
    {
        std::map<std::string, double> mpi; // medians by form
        for (std::size_t i = 0; i < contestants.size(); ++i)
            if (contestants[i].library == "MPI") mpi[contestants[i].form] = median(series[i].seconds);
        fmt::print("\n{} bytes a block, {} calls a sample\n{:<9} {:<12} {:<20} {:>10} {:>9} {:>9} {:>9}\n",
                   bytes, batch, "library", "form", "algorithm", "median us", "best us", "/same",
                   "/blocking");
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const Contestant& c = contestants[i];
            const double middle = median(series[i].seconds);
            const std::string same = mpi.contains(c.form) ? fmt::format("{:.2f}", middle / mpi[c.form]) : "";
            const std::string blocking = fmt::format("{:.2f}", middle / mpi["blocking"]);
            fmt::print("{:<9} {:<12} {:<20} {:>10.2f} {:>9.2f} {:>9} {:>9}{}\n", c.library, c.form,
                       c.algorithm, 1e6 * middle, 1e6 * *std::ranges::min_element(series[i].seconds), same,
                       blocking, series[i].wrong > 0 ? "  WRONG RESULTS" : "");
            const std::string who = fmt::format("{},{},{},{},{}", setting_, bytes, c.library, c.form,
                                                c.algorithm);
            for (std::size_t k = 0; k < series[i].seconds.size(); ++k)
                csv_.print("sample,{},{},{},{:.4f},,,\n", who, k, batch, 1e6 * series[i].seconds[k]);
            csv_.print("median,{},,{},{:.4f},{},{},{}\n", who, batch, 1e6 * middle, same, blocking,
                       series[i].wrong > 0 ? "no" : "yes");
        }
    }

private:
    /// Commas and semicolons are in some stencils.
    static std::string quoted(const std::string& text) { return '"' + text + '"'; }

    std::string setting_;
    CsvFile csv_;
};

} // namespace

std::string run_neighbor(const NeighborOptions& options)
{
    const World world;
    std::string mistake;
    const std::vector<int> dims = parse_grid(options.grid, options.dimensions, world.size, mistake);
    if (!mistake.empty()) return mistake;
    const Exchange exchange = make_exchange(world.comm, dims, !options.mesh, options.stencil, mistake);
    if (!mistake.empty()) return mistake;

    std::unique_ptr<Report> report;
    if (world.rank == 0) report = std::make_unique<Report>(options, exchange, world.size);
    mistake = csv_mistake(world, options.csv, !report || report->is_open());
    if (!mistake.empty()) return mistake;

    MPI_Comm native = mpi_comm(world.comm, exchange);
    std::vector<MPI_Comm> ours;
    for (const std::string& algorithm : options.algorithms)
        ours.push_back(ortho_comm(world.comm, exchange, algorithm, options.forward));
    const bool personal = options.collective.starts_with("alltoall");
    int wrong = 0;
    for (const int bytes : options.bytes) {
        Data data(exchange, world.rank, personal, bytes / 4);
        const Family calls = family(options.collective, &data);
        Requests requests;
        std::vector<Contestant> contestants;
        add_mpi(contestants, calls.mpi, native, requests);
        for (std::size_t i = 0; i < ours.size(); ++i)
            add_ours(contestants, calls.ours, ours[i], options.algorithms[i], requests);
        for (const Contestant& contestant : contestants) contestant.call(); // plans, and warms up
        const int batch = batch_for(world.comm, contestants[0].call, options.batch_ms / 1000);
        for (Contestant& contestant : contestants) contestant.batch = batch;
        const std::vector<Series> series = take_samples(
            world.comm, contestants,
            {[&](int sample) { data.prepare(sample); }, [&](int sample) { return data.is_right(sample); }},
            options.samples);
        wrong += wrong_of_ours(contestants, series);
        if (report) report->add(bytes, batch, contestants, series);
    }
    for (MPI_Comm& comm : ours) MPI_Comm_free(&comm);
    MPI_Comm_free(&native);
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
