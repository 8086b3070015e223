// SPDX-License-Identifier: BSD-3-Clause
// Programs that are built for MPI's standard ABI: their handles and constants are others than this MPI's.
// For the library and for the interposer, which shares headers with it and no code.
#pragma once

#include <link.h>
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ortho::mpi {

/// Ends a program that has loaded the library of the standard ABI, if this library is not built for that.
/// Its first MPI call with a handle would crash.
inline void refuse_standard_abi()
{
#if defined(OPEN_MPI) || defined(MPICH_VERSION)
    const auto is_standard = [](dl_phdr_info* library, std::size_t, void*) {
        const char* const slash = std::strrchr(library->dlpi_name, '/');
        const char* const name = slash != nullptr ? slash + 1 : library->dlpi_name;
        return std::strncmp(name, "libmpi_abi", 10) == 0 ? 1 : 0;
    };
    if (dl_iterate_phdr(is_standard, nullptr) == 0) return;
#ifdef OPEN_MPI
    const char* const ours = "Open MPI";
#else
    const char* const ours = "MPICH";
#endif
    std::fprintf(stderr,
                 "mpiortho: this program is built for the standard ABI of MPI (libmpi_abi.so), and this "
                 "libmpiortho.so is built with %s; it needs one that is built for the standard ABI\n",
                 ours);
    std::_Exit(EXIT_FAILURE);
#endif
}

} // namespace ortho::mpi
