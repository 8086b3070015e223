# SPDX-License-Identifier: BSD-3-Clause
# Mistakes that end the program, or would have it wait for ever: with ORTHO_STALL_S and ORTHO_STALL_ABORT it says who is
# waited for, and ends.  The kinds of mistakes in mpiortho(7) are those of tests/mpi/mistakes_test.
export ASAN_OPTIONS="$quick_asan"

ends_saying() { # ORTHO_VERIFY, mistake, words: the program ends, with an error
    timeout -k 10 60 env ORTHO_VERIFY=$1 ORTHO_STALL_S=1 ORTHO_STALL_ABORT=1 \
        $MPIEXEC -n 2 "$builddir/tests/mpi/mistakes_test" "$2" >"$work/out" 2>&1
    status=$?
    [ $status != 0 ] && [ $status != 124 ] && [ $status != 137 ] && grep -q "^mpiortho: .*$3" "$work/out" ||
        { cat "$work/out"; echo "status $status"; return 1; }
}
kinds() { # of the table in mpiortho(7)
    $MPIEXEC -n 1 "$builddir/tests/mpi/mistakes_test" kinds | sort >"$work/tested"
    $AWK '/^\.SS Mistakes/ { inside = 1 } /^\.S[HS]/ && !/Mistakes/ { inside = 0 }
          inside && /^\.TP/ { getline; print }' "$srcdir/man/mpiortho.7" | sort >"$work/told"
    [ -s "$work/told" ] && diff "$work/told" "$work/tested"
}

waits="has waited 1 s for"
halo="ORTHO_Halo_init of 1 array of 3 elements of MPI_INT, request 2,"
for verify in 0 1; do
    check "a process that leaves, ORTHO_VERIFY=$verify" ends_saying $verify leaves \
        "ORTHO_Alltoall on 'ring': rank 1 $waits \(rank 0\|other processes\)"
    check "a process that leaves, a request, ORTHO_VERIFY=$verify" ends_saying $verify waits \
        "ORTHO_Wait: ORTHO_Ialltoall on 'ring': rank 1 $waits rank 0"
    check "calls on two communicators in two orders, ORTHO_VERIFY=$verify" ends_saying $verify orders \
        "ORTHO_Barrier on '\(ring\|grid\)': rank [01] $waits"
    check "a process that leaves, a halo that is gathered, ORTHO_VERIFY=$verify" ends_saying $verify gathers \
        "ORTHO_Halo_gather: $halo on 'grid': rank 1 $waits"
    check "a process that leaves, a window, ORTHO_VERIFY=$verify" ends_saying $verify fences \
        "ORTHO_Win_fence on 'ring': rank 1 $waits rank 0"
done
check "a fatal error says what was found" ends_saying 1 fatal "ORTHO_Alltoall: on 'ring' rank 0 sends 2 MPI_INT (8 bytes) \
in slot 0 to rank 0, which expects 1 MPI_INT (4 bytes) in slot 0"
check "mpiortho(7) tells the kinds of mistakes that are tested" kinds
