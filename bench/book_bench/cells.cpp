// SPDX-License-Identifier: BSD-3-Clause
// Tables of cells on box stencils.
#include "book_bench/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "bench/comparison_table.hpp"
#include "bench/table_columns.hpp"
#include "csv_file.hpp"
#include "progress.hpp"

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

/// The comparison of the contestants.  Library "MPI" has its forms, and as form "control" its blocking call
/// once more; "mpiortho" has the algorithms "auto" and "direct".  With ratios above 1 ours is faster.
struct Comparison {
    std::size_t best = 0; ///< MPI's form with the least median
    double mpi_seconds = 0;
    double our_seconds = 0;
    Estimate speedup; ///< best of MPI's / auto
    Estimate direct;  ///< best of MPI's / direct
    Estimate control; ///< MPI's blocking call / MPI's blocking call once more
};
Comparison compare(const std::vector<Contestant>& contestants, const Runs& runs);

Comparison compare(const std::vector<Contestant>& contestants, const Runs& runs)
{
    const std::vector<std::vector<double>> medians = medians_of(runs);
    const auto medians_for = [&](const char* library, const char* word) {
        return medians[place_of(contestants, library, word)];
    };
    Comparison result;
    result.best = best_of_mpi(contestants, medians);
    const std::vector<double>& best = medians[result.best];
    const std::vector<double> automatic = medians_for("mpiortho", "auto");
    result.mpi_seconds = median(best);
    result.our_seconds = median(automatic);
    result.speedup = estimate_median(ratios(best, automatic));
    result.direct = estimate_median(ratios(best, medians_for("mpiortho", "direct")));
    result.control = estimate_median(ratios(medians_for("MPI", "blocking"), medians_for("MPI", "control")));
    return result;
}

/// One problem.
struct Cell {
    std::string collective;
    std::vector<int> dims; ///< of the grid
    int n = 0;
    int t = 0; ///< offsets
    int m = 0;
};

/// The table, and the CSV file.  Only rank 0 has it.
class CellTable {
public:
    /// `cells` is the number of cells to come.
    CellTable(const BoxOptions& options, int processes, const std::string& about, std::size_t cells);
    bool is_open() const { return csv_.is_open(); }
    void add(const Cell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
             const std::string& chosen);
    void end() const;

private:
    void write(const Cell& cell, const std::vector<Contestant>& contestants, const Runs& runs,
               const Comparison& result, const std::string& chosen);

    const BoxOptions& options_;
    int processes_;
    CsvFile csv_;
    std::vector<Comparison> results_;
    Progress progress_;
};

CellTable::CellTable(const BoxOptions& options, int processes, const std::string& about, std::size_t cells)
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

} // namespace

std::string run_cells(const BoxOptions& options, const std::vector<std::string>& collectives,
                      const std::string& about, const MeasureStencil& measure_stencil)
{
    const World world;
    std::string mistake = grid_mistake(options.grid, options.d, world.size);
    if (!mistake.empty()) return mistake;
    mistake = elements_mistake(std::pow(std::ranges::max(options.n), std::ranges::max(options.d)) *
                               std::ranges::max(options.m));
    if (!mistake.empty()) return mistake;

    std::unique_ptr<CellTable> table;
    if (world.rank == 0)
        table = std::make_unique<CellTable>(options, world.size, about,
                                            collectives.size() * options.d.size() * options.n.size() *
                                                options.m.size());
    mistake = csv_mistake(world, options.csv, !table || table->is_open());
    if (!mistake.empty()) return mistake;

    int wrong = 0;
    for (const std::string& collective : collectives) {
        for (const int d : options.d) {
            const std::vector<int> dims = parse_grid(options.grid, d, world.size, mistake);
            for (const int n : options.n) {
                const Exchange exchange = make_exchange(world.comm, dims, !options.mesh,
                                                        fmt::format("box:{}", n), mistake);
                measure_stencil(
                    world, collective, exchange,
                    [&](int m, auto& contestants, const auto& surroundings, const std::string& chosen) {
                        const Runs runs = measure(world.comm, contestants, surroundings, options);
                        wrong += wrong_of_ours(contestants, runs);
                        if (table)
                            table->add({collective, dims, n, exchange.stencil_size(), m}, contestants, runs,
                                       chosen);
                    });
            }
        }
    }
    if (table) table->end();
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
