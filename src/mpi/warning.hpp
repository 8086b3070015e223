// SPDX-License-Identifier: BSD-3-Clause
// Warnings.
#pragma once

#include <string>

namespace ortho::mpi {

/// Writes the text to stderr, once, on rank 0 of the program.  Call it while the library is running.
void warn(const std::string& text);

} // namespace ortho::mpi
