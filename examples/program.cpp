// SPDX-License-Identifier: BSD-3-Clause
// The parts that the example programs share: the command line, failing together.

#include "program.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

void parse_or_end(CommandLine& line, int argc, char** argv)
{
    const std::optional<CommandLine::Ending> ending = line.parse(argc, argv);
    if (!ending) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fputs(ending->text.c_str(), ending->status == 0 ? stdout : stderr);
    MPI_Finalize();
    std::exit(ending->status);
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
