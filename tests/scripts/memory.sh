#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One process gets no more memory to share after it has asked N times: nothing waits for ever, and results are right.
set -u
. tests/facts
. "$srcdir/tests/environment.sh"
export ASAN_OPTIONS="$quick_asan"

run() { # processes, ORTHO_NODES, N
    timeout -k 10 "$limit" env ORTHO_NODES="$2" $MPIEXEC -n "$1" "$builddir/tests/mpi/memory_test" "$3"
}
if elsewhere; then on_one="0 3" on_two=4; else on_one="0 1 2 3 4 5 6 7 8 9 10" on_two="0 1 2 4 6 8"; fi
for grants in $on_one; do
    check "memory after $grants times, one node" run 3 "" $grants
done
for grants in $on_two; do
    check "memory after $grants times, nodes of two" run 4 2 $grants
done
finish
