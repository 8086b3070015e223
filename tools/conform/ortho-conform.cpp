// SPDX-License-Identifier: BSD-3-Clause
// ortho-conform: tests which neighborhood collectives of the installed MPI, and of ours, follow the standard.

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "conform/exchange_cases.hpp"
#include "conform/report.hpp"
#include "conform/trial.hpp"
#include "csv_file.hpp"
#include "program.hpp"
#include "timing_samples.hpp"
#include "world_comm.hpp"

namespace {

using conform::Case;
using conform::Outcome;
using conform::Row;
using conform::Whose;

/// Tries all collectives on a case.  `print` gets each row.
template <class Print>
void run(const Case& what, MPI_Comm comm, Print print)
{
    std::vector<Row> rows;
    for (const char* collective : conform::collectives) rows.push_back({what.name, collective, {}, {}});
    for (const Whose whose : {Whose::mpi, Whose::ours}) {
        if (whose == Whose::mpi && !what.tries_mpi) {
            for (Row& row : rows) row.mpi.fill({Outcome::not_tried, ""});
            continue;
        }
        const conform::Trial trial(what, whose, comm);
        for (Row& row : rows)
            for (const conform::Form form : conform::forms)
                (whose == Whose::mpi ? row.mpi : row.ours)[static_cast<std::size_t>(form)] = trial.run(
                    row.collective.c_str(), form);
    }
    for (const Row& row : rows) print(row);
}

void say(const std::string& text)
{
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    CommandLine line(
        "Tests the neighborhood collectives of the installed MPI, and mpiortho's, against what the "
        "MPI standard says.\n"
        "Exit status 0 if mpiortho's are right everywhere, 1 if not.",
        "ortho-conform");
    std::string csv_name;
    line.add_option("--csv", csv_name, "write all results to this file");
    parse_or_end(line, argc, argv);

    int failed = 0;
    {
        const bench::World world;
        const bool speaks = world.rank == 0;
        bench::CsvFile csv(speaks ? csv_name : "", conform::csv_header);
        end_if_failed(bench::csv_mistake(world, csv_name, csv.is_open()), "ortho-conform", world.comm);
        conform::note_errors_everywhere();

        const std::string mpi_name = bench::mpi_name();
        if (speaks) say(conform::heading(mpi_name));
        std::vector<Row> rows;
        for (const Case& what : conform::all_cases()) {
            if (what.processes() > world.size) {
                if (speaks) say(conform::line_of_missing(what));
                continue;
            }
            MPI_Comm part = MPI_COMM_NULL;
            MPI_Comm_split(world.comm, world.rank < what.processes() ? 0 : MPI_UNDEFINED, 0, &part);
            if (part == MPI_COMM_NULL) continue;
            run(what, part, [&](const Row& row) {
                rows.push_back(row);
                if (!speaks) return;
                say(conform::line(row));
                csv.print("{}", conform::csv_lines(row));
            });
            MPI_Comm_free(&part);
        }
        const conform::Sums ours = conform::sums(rows, Whose::ours);
        if (speaks) {
            const std::string mistakes = conform::mistakes(rows);
            if (!mistakes.empty()) say("\nWhat is wrong\n" + mistakes);
            say("\n" + conform::line("MPI", conform::sums(rows, Whose::mpi)) +
                conform::line("mpiortho", ours));
        }
        // Process 0 takes part in every case.
        failed = ours.wrong > 0 ? 1 : 0;
        MPI_Bcast(&failed, 1, MPI_INT, 0, world.comm);
    }
    MPI_Finalize();
    return failed;
}
