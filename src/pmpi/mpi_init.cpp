// SPDX-License-Identifier: BSD-3-Clause
// MPI_Init: a thread that drives operations needs MPI_THREAD_MULTIPLE, so the interposer asks for it.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "base/environment.hpp"
#include "mpi/which_mpi.hpp"
#ifdef ORTHO_MPI_FORTRAN
#include "pmpi/fortran.hpp"
#endif
#include "pmpi/init_finalize.hpp"
#include "pmpi/pmpi_settings.hpp"

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

/// MPI is running, if its code says so.
int begun(int code)
{
    if (code != MPI_SUCCESS) return code;
    ortho::pmpi::tell_of_settings(ortho::pmpi::world().rank);
    ortho::pmpi::begin_report();
    return code;
}

bool wants_threads()
{
    return ortho::pmpi::mode() != ortho::pmpi::Mode::off &&
           ortho::base::environment("ORTHO_PROGRESS").value_or("") == "thread";
}

} // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv)
{
    ortho::mpi::refuse_other_abi(); // the program may have loaded its MPI since it started
    int provided = 0;
    return begun(wants_threads() ? PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                                 : PMPI_Init(argc, argv));
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided)
{
    ortho::mpi::refuse_other_abi();
    return begun(PMPI_Init_thread(argc, argv, wants_threads() ? MPI_THREAD_MULTIPLE : required, provided));
}

} // extern "C"

#ifdef ORTHO_MPI_FORTRAN
using namespace ortho::pmpi::fortran;

// In Fortran MPI's own call initializes more than in C.
ORTHO_FORTRAN(init_thread, (Fint * required, Fint* provided, Fint* ierror), (required, provided, ierror))
{
    Fint multiple = MPI_THREAD_MULTIPLE;
    mpis(wants_threads() ? &multiple : required, provided, ierror);
    begun(*ierror);
}

ORTHO_FORTRAN(init, (Fint * ierror), (ierror))
{
    Fint multiple = MPI_THREAD_MULTIPLE;
    Fint provided = 0;
    if (wants_threads())
        ORTHO_SAME_BINDING(init, init_thread)(&multiple, &provided, ierror);
    else
        mpis(ierror);
    begun(*ierror);
}
#endif // ORTHO_MPI_FORTRAN
