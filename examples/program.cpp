// SPDX-License-Identifier: BSD-3-Clause
// The parts that the example programs share: the command line, failing together.

#include "program.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

void parse_or_end(CLI::App& app, int argc, char** argv)
{
    app.set_version_flag("--version", app.get_name() + ", mpiortho " PACKAGE_VERSION);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        const bool mistake = error.get_exit_code() != 0;
        if (rank == 0 && mistake)
            std::fprintf(stderr, "%s: %s (try --help)\n", app.get_name().c_str(), error.what());
        else if (rank == 0)
            app.exit(error);
        MPI_Finalize();
        std::exit(mistake ? 1 : 0);
    }
}

void end_if_failed(const std::string& message, const char* program, MPI_Comm comm)
{
    int rank = 0;
    int failed = message.empty() ? 0 : 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(&failed, 1, MPI_INT, 0, comm);
    if (failed == 0) return;
    if (rank == 0) std::fprintf(stderr, "%s: %s\n", program, message.c_str());
    MPI_Finalize();
    std::exit(1);
}
