# SPDX-License-Identifier: BSD-3-Clause
# The interposer with ORTHO_PMPI=dense: programs in C and Fortran where everybody exchanges with everybody.

. "$srcdir/tests/interposed.sh"

dense=tests/pmpi/dense
check "the test asks nothing that MPI does not do" says '^0 wrong$' on 2 $dense 1
if elsewhere; then on="2 3" bindings="MPIF F08"; else on=$(few 1 2 3 4) bindings="MPIF MPI F08"; fi
[ "$flavour" != intel ] || bindings=MPIF # it has no mpi_f08 for gfortran
for p in $on; do check "$p processes" says '^0 wrong$' with ORTHO_PMPI=dense $p $dense 20; done
check "two nodes" says '^0 wrong$' with "ORTHO_PMPI=dense ORTHO_NODES=2" 3 $dense 1
check "no memory is shared" says '^0 wrong$' with "ORTHO_PMPI=dense ORTHO_SHM=0" 2 $dense 1

# Each of the five is the library's, and the library's go through shared memory.
is_replaced() { grep -q "^  $1  *[1-9]" "$work/out" || { cat "$work/out"; return 1; }; }
all_calls="MPI_Alltoall MPI_Alltoallv MPI_Alltoallw MPI_Allgather MPI_Allgatherv"
check "there is a report" quiet with "ORTHO_PMPI=dense ORTHO_PMPI_REPORT=1" 2 $dense 1
for call in $all_calls; do check "$call is replaced" is_replaced $call; done
for settings in ORTHO_PMPI_PAIRING=standard ORTHO_PMPI=dense,off; do
    check "there is a report with $settings" quiet with "$settings ORTHO_PMPI_REPORT=1" 2 $dense 1
    for call in $all_calls; do check "$call is not replaced" fails is_replaced $call; done
done
check "through shared memory" says 'sends 1 message (through shared memory)' \
    with "ORTHO_PMPI=dense ORTHO_EXPLAIN=1" 2 $dense 1
check "the report has the list" says '(ORTHO_PMPI=unify,dense)' \
    with "ORTHO_PMPI=dense,unify ORTHO_PMPI_REPORT=1" 2 tests/pmpi/unify neighbors
check "an unknown word is complained of" \
    says 'ORTHO_PMPI=dense,sparse is none of neighbor, unify, dense, off' \
    with ORTHO_PMPI=dense,sparse 1 $dense 1

# On a graph they mean what they mean without it: everybody, or with unify the neighborhood.
check "on a graph they mean everybody" says '^all$' with ORTHO_PMPI=dense 3 tests/pmpi/unify all
check "unify: they mean the neighborhood" says '^neighbors$' \
    with ORTHO_PMPI=unify,dense 3 tests/pmpi/unify neighbors

mpif90=$(echo "${MPICC%% *}" | sed 's/mpicc/mpif90/')
fortran() { # which binding
    $mpif90 $sanitizers "-DBINDING_$1" "$srcdir/tests/pmpi/dense.F90" -o "$work/dense" || return 1
    says '^0 wrong$' on 2 "$work/dense" && says '^0 wrong$' with ORTHO_PMPI=dense 3 "$work/dense" &&
        says '^  MPI_Allgatherv  *1 ' with "ORTHO_PMPI=dense ORTHO_PMPI_REPORT=1" 2 "$work/dense" &&
        for call in $all_calls; do grep -q "^  $call  *1 " "$work/out" || return 1; done
}
if command -v "$mpif90" >/dev/null && command -v gfortran >/dev/null; then
    for binding in $bindings; do check "Fortran: $binding" fortran $binding; done
else
    left_out "Fortran" "there is no Fortran compiler for this MPI"
fi
