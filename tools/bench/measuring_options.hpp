// SPDX-License-Identifier: BSD-3-Clause
// Options that several measurements have.
#pragma once

#include <string>
#include <vector>

#include "bench/array.hpp"
#include "bench/comparisons.hpp"
#include "command_line.hpp"

namespace bench {

/// The options of all tables.
inline void add_table_options(Command command, CellOptions& cells)
{
    command.add_option("--runs", cells.runs, "each gives a median").between(fewest_runs, 10'000);
    command.add_option("--budget-s", cells.budget_s, "about how long a cell may take, in seconds").positive();
}

/// The options of all measurements.
template <class Options>
void add_sample_options(Command command, Options& options)
{
    command.add_option("--samples", options.samples, "of each contestant, in each run").between(1, 1'000'000);
    command.add_option("--batch-ms", options.batch_ms, "about how long a sample takes, in milliseconds")
        .positive();
    command.add_option("--csv", options.csv, "write all samples and results to this file");
}

/// The options of all measurements on grids.
template <class Options>
void add_measuring_options(Command command, Options& options)
{
    command.add_option("--grid", options.grid, "RxCx…; MPI_Dims_create's if it is not given");
    command.add_flag("--mesh", options.mesh, "a grid with borders; else a torus");
    add_sample_options(command, options);
}

/// A list of numbers.
inline void add_numbers(Command command, const char* name, std::vector<int>& numbers, int most,
                        const char* what)
{
    command.add_option(name, numbers, what).list().between(1, most);
}

/// The option for the memory of arrays.
inline void add_memory(Command command, std::string& memory)
{
    command.add_option("--memory", memory, "of the arrays: private, or shared: from ORTHO_Alloc_mem")
        .one_of({private_memory, shared_memory});
}

} // namespace bench
