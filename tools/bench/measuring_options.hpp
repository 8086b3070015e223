// SPDX-License-Identifier: BSD-3-Clause
// Options that several measurements have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/array.hpp"
#include "bench/comparisons.hpp"

namespace bench {

/// The options of all tables.
inline void add_table_options(CLI::App& command, CellOptions& cells)
{
    command.add_option("--runs", cells.runs, "each gives a median")
        ->check(CLI::Range(fewest_runs, 10'000))
        ->capture_default_str();
    command.add_option("--budget-s", cells.budget_s, "about how long a cell may take, in seconds")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
}

/// The options of all measurements.
template <class Options>
void add_sample_options(CLI::App& command, Options& options)
{
    command.add_option("--samples", options.samples, "of each contestant, in each run")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command.add_option("--batch-ms", options.batch_ms, "about how long a sample takes, in milliseconds")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command.add_option("--csv", options.csv, "write all samples and results to this file");
}

/// The options of all measurements on grids.
template <class Options>
void add_measuring_options(CLI::App& command, Options& options)
{
    command.add_option("--grid", options.grid, "RxCx…; MPI_Dims_create's if it is not given");
    command.add_flag("--mesh", options.mesh, "a grid with borders; else a torus");
    add_sample_options(command, options);
}

/// A list of numbers.
inline void add_numbers(CLI::App* command, const char* name, std::vector<int>& numbers, int most,
                        const char* what)
{
    command->add_option(name, numbers, what)
        ->delimiter(',')
        ->check(CLI::Range(1, most))
        ->capture_default_str();
}

/// The option for the memory of arrays.
inline void add_memory(CLI::App* command, std::string& memory)
{
    command->add_option("--memory", memory, "of the arrays: private, or shared: from ORTHO_Alloc_mem")
        ->check(CLI::IsMember({private_memory, shared_memory}))
        ->capture_default_str();
}

} // namespace bench
