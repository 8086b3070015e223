#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: hypre 2.26.0 (Debian's), SStruct, with Open MPI 4.1.4.
# Expected: faces that two parts share, which are joined turned by 180 degrees, have the values that each part sets,
# or an error says that they differ; what one part gets from the other has the sign that it has there.
# Seen: without a word the values of the part with the higher number are dropped by Assemble, and Gather brings
# it those of the other: turned, but with their sign. A component of a vector points the other way then.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && apt-get download libhypre-dev=2.26.0-3 >log 2>&1 && dpkg -x *.deb . || exit 2
cat >t.c <<'END'
#include <HYPRE_sstruct_mv.h>
#include <mpi.h>
#include <stdio.h>
void dgetrf_(void) {} /* LAPACK, for solvers */
void dgetri_(void) {}
static HYPRE_Int first_face[2] = {0, 1}, first[2] = {1, 1}, last[2] = {2, 2};
static void show(const char *when, HYPRE_SStructVector vector)
{
    for (int part = 0; part < 2; part++) {
        double u[6]; /* 3 faces in a row of 2 cells; 2 rows */
        HYPRE_SStructVectorGetBoxValues(vector, part, first_face, last, 0, u);
        printf("%s, part %d: %g %g\n", when, part, u[2], u[5]); /* of the last faces, which are shared */
    }
}
int main(int argc, char **argv)
{
    HYPRE_SStructGrid grid; HYPRE_SStructVector vector;
    HYPRE_SStructVariable variables[1] = {HYPRE_SSTRUCT_VARIABLE_XFACE};
    /* Behind cell (2, j) of one part lies cell (2, 3 - j) of the other. */
    HYPRE_Int behind[2] = {3, 1}, behind_last[2] = {3, 2}, there[2] = {2, 1}, there_last[2] = {2, 2};
    HYPRE_Int along[2] = {0, 1}, backward[2] = {-1, -1};
    MPI_Init(&argc, &argv);
    HYPRE_SStructGridCreate(MPI_COMM_WORLD, 2, 2, &grid);
    for (int part = 0; part < 2; part++) {
        HYPRE_SStructGridSetExtents(grid, part, first, last);
        HYPRE_SStructGridSetVariables(grid, part, 1, variables);
        HYPRE_SStructGridSetNeighborPart(grid, part, behind, behind_last, 1 - part, there, there_last, along, backward);
    }
    HYPRE_SStructGridAssemble(grid);
    HYPRE_SStructVectorCreate(MPI_COMM_WORLD, grid, &vector);
    HYPRE_SStructVectorInitialize(vector);
    for (int part = 0; part < 2; part++) {
        double u[6];
        for (int i = 0; i < 6; i++)
            u[i] = 10 * (part + 1) + i;
        HYPRE_SStructVectorSetBoxValues(vector, part, first_face, last, 0, u);
    }
    HYPRE_SStructVectorAssemble(vector);
    show("assembled", vector);
    HYPRE_SStructVectorGather(vector);
    show("gathered", vector);
    MPI_Finalize();
    return 0;
}
END
mpicc.openmpi -Iusr/include/hypre -o t t.c "$(find . -name libHYPRE.a)" -lm || exit 2
timeout 60 mpiexec.openmpi --allow-run-as-root -n 1 ./t >seen || exit 2
cat seen
grep -q '^gathered, part 0: 12 15' seen && grep -q '^assembled, part 1: 0 0' seen && grep -q '^gathered, part 1: 15 12' seen
