# SPDX-License-Identifier: BSD-3-Clause
# Programs that never call MPI_Init, where the MPI has sessions (Fortran and Python: in their scripts).
export ASAN_OPTIONS="$quick_asan"
. "$srcdir/tests/interposed.sh"
export ORTHO_PMPI_PAIRING=standard

if says '^no sessions$' with "" 1 tests/pmpi/sessions; then
    left_out "programs of sessions alone" "this MPI has no sessions"
    return 0
fi
no_thread() { # what a session allows is not known
    says '^right$' on 2 env ORTHO_PROGRESS=thread tests/mpi/sessions early &&
        grep -q "ORTHO_PROGRESS=thread needs MPI_THREAD_MULTIPLE" "$work/out"
}
# MPI_Test of MPICH 4.0.2 may crash.
case $flavour in mpich) counts="2 3 4" ;; *) counts="1 2 3" ;; esac
for p in $counts; do
    check "the library, on $p processes" says '^right$' on $p tests/mpi/sessions early
    check "the library in C++, on $p processes" says '^right$' on $p tests/mpi/in_sessions
    check "the interposer, on $p processes" says '^0 wrong$' with "" $p tests/pmpi/sessions
    check "its report, on $p processes" says '^  MPI_Neighbor_alltoall  *1 ' with ORTHO_PMPI_REPORT=1 $p tests/pmpi/sessions
done
# Intel's MPI says that MPI_Init has been called, and that threads may call it.
case $($MPIEXEC --version 2>&1 | head -n 1) in
*Intel*) ;;
*) check "no thread drives operations" no_thread ;;
esac
