#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ORTHO_VERIFY finds nothing wrong with what is right; ORTHO_STALL_S says who is waited for, and ORTHO_STALL_ABORT ends
# the program.
. tests/facts
. "$srcdir/tests/script.sh"
export ASAN_OPTIONS="$quick_asan"

right() { # processes: random calls give the same results
    timeout -k 10 "$limit" env ORTHO_VERIFY=1 ORTHO_TEST_REPEATS=2 $MPIEXEC -n "$1" "$builddir/tests/mpi/random_test"
}

late() { # ORTHO_VERIFY, processes, form: rank 1 comes 2 s late
    timeout -k 10 "$limit" env ORTHO_VERIFY=$1 ORTHO_STALL_S=1 $MPIEXEC -n "$2" "$builddir/tests/mpi/verify_test" "$3" \
        >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
}
says() { grep -q "^mpiortho: $1\$" "$work/out" || { cat "$work/out"; return 1; }; }
says_nothing() { ! grep '^mpiortho: ' "$work/out"; }

blocking() {
    late 1 4 blocking && says "ORTHO_Alltoall on 'halo': rank 0 has waited 1 s for rank 1" &&
        says "ORTHO_Alltoall on 'halo': rank 2 has waited 1 s for rank 1" &&
        says "ORTHO_Alltoall on 'halo': rank 3 has waited 1 s for other processes"
}
unverified() {
    late 0 4 blocking && says "ORTHO_Alltoall on 'halo': rank 2 has waited 1 s for rank 1"
}
nonblocking() { # ORTHO_VERIFY; unverified, rank 0 waits for nobody: what it sends is small
    late $1 4 nonblocking && says "ORTHO_Waitall: ORTHO_Ialltoall on 'halo': rank 2 has waited 1 s for rank 1" &&
        { [ $1 = 0 ] || says "ORTHO_Waitall: ORTHO_Ialltoall on 'halo': rank 0 has waited 1 s for rank 1"; }
}
persistent() {
    late $1 4 persistent && says "ORTHO_Waitall: ORTHO_Alltoall_init on 'halo': rank 2 has waited 1 s for rank 1"
}
agreement() {
    late $1 4 init && for rank in 0 2 3; do
        says "ORTHO_Alltoallv_init on 'halo': rank $rank has waited 1 s for .*" || return 1
    done
}
creation() {
    late 0 3 create && for rank in 0 2; do
        says "ORTHO_Dist_graph_create_adjacent on 'MPI_COMM_WORLD': rank $rank has waited 1 s for other processes" || return 1
    done
}
# On 2: Open MPI takes its time to end the others.
aborted() {
    timeout -k 10 100 env ORTHO_STALL_S=2 ORTHO_STALL_ABORT=1 $MPIEXEC -n 2 "$builddir/tests/mpi/verify_test" never \
        >"$work/out" 2>&1
    status=$?
    [ $status != 0 ] && [ $status != 124 ] || { cat "$work/out"; echo "status $status"; return 1; }
    says "ORTHO_Alltoall on 'halo': rank 0 has waited 2 s for rank 1" && says "the program ends, since ORTHO_STALL_ABORT=1"
}
# ORTHO_Run and ORTHO_Start of one operation do not meet: nothing is delivered, and both say for whom they wait.
mixed() { # ORTHO_VERIFY, which does not compare starts and runs
    timeout -k 10 100 env ORTHO_VERIFY=$1 ORTHO_STALL_S=2 ORTHO_STALL_ABORT=1 $MPIEXEC -n 2 "$builddir/tests/mpi/verify_test" mixed \
        >"$work/out" 2>&1
    status=$?
    [ $status != 0 ] && [ $status != 124 ] && ! grep '^over' "$work/out" || { cat "$work/out"; echo "status $status"; return 1; }
    grep -q "^mpiortho: ORTHO_Run: ORTHO_Alltoall_init on 'halo': rank 0 has waited 2 s for rank 1\$" "$work/out" ||
        says "ORTHO_Wait: ORTHO_Alltoall_init on 'halo': rank 1 has waited 2 s for rank 0"
}
reported_after() { # seconds before and after the first communicator is made, variables...
    seconds=$1
    shift
    timeout -k 10 "$limit" env "$@" $MPIEXEC -n 2 "$builddir/tests/mpi/stall_time" >"$work/out" 2>&1 &&
        grep -x "$seconds" "$work/out" || { cat "$work/out"; return 1; }
}
silent() { # where nobody waits so long
    for verify in 0 1; do
        timeout -k 10 "$limit" env ORTHO_VERIFY=$verify ORTHO_STALL_S=100 \
            $MPIEXEC -n 2 "$builddir/tests/mpi/verify_test" blocking >"$work/out" 2>&1 && says_nothing || return 1
    done
}

# Without verification the same waits are reported: with sanitizers once.
if elsewhere; then modes=1; else modes="0 1"; fi
elsewhere || check "random calls, on 2 processes" right 2
check "random calls, on 3 processes" right 3
check "a late process, in a blocking call" blocking
check "the same without verification" unverified
for verify in $modes; do
    check "a late process, in a non-blocking call, ORTHO_VERIFY=$verify" nonblocking $verify
    check "a late process, in a persistent call, ORTHO_VERIFY=$verify" persistent $verify
    check "a late process, where all agree, ORTHO_VERIFY=$verify" agreement $verify
    check "one process runs what the other starts, ORTHO_VERIFY=$verify" mixed $verify
done
check "a late process, where a communicator is made" creation
check "a process that never comes ends the program, if asked for" aborted
check "verification implies that long waits are reported" reported_after '60 60' ORTHO_VERIFY=1
check "after another time, if one is given" reported_after '5 5' ORTHO_VERIFY=1 ORTHO_STALL_S=5
check "or never" reported_after '0 0' ORTHO_VERIFY=1 ORTHO_STALL_S=0
check "without verification they are not" reported_after '0 0' ORTHO_VERIFY=0
check "no stall, no report" silent
finish
