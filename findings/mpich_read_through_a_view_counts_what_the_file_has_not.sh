#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2, with its ROMIO.
# Expected: a read behind the end of a file counts what it has read, through a view with gaps, too: a block that
# is cut off is noticed by MPI_Get_count.
# Seen: of ten numbers 0 ... 9 a read of 10 from number 4 counts 6. Through a view of every second number a read
# of 10 counts 10, without an error: it stores 5 numbers, and zeros over what stood in the rest of the buffer.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" && python3 -m venv v && v/bin/pip -q install mpich==5.0.2 || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Status status;
    MPI_Datatype every_second;
    int numbers[10], count;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++)
        numbers[i] = i;
    MPI_File_open(MPI_COMM_SELF, "numbers", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, numbers, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second);
    MPI_Type_commit(&every_second);
    for (int view = 0; view < 2; view++) {
        if (view) MPI_File_set_view(file, 0, MPI_INT, every_second, "native", MPI_INFO_NULL);
        for (int i = 0; i < 10; i++)
            numbers[i] = -1;
        MPI_File_read_at(file, view ? 0 : 4 * sizeof(int), numbers, 10, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        printf("%s: %d read:", view ? "every second" : "bytes", count);
        for (int i = 0; i < 10; i++)
            printf(" %d", numbers[i]);
        puts("");
    }
    MPI_File_close(&file);
    MPI_Type_free(&every_second);
    MPI_Finalize();
    return 0;
}
END
v/bin/mpicc -o t t.c && timeout 60 v/bin/mpiexec -n 1 ./t >seen || exit 2
cat seen
grep -qx 'bytes: 6 read: 4 5 6 7 8 9 -1 -1 -1 -1' seen && grep -q '^every second: 10 read: 0 2 4 6 8' seen
