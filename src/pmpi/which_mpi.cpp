// SPDX-License-Identifier: BSD-3-Clause
// The interposer looks, before the program starts, whether the MPI is the one that it was built with.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

#ifdef OPEN_MPI
constexpr bool is_open_mpi = true;
#else
constexpr bool is_open_mpi = false;
#endif

/// Handles of one MPI are of no use to another: the program would crash.  Symbols are the program's MPI's,
/// since that is linked to it.
__attribute__((constructor)) void look_which_mpi()
{
    char version[16384]; // more than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
    int length = 0;
    if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) return;
    if ((std::strstr(version, "Open MPI") != nullptr) == is_open_mpi) return;
    version[std::strcspn(version, ",\n")] = '\0';
    std::fprintf(
        stderr,
        "mpiortho: this libmpiortho-pmpi.so is built with %s, and the program runs on another MPI, %s; "
        "preload the one that is built with that\n",
        is_open_mpi ? "Open MPI" : "MPICH", version);
    std::_Exit(EXIT_FAILURE);
}

} // namespace
