// SPDX-License-Identifier: BSD-3-Clause
// ortho-bench: the library's calls and MPI's, side by side in one run.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/bench_device.hpp"
#include "bench/bench_doctor.hpp"
#include "bench/bench_halo.hpp"
#include "bench/bench_neighbor.hpp"
#include "bench/bench_tune.hpp"
#include "bench/comparisons.hpp"
#include "bench/measuring_options.hpp"
#include "program.hpp"
#include "size_text.hpp"
#include "stencil_text.hpp"

namespace {

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
        bench::add_measuring_options(command, cells);
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
        bench::add_table_options(command, cells);
    }

    std::string run()
    {
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

    bench::HaloOptions halo;
    Command halo_command = line.add_command("halo", "ghost layers of fields on a grid of three dimensions");
    bench::add_measuring_options(halo_command, halo.cells);
    bench::add_table_options(halo_command, halo.cells);
    bench::add_numbers(halo_command, "--fields", halo.fields, 64, "arrays that travel together");
    bench::add_numbers(halo_command, "--sides", halo.sides, 1024,
                       "owned elements of a field in each dimension");
    bench::add_numbers(halo_command, "--depths", halo.depths, 64, "layers of ghosts");
    bench::add_memory(halo_command, halo.memory);
    halo_command.add_option("--form", halo.forms, "each of ours against each way that programs write")
        .list()
        .one_of({"persistent", "run"});
    halo_command
        .add_option("--directions", halo.directions,
                    "of that table: all ghosts, or outward: those that a field moves into")
        .list()
        .one_of({"all", "outward"});
    halo_command.needs("--directions", "--form");

    bench::DeviceOptions device;
    Command device_command = line.add_command("device", "such ghost layers of arrays on devices");
    bench::add_measuring_options(device_command, device.cells);
    bench::add_table_options(device_command, device.cells);
    bench::add_numbers(device_command, "--fields", device.fields, 1024, "arrays that travel together");
    bench::add_numbers(device_command, "--sides", device.sides, 1024,
                       "owned elements of an array in each dimension");
    bench::add_numbers(device_command, "--depths", device.depths, 64, "layers of ghosts");

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

    const std::string mistake = neighbor.command.is_chosen() ? neighbor.run()
                                : halo_command.is_chosen()   ? bench::run_halo(halo)
                                : device_command.is_chosen() ? bench::run_device(device)
                                : doctor_command.is_chosen() ? bench::run_doctor(doctor)
                                                             : bench::run_tune(tune);
    end_if_failed(mistake, "ortho-bench", MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
