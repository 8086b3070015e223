// SPDX-License-Identifier: BSD-3-Clause
#include "bench/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

/// The contestants with wrong results; one word for all forms of MPI's, if each had some.
std::string wrong_results(const std::vector<Contestant>& contestants, const Runs& runs)
{
    std::string mpi, ours;
    bool all_of_mpi = true;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        const Contestant& c = contestants[i];
        const bool wrong = is_wrong(runs, i);
        if (c.library == "MPI") all_of_mpi &= wrong;
        if (wrong) (c.library == "MPI" ? mpi : ours) += " " + (c.library == "MPI" ? c.form : c.algorithm);
    }
    if (all_of_mpi) mpi = " all";
    return (mpi.empty() ? "" : "  WRONG RESULTS: MPI" + mpi) +
           (ours.empty() ? "" : "  WRONG RESULTS: mpiortho" + ours);
}

constexpr auto cell_columns = std::to_array<Column>({
    {"call", -9, "the collective"},
    {"d", 1, "dimensions of the stencil {-1, ..., n-2}^d without 0"},
    {"n", 1, "its extent in each of them"},
    {"t", 4, "its offsets: n^d - 1 blocks of a process"},
    {"m", 5, "elements of a block"},
    {"MPI's best", -11, "the form of MPI's call that took least: blocking, nonblocking or persistent"},
    {"MPI us", 9, "microseconds of that, the median"},
    {"ours us", 9, "microseconds of mpiortho's blocking call, as the planner has it"},
    {"speed-up", 22, "MPI's best / ours: above 1 mpiortho is faster"},
    {"control", 22, "MPI's blocking call / the same once more: how far such ratios stray by themselves"},
    {"direct", 22, "MPI's best / mpiortho bound to one message for each partner"},
    {"chosen", -1, "the algorithm that the planner chose"},
});

} // namespace

void print_heading(int processes, const std::string& about, const std::string& ratio, int runs,
                   std::span<const Column> columns)
{
    if (runs == 1) { // in a simulated machine
        fmt::print("# {}\n# {} processes, {}\n# ratios: {}\n", mpi_name(), processes, about, ratio);
    } else {
        const Estimate all = estimate_median(std::vector<double>(static_cast<std::size_t>(runs)));
        fmt::print("# {}\n# {} processes, {}\n# ratios: {}, the median of {} runs; in brackets the order\n"
                   "# statistics that enclose the true median with probability {:.1f} %\n",
                   mpi_name(), processes, about, ratio, runs, 100 * all.coverage);
    }
    print_explanations(columns);
    print_names(columns);
    std::fflush(stdout);
}

std::string ratio_text(const Estimate& e)
{
    return fmt::format("{:6.2f} [{:5.2f},{:6.2f}]", e.median, e.low, e.high);
}

void write_samples(CsvFile& csv, const std::string& before, const std::vector<Contestant>& contestants,
                   const Runs& runs, const char* between)
{
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        const Contestant& c = contestants[i];
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const Series& series = runs[run][i];
            for (std::size_t k = 0; k < series.seconds.size(); ++k)
                csv.print("{},{},{},{},{},{},{},{:.4f}{},{}\n", before, c.library, c.form, c.algorithm, run,
                          k, c.batch, 1e6 * series.seconds[k], between, series.wrong > 0 ? "no" : "yes");
        }
    }
}

bool is_wrong(const Runs& runs, std::size_t contestant)
{
    return std::ranges::any_of(runs, [&](const auto& run) { return run[contestant].wrong > 0; });
}

std::string wrong_contestants(const std::vector<Contestant>& contestants, const Runs& runs,
                              std::string Contestant::*word)
{
    std::string result;
    for (std::size_t i = 0; i < contestants.size(); ++i)
        if (is_wrong(runs, i))
            result += fmt::format("  WRONG RESULTS: {} {}", contestants[i].library, contestants[i].*word);
    return result;
}

CellTable::CellTable(const CellOptions& options, int processes, const std::string& about, std::size_t cells)
    : options_(options),
      processes_(processes),
      csv_(options.csv,
           "kind,collective,d,n,t,m,grid,topology,processes,library,form,algorithm,run,sample,batch,"
           "microseconds,ratio,low,high,right"),
      progress_("cell", static_cast<long long>(cells))
{
    print_heading(processes, fmt::format("{}; {}", options.mesh ? "meshes" : "tori", about),
                  "MPI's time / ours (control: MPI's / MPI's)", options.runs, cell_columns);
}

void CellTable::add(const Cell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
                    const std::string& chosen)
{
    progress_.hide();
    const Comparison result = compare(contestants, runs);
    std::string notes = wrong_results(contestants, runs);
    const std::size_t samples = runs.back().front().seconds.size();
    if (static_cast<int>(runs.size()) < options_.runs || static_cast<int>(samples) < options_.samples)
        notes += fmt::format("  ({} runs of {})", runs.size(), samples);
    print_row(cell_columns, notes, cell.collective, cell.dims.size(), cell.n, cell.t, cell.m,
              contestants[result.best].form, fixed(1e6 * result.mpi_seconds, 2),
              fixed(1e6 * result.our_seconds, 2), ratio_text(result.speedup), ratio_text(result.control),
              ratio_text(result.direct), chosen);
    results_.push_back(result);
    write(cell, contestants, runs, result, chosen);
    progress_.at(std::ssize(results_));
}

void CellTable::write(const Cell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
                      const Comparison& result, const std::string& chosen)
{
    const std::string setting = fmt::format("{},{},{},{},{},{},{},{}", cell.collective, cell.dims.size(),
                                            cell.n, cell.t, cell.m, fmt::join(cell.dims, "x"),
                                            options_.mesh ? "mesh" : "torus", processes_);
    write_samples(csv_, "sample," + setting, contestants, runs, ",,,");
    const auto ratio = [&](const char* kind, const std::string& algorithm, const Estimate& e) {
        csv_.print("{},{},MPI,{},{},,,,,{:.4f},{:.4f},{:.4f},\n", kind, setting,
                   contestants[result.best].form, algorithm, e.median, e.low, e.high);
    };
    ratio("speedup", chosen, result.speedup);
    ratio("direct", "direct", result.direct);
    ratio("control", "", result.control);
    csv_.flush();
}

void CellTable::end() const
{
    std::vector<double> speedups, directs, controls;
    int slower = 0, faster = 0, uneven = 0;
    for (const Comparison& result : results_) {
        speedups.push_back(result.speedup.median);
        directs.push_back(result.direct.median);
        controls.push_back(result.control.median);
        slower += result.speedup.high < 0.95 ? 1 : 0;
        faster += result.speedup.low > 1.05 ? 1 : 0;
        uneven += result.control.high < 0.95 || result.control.low > 1.05 ? 1 : 0;
    }
    fmt::print("# {} cells.  Geometric means: speed-up {:.3f}, control {:.3f}, direct {:.3f}\n",
               results_.size(), geometric_mean(speedups), geometric_mean(controls), geometric_mean(directs));
    fmt::print("# speed-up wholly below 0.95 in {} cells, wholly above 1.05 in {}; the control wholly "
               "outside in {}\n",
               slower, faster, uneven);
}

} // namespace bench
