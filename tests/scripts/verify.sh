# SPDX-License-Identifier: BSD-3-Clause
# ORTHO_VERIFY finds nothing wrong with what is right; ORTHO_STALL_S says who is waited for, and ORTHO_STALL_ABORT ends
# the program.
export ASAN_OPTIONS="$quick_asan"
program=$builddir/tests/mpi/verify_test

is_said() { grep -q "^mpiortho: $1\$" "$work/out" || { cat "$work/out"; return 1; }; }
late() { # variables, processes, form, what is said: rank 1 comes 2 s late
    variables=$1 processes=$2 form=$3
    shift 3
    quiet on "$processes" env ORTHO_STALL_S=1 $variables "$program" "$form" || return 1
    for line; do is_said "$line" || return 1; done
}
silent() { # where nobody waits so long
    for verify in 0 1; do
        late "ORTHO_VERIFY=$verify ORTHO_STALL_S=100" 2 blocking && ! grep '^mpiortho: ' "$work/out" || return 1
    done
}
aborts() { # ORTHO_VERIFY, form.  On 2: Open MPI takes its time to end the others.
    timeout -k 10 100 env ORTHO_VERIFY=$1 ORTHO_STALL_S=2 ORTHO_STALL_ABORT=1 $MPIEXEC -n 2 "$program" "$2" >"$work/out" 2>&1
    status=$?
    [ $status != 0 ] && [ $status != 124 ] || { cat "$work/out"; echo "status $status"; return 1; }
}
aborted() {
    aborts 0 never && is_said "ORTHO_Alltoall on 'halo': rank 0 has waited 2 s for rank 1" &&
        is_said "the program ends, since ORTHO_STALL_ABORT=1"
}
# ORTHO_Run and ORTHO_Start of one operation do not meet: nothing is delivered, and both say for whom they wait.
mixed() { # ORTHO_VERIFY, which does not compare starts and runs
    waits="ORTHO_Alltoall_init on 'halo': rank \(0 has waited 2 s for rank 1\|1 has waited 2 s for rank 0\)"
    aborts "$1" mixed && ! grep '^over' "$work/out" && is_said "ORTHO_\(Run\|Wait\): $waits"
}
reported_after() { # seconds before and after the first communicator is made, variables...
    seconds=$1
    shift
    says "^$seconds\$" on 2 env "$@" tests/mpi/stall_time
}

for p in $(elsewhere || echo 2) 3; do
    check "random calls, on $p processes" on $p env ORTHO_VERIFY=1 ORTHO_TEST_REPEATS=2 tests/mpi/random_test
done
blocking="ORTHO_Alltoall on 'halo': rank"
check "a late process, in a blocking call" late ORTHO_VERIFY=1 4 blocking "$blocking 0 has waited 1 s for rank 1" \
    "$blocking 2 has waited 1 s for rank 1" "$blocking 3 has waited 1 s for other processes"
check "the same without verification" late ORTHO_VERIFY=0 4 blocking "$blocking 2 has waited 1 s for rank 1"
# Without verification the same waits are reported: with sanitizers once.  Then rank 0 of a non-blocking call waits for
# nobody: what it sends is small.
for verify in $(elsewhere || echo 0) 1; do
    nonblocking="ORTHO_Waitall: ORTHO_Ialltoall on 'halo': rank" first=$((2 - 2 * verify))
    check "a late process, in a non-blocking call, ORTHO_VERIFY=$verify" late ORTHO_VERIFY=$verify 4 nonblocking \
        "$nonblocking 2 has waited 1 s for rank 1" "$nonblocking $first has waited 1 s for rank 1"
    check "a late process, in a persistent call, ORTHO_VERIFY=$verify" late ORTHO_VERIFY=$verify 4 persistent \
        "ORTHO_Waitall: ORTHO_Alltoall_init on 'halo': rank 2 has waited 1 s for rank 1"
    agreed="ORTHO_Alltoallv_init on 'halo': rank"
    check "a late process, where all agree, ORTHO_VERIFY=$verify" late ORTHO_VERIFY=$verify 4 init \
        "$agreed 0 has waited 1 s for .*" "$agreed 2 has waited 1 s for .*" "$agreed 3 has waited 1 s for .*"
    check "one process runs what the other starts, ORTHO_VERIFY=$verify" mixed $verify
done
made="ORTHO_Dist_graph_create_adjacent on 'MPI_COMM_WORLD': rank"
check "a late process, where a communicator is made" late ORTHO_VERIFY=0 3 create \
    "$made 0 has waited 1 s for other processes" "$made 2 has waited 1 s for other processes"
check "a process that never comes ends the program, if asked for" aborted
check "verification implies that long waits are reported" reported_after '60 60' ORTHO_VERIFY=1
check "after another time, if one is given" reported_after '5 5' ORTHO_VERIFY=1 ORTHO_STALL_S=5
check "or never" reported_after '0 0' ORTHO_VERIFY=1 ORTHO_STALL_S=0
check "without verification they are not" reported_after '0 0' ORTHO_VERIFY=0
check "no stall, no report" silent
