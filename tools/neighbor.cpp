// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

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
        : options_(options), setting_(fmt::format("{},{},{},{},{}", options.collective, fmt::join(exchange.dims, "x"),
                                                  options.mesh ? "mesh" : "torus", quoted(options.stencil), processes))
    {
        fmt::print("# {}\n# {} processes on a {} {}, stencil {} with {} offsets, {}, {} samples\n", mpi_name(), processes,
                   options.mesh ? "mesh" : "torus", fmt::join(exchange.dims, "x"), options.stencil,
                   exchange.stencil_size(), options.collective, options.samples);
        if (options.csv.empty()) return;
        file_ = std::fopen(options.csv.c_str(), "w");
        if (file_ != nullptr)
            fmt::print(file_, "kind,collective,grid,topology,stencil,processes,block_bytes,library,form,algorithm,"
                              "sample,batch,microseconds,ratio_to_mpi_same_form,ratio_to_mpi_blocking,right\n");
    }
    ~Report()
    {
        if (file_ != nullptr) std::fclose(file_);
    }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    bool is_open() const { return options_.csv.empty() || file_ != nullptr; }

    void add(int bytes, int batch, const std::vector<Contestant>& contestants, const std::vector<Series>& series)
    {
        std::map<std::string, double> mpi; // medians by form
        for (std::size_t i = 0; i < contestants.size(); ++i)
            if (contestants[i].library == "MPI") mpi[contestants[i].form] = median(series[i].seconds);
        fmt::print("\n{} bytes a block, {} calls a sample\n{:<9} {:<12} {:<20} {:>10} {:>9} {:>9} {:>9}\n", bytes, batch,
                   "library", "form", "algorithm", "median us", "best us", "/same", "/blocking");
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            const Contestant& c = contestants[i];
            const double middle = median(series[i].seconds);
            const std::string same = mpi.contains(c.form) ? fmt::format("{:.2f}", middle / mpi[c.form]) : "";
            const std::string blocking = fmt::format("{:.2f}", middle / mpi["blocking"]);
            fmt::print("{:<9} {:<12} {:<20} {:>10.2f} {:>9.2f} {:>9} {:>9}{}\n", c.library, c.form, c.algorithm,
                       1e6 * middle, 1e6 * *std::ranges::min_element(series[i].seconds), same, blocking,
                       series[i].wrong > 0 ? "  WRONG RESULTS" : "");
            if (file_ == nullptr) continue;
            const std::string who =
                fmt::format("{},{},{},{},{}", setting_, bytes, c.library, c.form, c.algorithm);
            for (std::size_t k = 0; k < series[i].seconds.size(); ++k)
                fmt::print(file_, "sample,{},{},{},{:.4f},,,\n", who, k, batch, 1e6 * series[i].seconds[k]);
            fmt::print(file_, "median,{},,{},{:.4f},{},{},{}\n", who, batch, 1e6 * middle, same, blocking,
                       series[i].wrong > 0 ? "no" : "yes");
        }
    }

private:
    /// Commas and semicolons are in some stencils.
    static std::string quoted(const std::string& text) { return '"' + text + '"'; }

    const NeighborOptions& options_;
    std::string setting_;
    std::FILE* file_ = nullptr;
};

} // namespace

std::string run_neighbor(const NeighborOptions& options)
{
    int rank = 0;
    int processes = 0;
    MPI_Comm base = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_rank(base, &rank);
    MPI_Comm_size(base, &processes);
    std::string mistake;
    const std::vector<int> dims = parse_grid(options.grid, options.dimensions, processes, mistake);
    if (!mistake.empty()) return mistake;
    const Exchange exchange = make_exchange(base, dims, !options.mesh, options.stencil, mistake);
    if (!mistake.empty()) return mistake;

    std::unique_ptr<Report> report;
    int open = 1;
    if (rank == 0) {
        report = std::make_unique<Report>(options, exchange, processes);
        open = report->is_open() ? 1 : 0;
    }
    MPI_Bcast(&open, 1, MPI_INT, 0, base);
    if (open == 0) return fmt::format("--csv {} cannot be written", options.csv);

    MPI_Comm native = mpi_comm(base, exchange);
    std::vector<MPI_Comm> ours;
    for (const std::string& algorithm : options.algorithms)
        ours.push_back(ortho_comm(base, exchange, algorithm, options.forward));
    const bool personal = options.collective.starts_with("alltoall");
    int wrong = 0;
    for (const int bytes : options.bytes) {
        Data data(exchange, rank, personal, bytes / 4);
        const Family calls = family(options.collective, &data);
        Requests requests;
        std::vector<Contestant> contestants;
        add_mpi(contestants, calls.mpi, native, requests);
        for (std::size_t i = 0; i < ours.size(); ++i)
            add_ours(contestants, calls.ours, ours[i], options.algorithms[i], requests);
        for (const Contestant& contestant : contestants) contestant.call(); // plans, and warms up
        const int batch = batch_for(base, contestants[0].call, options.batch_ms / 1000);
        for (Contestant& contestant : contestants) contestant.batch = batch;
        const std::vector<Series> series =
            take_samples(base, contestants,
                         {[&](int sample) { data.prepare(sample); }, [&](int sample) { return data.is_right(sample); }},
                         options.samples);
        for (std::size_t i = 0; i < contestants.size(); ++i)
            if (contestants[i].library == "mpiortho") wrong += series[i].wrong;
        if (report) report->add(bytes, batch, contestants, series);
    }
    for (MPI_Comm& comm : ours) MPI_Comm_free(&comm);
    MPI_Comm_free(&native);
    MPI_Comm_free(&base);
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
