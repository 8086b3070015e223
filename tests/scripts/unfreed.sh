# SPDX-License-Identifier: BSD-3-Clause
# Communicators that are alive at MPI_Finalize: the library has dropped what it keeps with them.  MPICH says what it finds.
# The MPI leaks by itself, in plugins that are gone when that is looked at.
quick_asan="$quick_asan:detect_leaks=0"
export ASAN_OPTIONS="$quick_asan"
. "$srcdir/tests/interposed.sh"

silent() { # command: ends well, and nobody says anything
    "$@" >"$work/out" 2>&1
    status=$?
    [ $status = 0 ] && [ ! -s "$work/out" ] || { cat "$work/out"; echo "status $status"; return 1; }
}
reported() { # each process says what it has left, where calls are verified
    on 2 env ORTHO_VERIFY=1 tests/mpi/unfreed requests >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    for rank in 0 1; do
        echo "mpiortho: MPI_Finalize: ORTHO_Alltoall_init on 'ring': rank $rank has not freed 2 requests"
        echo "mpiortho: MPI_Finalize: ORTHO_Ialltoall on 'ring': rank $rank has not completed 1 request"
        of=" of 1 array of 8 elements of MPI_INT" # not off the grid
        [ $rank = 0 ] || of=
        echo "mpiortho: MPI_Finalize: ORTHO_Halo_init$of on 'corner': rank $rank has not freed 1 request"
    done | sort >"$work/wanted"
    grep '^mpiortho: ' "$work/out" | sort | diff "$work/wanted" -
}
unreported() { on 2 tests/mpi/unfreed requests >"$work/out" 2>&1; ! grep '^mpiortho: ' "$work/out"; }
check "requests that are left" reported
check "without verification nothing is said of them" unreported
for p in 1 2 3; do
    check "the library, on $p processes" silent on $p tests/mpi/unfreed
    check "the interposer, on $p processes" silent with ORTHO_PMPI_PAIRING=standard $p tests/pmpi/unfreed
done
