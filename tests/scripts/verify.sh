#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ORTHO_VERIFY finds nothing wrong with what is right; ORTHO_STALL_S says who is waited for.
set -u
. tests/environment
export ASAN_OPTIONS="$quick_asan"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

right() { # processes: random calls give the same results
    timeout -k 10 "$limit" env ORTHO_VERIFY=1 ORTHO_TEST_REPEATS=2 $MPIEXEC -n "$1" "$builddir/tests/mpi/random_test"
}

late() { # processes, form: rank 1 comes 3 s late
    timeout -k 10 "$limit" env ORTHO_VERIFY=1 ORTHO_STALL_S=1 $MPIEXEC -n "$1" "$builddir/tests/mpi/verify_test" "$2" \
        >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
}
says() { grep -q "^mpiortho: $1\$" "$work/out" || { cat "$work/out"; return 1; }; }
says_nothing() { ! grep '^mpiortho: ' "$work/out"; }

blocking() {
    late 4 blocking && says "ORTHO_Alltoall on 'halo': rank 0 has waited 1 s for rank 1" &&
        says "ORTHO_Alltoall on 'halo': rank 2 has waited 1 s for rank 1" &&
        says "ORTHO_Alltoall on 'halo': rank 3 has waited 1 s for processes that are no neighbors of it"
}
nonblocking() {
    late 4 nonblocking && says "ORTHO_Waitall: ORTHO_Ialltoall on 'halo': rank 0 has waited 1 s for rank 1" &&
        says "ORTHO_Waitall: ORTHO_Ialltoall on 'halo': rank 2 has waited 1 s for rank 1"
}
persistent() {
    late 4 persistent && says "ORTHO_Waitall: ORTHO_Alltoall_init on 'halo': rank 2 has waited 1 s for rank 1"
}
silent() { # without ORTHO_VERIFY, and where nobody waits so long
    timeout -k 10 "$limit" env ORTHO_STALL_S=1 $MPIEXEC -n 2 "$builddir/tests/mpi/verify_test" blocking >"$work/out" 2>&1 &&
        says_nothing && timeout -k 10 "$limit" env ORTHO_VERIFY=1 ORTHO_STALL_S=100 \
        $MPIEXEC -n 2 "$builddir/tests/mpi/verify_test" blocking >"$work/out" 2>&1 && says_nothing
}

check "random calls, on 2 processes" right 2
check "random calls, on 3 processes" right 3
check "a late process, in a blocking call" blocking
check "a late process, in a non-blocking call" nonblocking
check "a late process, in a persistent call" persistent
check "no stall, no report" silent
finish
