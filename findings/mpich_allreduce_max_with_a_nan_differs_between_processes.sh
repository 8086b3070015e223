#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2.
# Expected: MPI_MAX may lose a NaN, but all processes get the same result and can decide on it.
# Seen: on four processes one number each: the largest residual is NaN, 2, 1 and 2 if the last one's is NaN.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install mpich==5.0.2 || exit 2
cat >t.c <<'END'
#include <math.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, bad;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (bad = 0; bad < size; bad++) {
        double mine = rank == bad ? NAN : rank, most, all[4];
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        MPI_Gather(&most, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("NaN on %d: %g %g %g %g\n", bad, all[0], all[1], all[2], all[3]);
    }
    MPI_Finalize();
    return 0;
}
END
v/bin/mpicc -o t t.c && timeout 60 v/bin/mpiexec -n 4 ./t >seen || exit 2
cat seen
# Lines whose four results are not the same.
[ "$(awk '$4 != $5 || $4 != $6 || $4 != $7' seen | wc -l)" -gt 0 ]
