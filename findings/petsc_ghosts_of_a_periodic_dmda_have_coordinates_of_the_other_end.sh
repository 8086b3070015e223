#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: PETSc 3.18.5 (Debian's libpetsc-real3.18 3.18.5+dfsg1-1, with Open MPI 4.1.4).
# Expected: ghosts of a periodic grid from 0 to 1 with 4 points lie at -0.25 and 1, as PETSc's own DMStag has them.
# Ghosts of a grid with DM_BOUNDARY_GHOSTED or MIRROR lie beyond its ends, too.
# Seen: coordinates of DMDA are a field like others, whose ghosts are filled as that grid's ghosts are. They are
# 0.75 and 0 on the periodic grid, 0 and 0 on the ghosted one, and inside on the mirrored one: distances between
# neighbors are -0.75, 0 or turned round.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
libraries=$(apt-get install -s --no-install-recommends libpetsc-real3.18=3.18.5+dfsg1-1 | awk '/^Inst/ { print $2 }')
apt-get download libpetsc-real3.18-dev=3.18.5+dfsg1-1 $libraries >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.c <<'END'
#include <petscdmda.h>
#include <petscdmstag.h>
static void print(const char *name, DM grid)
{
    Vec local;
    PetscInt size;
    const PetscScalar *x;
    DMGetCoordinatesLocal(grid, &local);
    VecGetLocalSize(local, &size);
    VecGetArrayRead(local, &x);
    printf("%s:", name);
    for (PetscInt i = 0; i < size; i++)
        printf(" %.2f", x[i]);
    puts("");
    VecRestoreArrayRead(local, &x);
    DMDestroy(&grid);
}
int main(int argc, char **argv)
{
    const DMBoundaryType boundaries[] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_MIRROR};
    const char *names[] = {"DMDA periodic", "DMDA ghosted", "DMDA mirror"};
    DM grid;
    PetscInitialize(&argc, &argv, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        DMDACreate1d(PETSC_COMM_SELF, boundaries[i], 4, 1, 1, NULL, &grid);
        DMSetUp(grid);
        DMDASetUniformCoordinates(grid, 0, 1, 0, 0, 0, 0);
        print(names[i], grid);
    }
    DMStagCreate1d(PETSC_COMM_SELF, DM_BOUNDARY_PERIODIC, 4, 1, 0, DMSTAG_STENCIL_BOX, 1, NULL, &grid);
    DMSetUp(grid);
    DMStagSetUniformCoordinatesExplicit(grid, 0, 1, 0, 0, 0, 0);
    print("DMStag periodic", grid);
    PetscFinalize();
    return 0;
}
END
lib=usr/lib/x86_64-linux-gnu
include=$(echo usr/lib/petscdir/*/*/include)
mpicc.openmpi -w -I"$include" t.c -o t -Wl,--allow-shlib-undefined $lib/libpetsc_real.so.3.18 || exit 2
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack
timeout 60 mpiexec.openmpi --allow-run-as-root -n 1 ./t >seen || exit 2
cat seen
grep -qx 'DMDA periodic: 0.75 0.00 0.25 0.50 0.75 0.00' seen && grep -qx 'DMDA ghosted: 0.00 0.00 .* 1.00 0.00' seen &&
    grep -qx 'DMStag periodic: -0.25 .*0.00 .*1.00' seen
