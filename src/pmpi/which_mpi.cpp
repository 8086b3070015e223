// SPDX-License-Identifier: BSD-3-Clause
// Checks before the program starts that the interposer can run on its MPI.

#include "mpi/which_mpi.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

/// Handles of one MPI are useless in another one.  Symbols are those of the
/// program's MPI, since it is linked to that.
__attribute__((constructor)) void look_which_mpi()
{
    using namespace ortho::mpi;
    if (built_for_abi || which_mpi().name[0] == '\0' || which_mpi().is_open_mpi == built_for_open_mpi) return;
    std::fprintf(
        stderr,
        "mpiortho: this libmpiortho-pmpi.so is built with %s, and the program runs on another MPI, %s; "
        "preload the one that is built with that\n",
        built_with, which_mpi().name);
    std::_Exit(EXIT_FAILURE);
}

} // namespace
