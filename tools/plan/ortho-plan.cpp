// SPDX-License-Identifier: BSD-3-Clause
// ortho-plan: schedules and predictions of any number of processes, without MPI.

#include <cstdio>
#include <exception>
#include <string>

#include "command_line.hpp"
#include "plan/plan_graph.hpp"
#include "plan/plan_mosaic.hpp"
#include "plan/plan_place.hpp"
#include "plan/plan_predict.hpp"
#include "plan/plan_schedule.hpp"
#include "stencil_text.hpp"

namespace {

constexpr const char* specification_help =
    "COLLECTIVE:GRID:STENCIL:SIZE, as in 'alltoall:torus 4x4:moore:1:1KiB' (see ortho-plan(1))";

void add_machine(Command command, plan::MachineOptions& machine)
{
    command.add_option(
        "--nodes", machine.nodes,
        "NxP: N nodes of P processes, or P,P,...: nodes of so many; many nodes if it is not given");
    command.add_option("--tune", machine.tune, "a file that describes the machine, as ORTHO_TUNE does");
}

} // namespace

int main(int argc, char** argv)
{
    CommandLine line("Shows what the library's planner knows: schedules, predicted times. Needs no MPI.",
                     "ortho-plan");
    line.needs_command();

    plan::ScheduleOptions of_schedule;
    Command schedule = line.add_command("schedule", "what a process does, in words and as a picture");
    schedule.add_option("specification", of_schedule.specification, specification_help).required();
    schedule.add_option("--algorithm", of_schedule.algorithm, "another than the planner's choice");
    schedule.add_option("--rank", of_schedule.rank, "the process; one in the middle if it is not given");
    schedule.add_flag("--memory", of_schedule.memory, "print what it takes of memory that a node shares");
    schedule.add_option("--svg", of_schedule.svg, "write a picture to this file");
    add_machine(schedule, of_schedule.machine);

    plan::PredictOptions of_predict;
    Command predict = line.add_command("predict", "every algorithm's predicted time, and the choice");
    predict.add_option("specification", of_predict.specification, specification_help).required();
    predict.add_option("--svg", of_predict.svg, "write a picture of times over block sizes to this file");
    add_machine(predict, of_predict.machine);

    plan::PlaceOptions of_place;
    Command place = line.add_command("place",
                                     "which process of a grid on which node, and what leaves the nodes");
    place.add_option("--grid", of_place.grid, "the grid's sizes, as in 128x128").required();
    place
        .add_option("--nodes", of_place.nodes,
                    "how many processes nodes have: 16, or 4,4,3, as in ORTHO_NODES")
        .required();
    place.add_option("--stencil", of_place.stencil, tools::stencil_help);
    place.add_option("--weights", of_place.weights, "of the stencil's offsets; 1 if they are not given")
        .list()
        .between(0, 1 << 30);
    place.add_flag("--periodic", of_place.periodic, "the grid has no borders");
    place.add_flag("--missing", of_place.missing_are_off_node,
                   "count partners beyond borders as off-node, as Gropp does");
    place.add_option("--svg", of_place.svg, "write a picture to this file");
    place.add_option("--csv", of_place.csv, "write the table to this file");
    place.add_option("--rank-order", of_place.rank_files.rank_order,
                     "write the placement as MPICH_RANK_ORDER (Cray MPICH)");
    place.add_option("--rankfile", of_place.rank_files.rankfile, "write it as a rankfile (Open MPI)");
    place.add_option("--hostfile", of_place.rank_files.hostfile,
                     "write it as a host a rank (SLURM_HOSTFILE)");
    place.add_option("--rankmap", of_place.rank_files.rankmap, "write it for MPICH 5's -rankmap");
    place.add_option("--hosts", of_place.rank_files.hosts, "the names of the nodes in these files").list();

    plan::GraphOptions of_graph;
    Command graph = line.add_command(
        "graph", "messages, wires between nodes and their prices for a distributed graph");
    graph.add_option("file", of_graph.file, "a Matrix Market file, or a METIS graph").required();
    graph.add_option("--partition", of_graph.partition, "which process has which row, as METIS writes it");
    graph.add_option("--processes", of_graph.processes, "how many; else as many as the partition has")
        .hides_default()
        .between(1, 1 << 24);
    graph.add_option("--by", of_graph.by, "make the partition: rows, or metis if it is there")
        .one_of({"rows", "metis"});
    graph.add_option("--nodes", of_graph.nodes, "how many processes nodes have: 64, or 4,4,3").required();
    graph.add_flag("--cyclic", of_graph.cyclic, "nodes take turns: process 0 on the first, 1 on the second");
    graph.add_flag("--reorder", of_graph.reorder, "place processes on nodes, as graphs with reorder do");
    graph.add_option("--bytes", of_graph.bytes, "of an element");
    graph.add_option("--tune", of_graph.tune, "a file that describes the machine, as ORTHO_TUNE does");
    graph.add_option("--svg", of_graph.svg, "write a picture to this file");
    graph.add_option("--csv", of_graph.csv, "write the counts to this file");

    plan::MosaicOptions of_mosaic;
    Command mosaic = line.add_command("mosaic",
                                      "patches, messages and their price for the zones of a CGNS file");
    mosaic.add_option("file", of_mosaic.file, "a CGNS file with structured zones").required();
    mosaic.add_option("--processes", of_mosaic.processes, "how many").between(1, 1 << 24);
    mosaic.add_option("--most", of_mosaic.most,
                      "cells of a patch, as in 32x32; whole zones if it is not given");
    mosaic.add_option("--ghosts", of_mosaic.ghosts, "layers of ghosts").between(1, 1 << 20);
    mosaic.add_option("--bytes", of_mosaic.bytes, "of an element");
    mosaic.add_option("--nodes", of_mosaic.nodes, "how many processes nodes have: 64, or 4,4,3");
    mosaic.add_flag("--patches", of_mosaic.patches, "list them");
    mosaic.add_option("--tune", of_mosaic.tune, "a file that describes the machine, as ORTHO_TUNE does");
    mosaic.add_option("--svg", of_mosaic.svg, "write a picture to this file");

    line.parse_or_exit(argc, argv);
    try {
        if (schedule.is_chosen()) plan::print_schedule(of_schedule);
        if (predict.is_chosen()) plan::print_prediction(of_predict);
        if (graph.is_chosen()) plan::print_graph(of_graph);
        if (mosaic.is_chosen()) plan::print_mosaic(of_mosaic);
        if (place.is_chosen()) plan::print_places(of_place);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ortho-plan: %s\n", error.what());
        return 1;
    }
    return 0;
}
