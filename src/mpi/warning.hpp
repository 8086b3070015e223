// SPDX-License-Identifier: BSD-3-Clause
// What is said and is no error.
#pragma once

#include <string>

namespace ortho::mpi {

/// Say so on stderr, once, on rank 0 of the program.  While the library is running.
void warn(const std::string& text);

} // namespace ortho::mpi
