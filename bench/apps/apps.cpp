// SPDX-License-Identifier: BSD-3-Clause
// Measures a step of whole programs, and the share of communication: with messages by hand, with MPI's
// neighborhood collectives, and with mpiortho, in turns in one run.  bench/apps/apps.sh makes the tables.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app.hpp"
#include "bench/statistics.hpp"
#include "program.hpp"
#include "timing_samples.hpp"
#ifdef ORTHO_SIMULATED
#include <simgrid/actor.h>
#endif

namespace apps {

namespace {

struct Options {
    std::vector<std::string> apps = {"cavity", "heat3d", "sparse"};
    std::vector<int> sides = {64, 32, 16};
    std::vector<double> compute_us; // in a simulated machine
    double batch_ms = 50;
    int rounds = 15;
};

/// The result of one round of one form.
struct Sample {
    double step_s = 0;        // the slowest process's
    double communication = 0; // share, the mean of all processes
};

/// Takes steps in a row.  In a simulated machine computing takes the given time.
Sample take(App& app, Form form, int steps, double compute_us)
{
    app.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    double exchange_s = 0;
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        const double before = MPI_Wtime();
        app.exchange(form);
        exchange_s += MPI_Wtime() - before;
        app.compute();
#ifdef ORTHO_SIMULATED
        sg_actor_sleep_for(1e-6 * compute_us);
#else
        static_cast<void>(compute_us);
#endif
    }
    const double mine[] = {MPI_Wtime() - begin, exchange_s};
    double slowest = 0;
    double share = mine[1] / mine[0];
    int processes = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Allreduce(mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return {slowest / steps, share / processes};
}

/// Are the two numbers equal on all processes?
bool agrees(double mine, double reference)
{
    int same = mine == reference ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return same == 1;
}

/// Returns whether all forms have the same results.
bool measure(const std::string& name, int side, double compute_us, const Options& options)
{
    const std::unique_ptr<App> app = name == "cavity"   ? make_cavity(MPI_COMM_WORLD, side)
                                     : name == "heat3d" ? make_heat(MPI_COMM_WORLD, side)
                                                        : make_sparse(MPI_COMM_WORLD, side);
    constexpr std::size_t forms = std::size(all_forms);
    bool is_right = true;
    double reference = 0;
    for (std::size_t f = 0; f < forms; ++f) { // preparations of a first call are not measured
        static_cast<void>(take(*app, all_forms[f], bench::simulated ? 1 : 5, compute_us));
        if (f == 0) reference = app->checksum();
        is_right = agrees(app->checksum(), reference) && is_right;
    }
    int steps = 2;
    int rounds = 1;
    if (!bench::simulated) {
        const Sample one = take(*app, Form::by_hand, 10, compute_us);
        double wanted = std::max(3.0, options.batch_ms / 1e3 / one.step_s);
        MPI_Bcast(&wanted, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        steps = static_cast<int>(std::min(wanted, 1e6));
        rounds = options.rounds;
    }
    std::vector<double> times[forms], shares[forms];
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < forms; ++i) { // a different one first each time
            const std::size_t f = (i + static_cast<std::size_t>(round)) % forms;
            const Sample sample = take(*app, all_forms[f], steps, compute_us);
            times[f].push_back(sample.step_s);
            shares[f].push_back(sample.communication);
        }
    int rank = 0;
    int processes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (rank != 0) return is_right;
    for (std::size_t f = 0; f < forms; ++f) {
        const bench::Estimate ratio = bench::estimate_median(bench::ratios(times[0], times[f]));
        std::printf("%-7s %4d %6d  %-9s %10.2f %6.1f   %5.2f [%5.2f, %5.2f]%s\n", name.c_str(), side,
                    processes, form_names[f], 1e6 * bench::median(times[f]), 100 * bench::median(shares[f]),
                    ratio.median, ratio.low, ratio.high, is_right ? "" : "  WRONG RESULTS");
    }
    std::fflush(stdout);
    return is_right;
}

bool run(const Options& options)
{
    int rank = 0;
    int processes = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (rank == 0)
        std::printf(
            "# %d processes: a step of a program, with messages by hand, by MPI's neighborhood collectives, "
            "and with mpiortho; %s\n"
            "app     side  procs  exchange     step us  comm %%   by hand / this\n",
            processes, bench::simulated ? "simulated" : "medians of rounds");
    for (std::size_t i = 0; i < options.compute_us.size() && rank == 0; ++i)
        std::printf("# Computing a step of %s takes %g us\n", options.apps[i].c_str(), options.compute_us[i]);
    bool is_right = true;
    for (std::size_t i = 0; i < options.apps.size(); ++i)
        is_right = measure(options.apps[i], options.sides[i],
                           options.compute_us.empty() ? 0 : options.compute_us[i], options) &&
                   is_right;
    return is_right;
}

} // namespace

} // namespace apps

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    apps::Options options;
    CommandLine line("Whole programs with three ways to exchange, under mpiexec", "apps");
    line.add_option("--app", options.apps, "cavity, heat3d, sparse")
        .list()
        .one_of({"cavity", "heat3d", "sparse"});
    line.add_option("--side", options.sides, "cells of a process in each dimension, for each program")
        .list()
        .positive();
    line.add_option("--compute-us", options.compute_us,
                    "what computing takes in a simulated machine, for each")
        .list()
        .not_negative();
    line.add_option("--rounds", options.rounds, "how often each form is measured").positive();
    line.add_option("--batch-ms", options.batch_ms, "about how long a round takes").positive();
    parse_or_end(line, argc, argv);
    const bool fits = options.sides.size() >= options.apps.size() &&
                      (options.compute_us.empty() || options.compute_us.size() == options.apps.size());
    end_if_failed(fits ? "" : "--side and --compute-us have a number for each --app", "apps", MPI_COMM_WORLD);
    const bool is_right = apps::run(options);
    MPI_Finalize();
    return is_right ? 0 : 1;
}
