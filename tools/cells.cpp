// SPDX-License-Identifier: BSD-3-Clause
#include "cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "cell_table.hpp"

namespace bench {

namespace {

/// What the budget leaves of a cell.
struct Plan {
    int runs;
    int samples;
    double seconds; ///< of a sample
};

/// `calls`: how long one call of each contestant takes.  The same on all processes, if these are.
Plan plan_within(const CellOptions& options, const std::vector<double>& calls)
{
    Plan plan{options.runs, options.samples, options.batch_ms / 1000};
    const auto round = [&] { // one sample of each
        double sum = 0;
        for (const double call : calls) sum += std::max(call, plan.seconds);
        return sum;
    };
    double shortest = 0;
    for (const double call : calls) shortest += call;
    const double rounds = static_cast<double>(plan.runs) * plan.samples;
    if (rounds * round() > options.budget_s) {
        // Batches that take as long as one call of those that are slow cost nothing much.
        plan.seconds = std::max(0.0, options.budget_s / rounds - shortest) / static_cast<double>(calls.size());
    }
    if (rounds * round() > options.budget_s)
        plan.samples = std::clamp(static_cast<int>(options.budget_s / (plan.runs * round())), 1, plan.samples);
    if (plan.runs * plan.samples * round() > options.budget_s)
        plan.runs = std::clamp(static_cast<int>(options.budget_s / (plan.samples * round())), std::min(5, plan.runs), plan.runs);
    return plan;
}

int batch_of(double sample_seconds, double call_seconds)
{
    return static_cast<int>(std::clamp(std::round(sample_seconds / std::max(call_seconds, 1e-9)), 1.0, 1e6));
}

} // namespace

Runs measure(MPI_Comm comm, std::vector<Contestant>& contestants, const Surroundings& surroundings,
             const CellOptions& options)
{
    std::vector<double> calls;
    surroundings.prepare(0);
    for (const Contestant& contestant : contestants) {
        contestant.call(); // plans, and warms up
        const double alone = time_batch(comm, contestant.call, 1);
        // One call after a barrier says little of short ones.
        calls.push_back(time_batch(comm, contestant.call, batch_of(options.batch_ms / 1000 / 4, alone)));
    }
    const Plan plan = plan_within(options, calls);
    for (std::size_t i = 0; i < contestants.size(); ++i) contestants[i].batch = batch_of(plan.seconds, calls[i]);
    // Calls alone say little of how long they take in turn on a busy machine: rank 0's clock says the rest.
    const double begin = MPI_Wtime();
    int samples = plan.samples;
    int done = 0;
    Runs runs;
    while (static_cast<int>(runs.size()) < plan.runs) {
        runs.push_back(take_samples(comm, contestants, surroundings, samples, done));
        done += samples;
        double spent = MPI_Wtime() - begin;
        MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, comm);
        const int left = plan.runs - static_cast<int>(runs.size());
        if (left == 0 || spent * plan.runs / static_cast<double>(runs.size()) <= options.budget_s) continue;
        if (spent > options.budget_s && runs.size() >= 5) break;
        samples = std::clamp(static_cast<int>((options.budget_s - spent) / left / (spent / done)), 1, samples);
    }
    return runs;
}

Comparison compare(const std::vector<Contestant>& contestants, const Runs& runs)
{
    std::vector<std::vector<double>> medians(contestants.size());
    for (const std::vector<Series>& run : runs)
        for (std::size_t i = 0; i < contestants.size(); ++i) medians[i].push_back(median(run[i].seconds));

    Comparison result;
    std::size_t blocking = 0, control = 0, automatic = 0, direct = 0;
    double best = 0;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        const Contestant& c = contestants[i];
        if (c.library != "MPI") {
            (c.algorithm == "auto" ? automatic : direct) = i;
            continue;
        }
        if (c.form == "control") {
            control = i;
            continue;
        }
        if (c.form == "blocking") blocking = i;
        const double seconds = median(medians[i]);
        if (best != 0 && seconds >= best) continue;
        best = seconds;
        result.best = i;
    }
    result.mpi_seconds = best;
    result.our_seconds = median(medians[automatic]);
    result.speedup = estimate_median(ratios(medians[result.best], medians[automatic]));
    result.direct = estimate_median(ratios(medians[result.best], medians[direct]));
    result.control = estimate_median(ratios(medians[blocking], medians[control]));
    return result;
}

std::string algorithm_of(ORTHO_Request request)
{
    char text[128] = "";
    ORTHO_Explain(request, text, sizeof text, nullptr);
    ORTHO_Request_free(&request);
    const std::string before = "mpiortho: ";
    const std::string explanation = text;
    if (!explanation.starts_with(before)) return "?";
    return explanation.substr(before.size(), explanation.find_first_of(" \n", before.size()) - before.size());
}

std::string run_cells(const CellOptions& options, const std::vector<std::string>& collectives, const std::string& about,
                      const MeasureStencil& measure_stencil)
{
    int rank = 0;
    int processes = 0;
    MPI_Comm base = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    MPI_Comm_rank(base, &rank);
    MPI_Comm_size(base, &processes);
    std::string mistake = grid_mistake(options.grid, options.d, processes);
    if (!mistake.empty()) return mistake;
    const double elements = std::pow(std::ranges::max(options.n), std::ranges::max(options.d)) * std::ranges::max(options.m);
    if (elements > std::numeric_limits<int>::max()) return "so many offsets and elements are more than MPI counts";

    std::unique_ptr<CellTable> table;
    int open = 1;
    if (rank == 0) {
        table = std::make_unique<CellTable>(options, processes, about);
        open = table->is_open() ? 1 : 0;
    }
    MPI_Bcast(&open, 1, MPI_INT, 0, base);
    if (open == 0) return fmt::format("--csv {} cannot be written", options.csv);

    int wrong = 0;
    for (const std::string& collective : collectives) {
        for (const int d : options.d) {
            const std::vector<int> dims = parse_grid(options.grid, d, processes, mistake);
            for (const int n : options.n) {
                const Exchange exchange = make_exchange(base, dims, !options.mesh, fmt::format("box:{}", n), mistake);
                measure_stencil(base, collective, exchange, [&](int m, auto& contestants, const auto& surroundings,
                                                                const std::string& chosen) {
                    const Runs runs = measure(base, contestants, surroundings, options);
                    for (const std::vector<Series>& run : runs)
                        for (std::size_t i = 0; i < contestants.size(); ++i)
                            if (contestants[i].library == "mpiortho") wrong += run[i].wrong;
                    if (table) table->add({collective, dims, n, exchange.stencil_size(), m}, contestants, runs, chosen);
                });
            }
        }
    }
    if (table) table->end();
    MPI_Comm_free(&base);
    return wrong == 0 ? "" : "wrong results, see above";
}

} // namespace bench
