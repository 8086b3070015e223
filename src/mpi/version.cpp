// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Get_version, and the name of the MPI.

#include <cstdio>

#include "mpi/which_mpi.hpp"
#include "mpiortho.h"

#ifdef ORTHO_THIS_MPI
/// The header refers to this function, which a library for another MPI does not have.
extern "C" void ORTHO_THIS_MPI(void) {}
#endif

namespace {

/// Runs before the program: it is linked to the library of its MPI.
__attribute__((constructor)) void look_which_abi() { ortho::mpi::refuse_other_abi(); }

} // namespace

extern "C" int ORTHO_Get_version(int* major, int* minor, int* patch)
{
    int parts[3] = {0, 0, 0};
    std::sscanf(PACKAGE_VERSION, "%d.%d.%d", &parts[0], &parts[1], &parts[2]);
    if (major != nullptr) *major = parts[0];
    if (minor != nullptr) *minor = parts[1];
    if (patch != nullptr) *patch = parts[2];
    return MPI_SUCCESS;
}
