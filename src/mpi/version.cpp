// SPDX-License-Identifier: BSD-3-Clause
// ORTHO_Get_version.

#include <cstdio>

#include "mpiortho.h"

extern "C" int ORTHO_Get_version(int* major, int* minor, int* patch)
{
    int parts[3] = {0, 0, 0};
    std::sscanf(PACKAGE_VERSION, "%d.%d.%d", &parts[0], &parts[1], &parts[2]);
    if (major != nullptr) *major = parts[0];
    if (minor != nullptr) *minor = parts[1];
    if (patch != nullptr) *patch = parts[2];
    return MPI_SUCCESS;
}
