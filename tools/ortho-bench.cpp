// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench: the library's calls and MPI's, side by side in one run.

#include <mpi.h>

#include <CLI/CLI.hpp>

#include "neighbor.hpp"
#include "program.hpp"
#include "tune.hpp"

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    CLI::App app("Times the library's calls and MPI's, side by side in one run.", "ortho-bench");
    app.require_subcommand(1);
    bench::NeighborOptions neighbor;
    CLI::App* const command = app.add_subcommand("neighbor", "exchanges with the neighbors on a grid");
    command->add_option("--collective", neighbor.collective, "which one")
        ->check(CLI::IsMember({"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"}))
        ->capture_default_str();
    command->add_option("--grid", neighbor.grid, "RxCx…; MPI_Dims_create's if it is not given");
    command->add_option("--dimensions", neighbor.dimensions, "of the grid, if that is not given")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    command->add_flag("--mesh", neighbor.mesh, "a grid with borders; else a torus");
    command->add_option("--stencil", neighbor.stencil, "moore:DEPTH, manhattan:DEPTH, or offsets:1,0;0,-1;…")
        ->capture_default_str();
    command->add_option("--bytes", neighbor.bytes, "sizes of blocks, multiples of 4")
        ->delimiter(',')
        ->check([](const std::string& text) {
            const int bytes = std::atoi(text.c_str());
            return bytes >= 4 && bytes % 4 == 0 ? "" : text + " is no positive multiple of 4";
        })
        ->capture_default_str();
    command->add_option("--algorithms", neighbor.algorithms, "ours, one contestant each: auto, alltoall_direct, …")
        ->delimiter(',')
        ->capture_default_str();
    command->add_option("--samples", neighbor.samples, "of each contestant")->check(CLI::Range(1, 1'000'000))->capture_default_str();
    command->add_option("--batch-ms", neighbor.batch_ms, "about how long a sample takes, in milliseconds")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_flag("--forward", neighbor.forward, "promise ortho_forward: blocks may travel in all forms");
    command->add_option("--csv", neighbor.csv, "write all samples, medians and ratios to this file");
    bench::TuneOptions tune;
    CLI::App* const tune_command = app.add_subcommand("tune", "measures the machine for the library's planner");
    tune_command->add_option("--out", tune.out, "the file; standard output if it is not given");
    parse_or_end(app, argc, argv);

    const std::string mistake = tune_command->parsed() ? bench::run_tune(tune) : bench::run_neighbor(neighbor);
    end_if_failed(mistake, "ortho-bench", MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
