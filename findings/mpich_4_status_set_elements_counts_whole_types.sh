#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 4.2.3 (package mpich of PyPI).
# Expected: MPI_Status_set_elements counts as MPI_Get_elements does: 3 are three integers, one pair and a half.
# Seen: 3 are three pairs: MPI_Get_elements gives 6 for a generalized request, and MPI_Get_count a number.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q install mpich==4.2.3 >"$work/log" 2>&1 || exit 2
cat >"$work/t.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Datatype pair;
    MPI_Status status = {0};
    int elements, count;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Status_set_elements(&status, pair, 3);
    MPI_Get_elements(&status, pair, &elements);
    MPI_Get_count(&status, pair, &count);
    printf("elements %d, count %s\n", elements, count == MPI_UNDEFINED ? "undefined" : "a number");
    MPI_Finalize();
    return 0;
}
END
"$work/venv/bin/mpicc" "$work/t.c" -o "$work/t" && timeout 20 "$work/venv/bin/mpiexec" -n 1 "$work/t" >"$work/seen" || exit 2
cat "$work/seen"
[ "$(cat "$work/seen")" = "elements 6, count a number" ]
