// SPDX-License-Identifier: BSD-3-Clause
// The parts that the example programs share: the command line, failing together.
#pragma once

#include <mpi.h>

#include <string>

#include "command_line.hpp"

/// Parse the command line on all processes.  If there is nothing to run (--help, or a mistake), rank 0
/// says what is to say, and the program ends everywhere with status 0 or 1.
void parse_or_end(CommandLine& line, int argc, char** argv);

/// If `message` is not empty on rank 0, print it there and end the program everywhere, status 1.
void end_if_failed(const std::string& message, const char* program, MPI_Comm comm);
