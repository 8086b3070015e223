// SPDX-License-Identifier: BSD-3-Clause
// book_bench: what only the book of results needs (bench/RESULTS.md).  It is not installed; bench/tables runs it.

#include <mpi.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "bench/measuring_options.hpp"
#include "book_bench/cells.hpp"
#include "book_bench/counts.hpp"
#include "book_bench/dense.hpp"
#include "book_bench/neighbor.hpp"
#include "book_bench/overlap.hpp"
#include "book_bench/place.hpp"
#include "book_bench/reduce.hpp"
#include "book_bench/schedules.hpp"
#include "book_bench/setup.hpp"
#include "book_bench/sweep.hpp"
#include "book_bench/window.hpp"
#include "command_line.hpp"
#include "program.hpp"
#include "stencil_text.hpp"

namespace {

/// The options of all tables of cells.
void add_cell_options(Command command, bench::BoxOptions& cells, const std::string& blocks)
{
    command.add_option("--d", cells.d, "of a table: dimensions of the stencils {-1, ..., n-2}^d without 0")
        .list()
        .between(1, 8);
    command.add_option("--n", cells.n, "their extents").list().between(2, 9);
    command.add_option("--m", cells.m, blocks).list().between(1, 1 << 20);
    bench::add_table_options(command, cells);
}

std::string multiple_of_4(const std::string& text)
{
    const int bytes = std::atoi(text.c_str());
    return bytes >= 4 && bytes % 4 == 0 ? "" : text + " is no positive multiple of 4";
}

/// Runs what needs no other process; returns what went wrong.
template <class Print>
std::string alone(Print print)
{
    try {
        print();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

} // namespace

int main(int argc, char** argv)
{
    // The library's thread needs MPI_THREAD_MULTIPLE.
    const bool thread = std::getenv("ORTHO_PROGRESS") != nullptr;
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    CommandLine line("Makes tables of the book of results.", "book_bench");
    line.needs_command();

    bench::BoxOptions neighbor;
    std::vector<std::string> collectives{"alltoall"};
    Command neighbor_command = line.add_command("neighbor", "exchanges with the neighbors on a grid");
    neighbor_command.add_option("--collective", collectives, "which ones")
        .list()
        .one_of({"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"});
    bench::add_measuring_options(neighbor_command, neighbor);
    add_cell_options(neighbor_command, neighbor, "ints of a block");

    bench::BoxOptions reduce;
    reduce.d = {5};
    reduce.n = {5};
    reduce.m = {1, 10, 100, 1000};
    Command reduce_command = line.add_command("reduce", "sums over the neighbors on a grid");
    bench::add_measuring_options(reduce_command, reduce);
    add_cell_options(reduce_command, reduce, "doubles of a sum");

    bench::WindowOptions window;
    Command window_command = line.add_command("window", "such ghost layers by one-sided communication");
    bench::add_measuring_options(window_command, window.cells);
    bench::add_table_options(window_command, window.cells);
    bench::add_numbers(window_command, "--sides", window.sides, 1024,
                       "owned elements of the field in each dimension");
    bench::add_numbers(window_command, "--depths", window.depths, 64, "layers of ghosts");
    bench::add_memory(window_command, window.memory);

    bench::DenseOptions dense;
    Command dense_command = line.add_command("dense", "everybody with everybody, on a full communicator");
    dense_command.add_option("--collective", dense.collectives, "which ones")
        .list()
        .one_of({"alltoall", "alltoallv", "allgather", "allgatherv"});
    dense_command.add_option("--bytes", dense.bytes, "sizes of blocks, multiples of 4")
        .list()
        .check(multiple_of_4);
    bench::add_sample_options(dense_command, dense.cells);
    bench::add_table_options(dense_command, dense.cells);

    bench::PlaceOptions place;
    Command place_command = line.add_command("place",
                                             "one exchange, with ranks as numbered and placed on nodes");
    bench::add_measuring_options(place_command, place.cells);
    bench::add_table_options(place_command, place.cells);
    place_command.add_option("--dimensions", place.dimensions, "of the grid, if that is not given")
        .between(1, 16);
    place_command.add_option("--stencil", place.stencil, tools::stencil_help);
    place_command.add_option("--bytes", place.bytes, "sizes of blocks, multiples of 4")
        .list()
        .check(multiple_of_4);

    bench::SchedulesOptions schedules;
    Command schedules_command = line.add_command("schedules",
                                                 "all schedules that would do, as predicted and as measured");
    schedules_command.add_option("--collective", schedules.collectives, "which ones")
        .list()
        .one_of({"alltoall", "alltoallv", "allgather", "allreduce", "reduce_scatterv"});
    bench::add_numbers(schedules_command, "--d", schedules.d, 8,
                       "dimensions of the stencils {-1, ..., n-2}^d without 0");
    bench::add_numbers(schedules_command, "--n", schedules.n, 9, "their extents");
    bench::add_numbers(schedules_command, "--m", schedules.m, 1 << 20, "ints of a block, doubles of a sum");
    schedules_command.add_option("--grid", schedules.grid, "RxCx…; MPI_Dims_create's if it is not given");
    schedules_command.add_flag("--mesh", schedules.mesh, "a grid with borders; else a torus");
    schedules_command.add_option("--without", schedules.without, "leaves these out, which are by hand")
        .list()
        .one_of({"rounds", "all_at_once", "allgather_and_reduce"});
    schedules_command
        .add_option("--samples", schedules.samples, "of each schedule; with one, nothing is called before")
        .between(1, 1'000'000);
    schedules_command.add_option("--batch", schedules.batch, "calls a sample").between(1, 1'000'000);
    schedules_command.add_option("--csv", schedules.csv, "write all results to this file");

    bench::SetupOptions setup;
    Command setup_command = line.add_command("setup", "making communicators, and first calls");
    setup_command.add_option("--collective", setup.collective, "whose first call")
        .one_of({"alltoall", "allgather"});
    setup_command.add_option("--d", setup.d, "dimensions of the stencils {-1, ..., n-2}^d without 0")
        .list()
        .between(1, 8);
    setup_command.add_option("--n", setup.n, "their extents").list().between(2, 9);
    setup_command
        .add_option("--offsets", setup.offsets, "instead: so many random offsets in 3 dimensions, ours alone")
        .list()
        .between(1, 10'000'000);
    setup_command.add_flag("--graphs", setup.graphs,
                           "instead of calls: graphs after another on a communicator");
    for (const char* cells : {"--d", "--n", "--graphs"}) setup_command.excludes("--offsets", cells);
    setup_command.add_option("--grid", setup.grid, "RxCx…; MPI_Dims_create's if it is not given");
    setup_command.add_flag("--mesh", setup.mesh, "a grid with borders; else a torus");
    setup_command.add_option("--repeats", setup.repeats, "of which the median is taken").between(1, 10'000);

    bench::OverlapOptions overlap;
    Command overlap_command = line.add_command(
        "overlap", "how much of a halo exchange is hidden behind work on the interior");
    overlap_command.add_option("--grid", overlap.grid, "RxCxL; MPI_Dims_create's if it is not given");
    overlap_command.add_option("--side", overlap.sides, "doubles of a process in each dimension")
        .list()
        .between(3, 512);
    overlap_command.add_option("--samples", overlap.samples, "of which the median is taken")
        .between(1, 10'000);

    std::vector<int> dimensions{2, 3, 4, 5};
    std::vector<int> widths{3, 4, 5};
    Command counts = line.add_command("counts", "messages and blocks of combining, on stencils {-1..n-2}^d");
    counts.add_option("--d", dimensions, "numbers of dimensions").list().between(1, 20);
    counts.add_option("--n", widths, "widths of the stencil").list().between(2, 1 << 16);

    plan::SweepOptions of_sweep;
    Command sweep = line.add_command("sweep", "placements of many grids against Gropp's and a lower bound");
    sweep.add_option("--processes", of_sweep.processes, "at most so many").between(3, 1 << 20);
    sweep.add_option("--node-size", of_sweep.node_size, "at most").between(2, 1 << 20);
    sweep.add_option("--stride", of_sweep.stride, "one case in so many").between(1, 1 << 30);
    sweep.add_flag("--dividing", of_sweep.dividing,
                   "only nodes of a size that divides the number of processes");
    sweep.add_option("--csv", of_sweep.csv, "write all cases to this file");
    parse_or_end(line, argc, argv);

    const std::string mistake = neighbor_command.is_chosen()
                                    ? bench::run_neighbor_cells(collectives, neighbor)
                                : reduce_command.is_chosen()    ? bench::run_reduce(reduce)
                                : window_command.is_chosen()    ? bench::run_window(window)
                                : dense_command.is_chosen()     ? bench::run_dense(dense)
                                : place_command.is_chosen()     ? bench::run_place(place)
                                : overlap_command.is_chosen()   ? bench::run_overlap(overlap)
                                : schedules_command.is_chosen() ? bench::run_schedules(schedules)
                                : setup_command.is_chosen()     ? bench::run_setup(setup)
                                : counts.is_chosen() ? alone([&] { plan::print_counts(dimensions, widths); })
                                                     : alone([&] { plan::print_sweep(of_sweep); });
    end_if_failed(mistake, "book_bench", MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
