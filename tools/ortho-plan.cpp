// SPDX-License-Identifier: BSD-3-Clause
// ortho-plan: schedules and predictions of any number of processes, without MPI.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "plan/counts.hpp"
#include "plan/predict.hpp"
#include "plan/schedule.hpp"

namespace {

constexpr const char* specification_help =
    "COLLECTIVE:GRID:STENCIL:SIZE, as in 'alltoall:torus 4x4:moore 1:1KiB' (see ortho-plan(1))";

void add_machine(CLI::App* command, plan::MachineOptions& machine)
{
    command->add_option("--nodes", machine.nodes, "NxP: N nodes of P processes, or P,P,...: nodes of so many; many nodes if it is not given");
    command->add_option("--tune", machine.tune, "a file that describes the machine, as ORTHO_TUNE does");
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Shows what the library's planner knows: counts, schedules, predicted times. Needs no MPI.",
                 "ortho-plan");
    app.set_version_flag("--version", app.get_name() + ", mpiortho " PACKAGE_VERSION);
    app.require_subcommand(1);

    std::vector<int> dimensions{2, 3, 4, 5};
    std::vector<int> widths{3, 4, 5};
    CLI::App* const counts = app.add_subcommand("counts", "messages and blocks of combining, on stencils {-1..n-2}^d");
    counts->add_option("--d", dimensions, "numbers of dimensions")
        ->delimiter(',')
        ->check(CLI::Range(1, 20))
        ->capture_default_str();
    counts->add_option("--n", widths, "widths of the stencil")
        ->delimiter(',')
        ->check(CLI::Range(2, 1 << 16))
        ->capture_default_str();

    plan::ScheduleOptions of_schedule;
    CLI::App* const schedule = app.add_subcommand("schedule", "what a process does, in words and as a picture");
    schedule->add_option("specification", of_schedule.specification, specification_help)->required();
    schedule->add_option("--algorithm", of_schedule.algorithm, "another than the planner's choice");
    schedule->add_option("--rank", of_schedule.rank, "the process; one in the middle if it is not given");
    schedule->add_option("--svg", of_schedule.svg, "write a picture to this file");
    add_machine(schedule, of_schedule.machine);

    plan::PredictOptions of_predict;
    CLI::App* const predict = app.add_subcommand("predict", "every algorithm's predicted time, and the choice");
    predict->add_option("specification", of_predict.specification, specification_help)->required();
    predict->add_option("--svg", of_predict.svg, "write a picture of times over block sizes to this file");
    add_machine(predict, of_predict.machine);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        std::fprintf(stderr, "ortho-plan: %s (try --help)\n", error.what());
        return 1;
    }
    try {
        if (*counts) plan::print_counts(dimensions, widths);
        if (*schedule) plan::print_schedule(of_schedule);
        if (*predict) plan::print_prediction(of_predict);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ortho-plan: %s\n", error.what());
        return 1;
    }
    return 0;
}
