// SPDX-License-Identifier: BSD-3-Clause
// Modules: test programs with the library, of which each virtual process has a copy.
#pragma once

#include <string>
#include <vector>

namespace loopback {

using Main = int (*)(int, char**);

/// So many copies of main() and of all that it uses.  Ends the program if there cannot be any, or if the
/// module uses a function of MPI's that is not played.
std::vector<Main> load(const std::string& module, int copies, bool keeps_files);

/// A new one in the folder for temporary files.
std::string new_folder();

/// Where the running fiber is, on stderr.
void print_place();

} // namespace loopback
