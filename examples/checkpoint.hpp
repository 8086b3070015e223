// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: arrays that are cut into tiles, in one file, from which any number of processes can go on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tiles.hpp"

/// Which run a checkpoint belongs to, and how far it is.
struct Checkpoint {
    char program[24] = {};
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t arrays = 0;
    double parameter = 0;
    std::int64_t step = 0;
};

/// Writes so many arrays of rows x columns numbers.  `tile` returns the part of an array here, row by row.
///
/// The file is there as a whole, or as it was before: it is written under another name, FILE.new, and renamed
/// when the disk has it.  Collective over `comm`; throws std::runtime_error on all processes.
void write_checkpoint(const std::string& file, const Checkpoint& what, MPI_Comm comm, const Tiles& tiles,
                      const std::function<std::vector<double>(int)>& tile);

/// Reads what write_checkpoint has written, if there is a file, and returns its step; else -1.  `what` is
/// what it must be, but for the step.  Collective; throws std::runtime_error on all processes.
std::int64_t read_checkpoint(const std::string& file, const Checkpoint& what, MPI_Comm comm,
                             const Tiles& tiles,
                             const std::function<void(int, const std::vector<double>&)>& set_tile);
