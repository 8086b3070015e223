#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: Global Arrays 5.8.2 with ARMCI-MPI (Debian's libglobalarrays-dev 5.8.2-1, with Open MPI 4.1.4).
# Expected: GA_Zero is GA_Fill with 0: both write the ghosts of an array, or neither does.
# Seen: GA_Fill writes them, GA_Zero leaves the old values there: a stencil that follows reads them.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
apt-get download libglobalarrays-dev=5.8.2-1 libarmci-mpi-dev=0.3.1~beta-7 libscalapack-openmpi2.2=2.2.1-2+b1 \
    libblas3=3.11.0-2 liblapack3=3.11.0-2 >log 2>&1 || exit 2
for package in *.deb; do dpkg -x "$package" . || exit 2; done
cat >t.c <<'END'
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
static void print(const char *name, int array)
{
    int *values, sizes[1], strides[1];
    NGA_Access_ghosts(array, sizes, &values, strides);
    printf("%s:", name);
    for (int i = 0; i < sizes[0]; i++)
        printf(i == 1 || i == sizes[0] - 1 ? " | %d" : " %d", values[i]);
    puts("");
}
int main(int argc, char **argv)
{
    int sizes[1] = {4}, widths[1] = {1}, chunks[1] = {-1}, first = 0, last = 3, stride, values[4] = {1, 2, 3, 4};
    int nothing = 0, array;
    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_INT, 1000, 1000);
    array = NGA_Create_ghosts(C_INT, 1, sizes, widths, "u", chunks);
    NGA_Put(array, &first, &last, values, &stride);
    GA_Update_ghosts(array);
    print("updated", array);
    GA_Zero(array);
    print("GA_Zero", array);
    GA_Fill(array, &nothing);
    print("GA_Fill", array);
    GA_Destroy(array);
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
END
lib=usr/lib/x86_64-linux-gnu
mpicc.openmpi -w -Iusr/include t.c -o t $lib/libga-openmpi.a $lib/libarmci-openmpi.a \
    -L$lib -L$lib/blas -L$lib/lapack -l:libscalapack-openmpi.so.2.2 -l:liblapack.so.3 -l:libblas.so.3 \
    -lgfortran -lm || exit 2
export LD_LIBRARY_PATH=$lib:$lib/blas:$lib/lapack
timeout 60 mpiexec.openmpi --allow-run-as-root -n 1 ./t >seen || exit 2
cat seen
grep -qx 'updated: 4 | 1 2 3 4 | 1' seen && grep -qx 'GA_Zero: 4 | 0 0 0 0 | 1' seen &&
    grep -qx 'GA_Fill: 0 | 0 0 0 0 | 0' seen
