// SPDX-License-Identifier: BSD-3-Clause
// Operations on halos, which are given the arrays again.
#pragma once

#include "fortran/arguments.hpp"

namespace ortho::fortran {

/// type(ortho_halo).
struct Halo;
/// Descriptors of the arrays, and null behind the last one.
using Given = const CFI_cdesc_t* const*;

void halo_start(Halo* halo, Given given, MPI_Fint* ierror);
void halo_wait(Halo* halo, Given given, MPI_Fint* ierror);
void halo_run(Halo* halo, Given given, MPI_Fint* ierror);
void halo_rebind(Halo* halo, Given given, MPI_Fint* ierror);

} // namespace ortho::fortran
