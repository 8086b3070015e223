// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench: the library's calls and MPI's, side by side in one run.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/array.hpp"
#include "bench/bench_dense.hpp"
#include "bench/bench_device.hpp"
#include "bench/bench_doctor.hpp"
#include "bench/bench_halo.hpp"
#include "bench/bench_neighbor.hpp"
#include "bench/bench_neighbor_boxes.hpp"
#include "bench/bench_overlap.hpp"
#include "bench/bench_place.hpp"
#include "bench/bench_reduce.hpp"
#include "bench/bench_schedules.hpp"
#include "bench/bench_setup.hpp"
#include "bench/bench_tune.hpp"
#include "bench/bench_window.hpp"
#include "bench/comparisons.hpp"
#include "program.hpp"
#include "size_text.hpp"
#include "stencil_text.hpp"

namespace {

/// The options of all tables.
void add_table_options(Command command, bench::CellOptions& cells)
{
    command.add_option("--runs", cells.runs, "each gives a median").between(bench::fewest_runs, 10'000);
    command.add_option("--budget-s", cells.budget_s, "about how long a cell may take, in seconds").positive();
}

/// The options of all tables of cells.
void add_cell_options(Command command, bench::CellOptions& cells, const std::string& blocks)
{
    command.add_option("--d", cells.d, "of a table: dimensions of the stencils {-1, ..., n-2}^d without 0")
        .list()
        .between(1, 8);
    command.add_option("--n", cells.n, "their extents").list().between(2, 9);
    command.add_option("--m", cells.m, blocks).list().between(1, 1 << 20);
    add_table_options(command, cells);
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
void add_numbers(Command command, const char* name, std::vector<int>& numbers, int most, const char* what)
{
    command.add_option(name, numbers, what).list().between(1, most);
}

/// The option for the memory of arrays.
void add_memory(Command command, std::string& memory)
{
    command.add_option("--memory", memory, "of the arrays: private, or shared: from ORTHO_Alloc_mem")
        .one_of({bench::private_memory, bench::shared_memory});
}

std::string multiple_of_4(const std::string& text)
{
    const int bytes = std::atoi(text.c_str());
    return bytes >= 4 && bytes % 4 == 0 ? "" : text + " is no positive multiple of 4";
}

/// Reads a text like "8", "8B" or "4KiB".
std::int64_t bytes_of(const std::string& text)
{
    const bool plain = text.find_first_not_of("0123456789") == std::string::npos;
    return tools::parse_size(plain ? text + "B" : text);
}

std::string no_size(const std::string& text)
{
    try {
        bytes_of(text);
    } catch (const ortho::base::Error& error) {
        return error.what();
    }
    return "";
}

std::string no_block(const std::string& text)
{
    const std::string mistake = no_size(text);
    if (!mistake.empty()) return mistake;
    const std::int64_t bytes = bytes_of(text);
    if (bytes > std::int64_t{1} << 30) return text + " is more than 1GiB";
    return bytes >= 4 && bytes % 4 == 0 ? "" : text + " is no positive multiple of 4";
}

struct Neighbor {
    bench::NeighborOptions forms;
    bench::CellOptions cells;
    std::vector<std::string> bytes;
    std::string room = "256MiB";
    Command command;
    static constexpr std::array of_cells = {"--d", "--n", "--m"};

    explicit Neighbor(Command line)
        : command(line.add_command("neighbor", "exchanges with the neighbors on a grid"))
    {
        for (const int size : forms.bytes) bytes.push_back(std::to_string(size));
        command.add_option("--collective", forms.collectives, "which ones")
            .list()
            .one_of({"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"});
        command.add_option("--form", forms.forms, "each of ours against the same of MPI's")
            .list()
            .one_of({"blocking", "nonblocking", "persistent", "run"});
        add_measuring_options(command, cells);
        command.add_option("--dimensions", forms.dimensions, "of the grid, if nothing else says them")
            .between(1, 16);
        command.add_option("--stencil", forms.stencils,
                           std::string("several, each with its dimensions, as in 3d:moore:1, or without: ") +
                               tools::stencil_help);
        command.add_option("--bytes", bytes, "sizes of blocks, multiples of 4, as in 8,4KiB,1MiB")
            .list()
            .check(no_block);
        command.add_option("--room", room, "cells whose buffers take more of a process are left out")
            .check(no_size);
        command.add_option("--algorithms", forms.algorithms, "ours, a row each: auto, alltoall_direct, …")
            .list();
        command.add_flag("--forward", forms.forward, "promise ortho_forward: blocks may travel in all forms");
        add_cell_options(command, cells, "ints of a block");
        for (const char* cell : of_cells)
            for (const char* other :
                 {"--form", "--dimensions", "--stencil", "--bytes", "--room", "--algorithms", "--forward"})
                command.excludes(cell, other);
    }

    std::string run()
    {
        const bool of_boxes = std::ranges::any_of(of_cells,
                                                  [this](const char* name) { return command.has(name); });
        if (of_boxes) return bench::run_neighbor_cells(forms.collectives, cells);
        forms.cells = cells;
        forms.room = bytes_of(room);
        forms.bytes.clear();
        for (const std::string& size : bytes) forms.bytes.push_back(static_cast<int>(bytes_of(size)));
        return bench::run_neighbor(forms);
    }
};

} // namespace

int main(int argc, char** argv)
{
    // The library's thread needs MPI_THREAD_MULTIPLE.
    const bool thread = std::getenv("ORTHO_PROGRESS") != nullptr;
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, thread ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    CommandLine line("Times the library's calls and MPI's, side by side in one run.", "ortho-bench");
    line.needs_command();
    Neighbor neighbor(line);

    bench::CellOptions reduce;
    reduce.d = {5};
    reduce.n = {5};
    reduce.m = {1, 10, 100, 1000};
    Command reduce_command = line.add_command("reduce", "sums over the neighbors on a grid");
    add_measuring_options(reduce_command, reduce);
    add_cell_options(reduce_command, reduce, "doubles of a sum");

    bench::HaloOptions halo;
    Command halo_command = line.add_command("halo", "ghost layers of fields on a grid of three dimensions");
    add_measuring_options(halo_command, halo.cells);
    add_table_options(halo_command, halo.cells);
    add_numbers(halo_command, "--fields", halo.fields, 64, "arrays that travel together");
    add_numbers(halo_command, "--sides", halo.sides, 1024, "owned elements of a field in each dimension");
    add_numbers(halo_command, "--depths", halo.depths, 64, "layers of ghosts");
    add_memory(halo_command, halo.memory);
    halo_command.add_option("--form", halo.forms, "each of ours against each way that programs write")
        .list()
        .one_of({"persistent", "run"});
    halo_command
        .add_option("--directions", halo.directions,
                    "of that table: all ghosts, or outward: those that a field moves into")
        .list()
        .one_of({"all", "outward"});
    halo_command.needs("--directions", "--form");

    bench::WindowOptions window;
    Command window_command = line.add_command("window", "such ghost layers by one-sided communication");
    add_measuring_options(window_command, window.cells);
    add_table_options(window_command, window.cells);
    add_numbers(window_command, "--sides", window.sides, 1024,
                "owned elements of the field in each dimension");
    add_numbers(window_command, "--depths", window.depths, 64, "layers of ghosts");
    add_memory(window_command, window.memory);

    bench::DeviceOptions device;
    Command device_command = line.add_command("device", "such ghost layers of arrays on devices");
    add_measuring_options(device_command, device.cells);
    add_table_options(device_command, device.cells);
    add_numbers(device_command, "--fields", device.fields, 1024, "arrays that travel together");
    add_numbers(device_command, "--sides", device.sides, 1024,
                "owned elements of an array in each dimension");
    add_numbers(device_command, "--depths", device.depths, 64, "layers of ghosts");

    bench::DenseOptions dense;
    Command dense_command = line.add_command("dense", "everybody with everybody, on a full communicator");
    dense_command.add_option("--collective", dense.collectives, "which ones")
        .list()
        .one_of({"alltoall", "alltoallv", "allgather", "allgatherv"});
    dense_command.add_option("--bytes", dense.bytes, "sizes of blocks, multiples of 4")
        .list()
        .check(multiple_of_4);
    add_sample_options(dense_command, dense.cells);
    add_table_options(dense_command, dense.cells);

    bench::PlaceOptions place;
    Command place_command = line.add_command("place",
                                             "one exchange, with ranks as numbered and placed on nodes");
    add_measuring_options(place_command, place.cells);
    add_table_options(place_command, place.cells);
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
        .one_of({"alltoall", "alltoallv", "allgather", "allreduce"});
    add_numbers(schedules_command, "--d", schedules.d, 8,
                "dimensions of the stencils {-1, ..., n-2}^d without 0");
    add_numbers(schedules_command, "--n", schedules.n, 9, "their extents");
    add_numbers(schedules_command, "--m", schedules.m, 1 << 20, "ints of a block, doubles of a sum");
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
    for (const char* cells : {"--d", "--n"}) setup_command.excludes("--offsets", cells);
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

    bench::TuneOptions tune;
    Command tune_command = line.add_command("tune", "measures the machine for the library's planner");
    tune_command.add_option("--out", tune.out, "the file; standard output if it is not given");
    tune_command
        .add_option("--tolerance", tune.tolerance,
                    "by how much the halves of the samples may differ, as a share")
        .not_negative();

    bench::DoctorOptions doctor;
    Command doctor_command = line.add_command("doctor", "says in a page what works on this machine");
    doctor_command.add_flag("--json", doctor.json, "the report as JSON, for programs and reports of bugs");
    doctor_command
        .add_option("--budget-s", doctor.budget_s, "about how long an exchange may take, in seconds")
        .positive();
    parse_or_end(line, argc, argv);

    const std::string mistake = neighbor.command.is_chosen()    ? neighbor.run()
                                : reduce_command.is_chosen()    ? bench::run_reduce(reduce)
                                : halo_command.is_chosen()      ? bench::run_halo(halo)
                                : window_command.is_chosen()    ? bench::run_window(window)
                                : device_command.is_chosen()    ? bench::run_device(device)
                                : dense_command.is_chosen()     ? bench::run_dense(dense)
                                : place_command.is_chosen()     ? bench::run_place(place)
                                : overlap_command.is_chosen()   ? bench::run_overlap(overlap)
                                : doctor_command.is_chosen()    ? bench::run_doctor(doctor)
                                : tune_command.is_chosen()      ? bench::run_tune(tune)
                                : schedules_command.is_chosen() ? bench::run_schedules(schedules)
                                                                : bench::run_setup(setup);
    end_if_failed(mistake, "ortho-bench", MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
