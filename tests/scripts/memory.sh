#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One process gets no more memory to share after it has asked N times: nothing waits for ever, and results are right.
set -u
. tests/environment
export ASAN_OPTIONS="$quick_asan"

run() { # processes, ORTHO_NODES, N
    timeout -k 10 "$limit" env ORTHO_NODES="$2" $MPIEXEC -n "$1" "$builddir/tests/mpi/memory_test" "$3"
}
# Where sanitizers watch, every second one may do: another build has them all.
numbers="0 1 2 3 4 5 6 7 8 9 10"
[ -z "$sanitizers" ] || [ "${ORTHO_TEST_ONE_IN:-1}" = 1 ] || numbers="0 2 4 6 8 10"
for grants in $numbers; do
    check "memory after $grants times, one node" run 3 "" $grants
done
for grants in 0 1 2 4 6 8; do
    check "memory after $grants times, nodes of two" run 4 2 $grants
done
finish
