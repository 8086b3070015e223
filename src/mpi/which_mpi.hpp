// SPDX-License-Identifier: BSD-3-Clause
// The MPI that this library is built with, and the one that runs.  They may differ: a library of the standard
// ABI runs on all MPIs that have this ABI, and one of MPICH's on Intel's MPI, too.  For the library and the
// interposer, which share headers and no code.
#pragma once

#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ortho::mpi {

#if defined(OPEN_MPI)
inline constexpr const char* built_with = "Open MPI";
#elif defined(I_MPI_VERSION)
inline constexpr const char* built_with = "Intel's MPI";
#elif defined(MPICH_VERSION)
inline constexpr const char* built_with = "MPICH";
#elif defined(MPI_ABI_VERSION)
inline constexpr const char* built_with = "the standard ABI of MPI";
#else
inline constexpr const char* built_with = "an MPI that it does not know";
#endif
inline constexpr bool built_for_open_mpi = std::string_view(built_with) == "Open MPI";
/// Handles and constants are those of the standard ABI.
inline constexpr bool built_for_abi = std::string_view(built_with) == "the standard ABI of MPI";

/// The MPI's own description.
struct WhichMpi {
    bool is_open_mpi = false;
    bool is_mpich = false; ///< or an MPI made of MPICH, such as Intel's
    bool is_intel = false;
    int major = 0;       ///< of Open MPI's version
    char name[100] = ""; ///< with the version
};

/// The MPI that runs.  Where MPIs differ, only this decides, as the program runs.
inline const WhichMpi& which_mpi()
{
    static const WhichMpi which = [] {
        WhichMpi it;
        char version[16384] = ""; // more than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
        int length = 0;
        PMPI_Get_library_version(version, &length);
        it.is_intel = std::strstr(version, "Intel(R) MPI") != nullptr;
        it.is_mpich = it.is_intel || std::strstr(version, "MPICH") != nullptr ||
                      std::strstr(version, "MVAPICH") != nullptr;
        it.is_open_mpi = std::sscanf(version, "Open MPI v%d", &it.major) == 1;
        std::memcpy(it.name, version, std::min(sizeof it.name - 1, std::strcspn(version, ",\n")));
        return it;
    }();
    return which;
}

extern "C" inline void ortho_heed_no_error(MPI_Comm*, int*, ...) {}

/// Makes errors on a communicator of ours come back as codes.  Under the standard ABI, Intel's MPI aborts in
/// spite of MPI_ERRORS_RETURN, but obeys other handlers.
inline int return_errors(MPI_Comm comm)
{
    if (!built_for_abi || !which_mpi().is_intel) return PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int code = PMPI_Comm_create_errhandler(ortho_heed_no_error, &handler);
    if (code == MPI_SUCCESS) code = PMPI_Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
    return code;
}

/// Ends a program that has loaded an MPI of another ABI than this library's: handles of one are useless in
/// the other.
inline void refuse_other_abi()
{
    const auto is_other = [](dl_phdr_info* library, std::size_t, void* found) {
        const std::string_view path(library->dlpi_name);
        const std::string_view name = path.substr(path.rfind('/') + 1);
        const bool is = built_for_abi ? name.starts_with("libmpi.so") || name.starts_with("libmpich.so")
                                      : name.starts_with("libmpi_abi.so");
        if (is) *static_cast<std::string_view*>(found) = name;
        return is ? 1 : 0;
    };
    std::string_view name;
    if (dl_iterate_phdr(is_other, &name) == 0) return;
    if (built_for_abi)
        std::fprintf(
            stderr,
            "mpiortho: this program has loaded %s, and this libmpiortho.so is built for the standard ABI of "
            "MPI (libmpi_abi.so); it needs the one that is built with its MPI: mpiortho-mpich, "
            "mpiortho-openmpi or mpiortho-intel\n",
            name.data());
    else
        std::fprintf(
            stderr,
            "mpiortho: this program is built for the standard ABI of MPI (libmpi_abi.so), and this "
            "libmpiortho.so is built with %s; it needs the one that is built for the ABI: mpiortho-abi\n",
            built_with);
    std::_Exit(EXIT_FAILURE);
}

} // namespace ortho::mpi
