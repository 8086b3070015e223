# SPDX-License-Identifier: BSD-3-Clause
# The blocks of doc/with-your-code.md compile, where what they need is installed: Debian's PETSc and DOLFINx
# are for its Open MPI 4.  tests/foreign/peers.sh runs those in Python.
# Headers of others are not ours to warn of.
system() { sed 's/-I */-isystem /g'; }
mpi=$(mpi_headers | system)
c() { "$MPICC" -std=c99 -Wall -Wextra -Werror -I"$srcdir/include" "$@" -c -o "$work/object"; }
cpp() {
    $CXX -Wall -Wextra -Werror -fsyntax-only -I"$srcdir/include" $mpi -DMPICH_SKIP_MPICXX \
        -DOMPI_SKIP_MPICXX "$@"
}
fortran() { (cd "$work" && "$MPIFC" -std=f2018 -Wall -Werror -I"$builddir/fortran" -c "$@" -o object); }
compiles() { # section, file, compiler, option...
    section=$1 file=$2 language=$3
    shift 3
    block "$srcdir/doc/with-your-code.md" "$section" >"$work/$file"
    [ -s "$work/$file" ] && $language "$@" "$work/$file"
}

kokkos=
for folder in /usr/include /usr/include/kokkos /usr/include/trilinos; do
    [ -f "$folder/Kokkos_Core.hpp" ] && kokkos="-fopenmp -isystem $folder"
done
[ -z "$kokkos" ] || check "Kokkos" compiles Kokkos kokkos.cpp cpp $kokkos
check "a lattice-Boltzmann program" compiles "A lattice-Boltzmann program" lbm.cpp cpp
[ -z "$MPIFC" ] || check "an ocean model" compiles "An ocean model in Fortran" ocean.f90 fortran
if [ "$flavour" = openmpi ] && $MPIEXEC --version | grep -q ' 4\.'; then
    PKG_CONFIG_PATH=$(ls -d /usr/lib/petscdir/*/*-real/lib/pkgconfig 2>/dev/null | tail -n 1)
    export PKG_CONFIG_PATH
    petsc=$(pkg-config --cflags petsc 2>/dev/null | system)
    [ -z "$petsc" ] || check "PETSc" compiles PETSc petsc.c c $petsc
    dolfinx=$(pkg-config --cflags-only-I dolfinx_real 2>/dev/null | system)
    [ -z "$dolfinx" ] || check "DOLFINx" compiles DOLFINx dolfinx.cpp cpp $dolfinx
fi
