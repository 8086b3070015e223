# SPDX-License-Identifier: BSD-3-Clause
# mpi4py (python3-mpi4py): its own tests of neighborhood collectives and of topologies.  Debian's package
# does not have them: `fetch_tests` of packages.sh puts them into the build folder.
. "$srcdir/tests/foreign/compare.sh"
tests=$(ls -d "$builddir"/foreign/mpi4py-*/test/runtests.py 2>/dev/null | tail -n 1)
[ -n "$tests" ] || { echo "Bail out! $builddir/foreign lacks mpi4py's tests: see packages.sh."; exit 1; }

# Which tests ran, and what came of each, on each process.
answer() {
    for file in "$work/$1".err.*; do
        sed -n "s/^\(test.*\) \.\.\. \([a-zA-Z].*\)\$/${file##*.}: \1: \2/p
            s/^\(Ran [0-9]* tests\) in .*/${file##*.}: \1/p" "$file" | sort
    done
}
seconds() { sed -n 's/^Ran [0-9]* tests in \([0-9.]*\)s$/tests \1/p' "$work/$1.err.0"; }
calls="MPI_Dist_graph_create_adjacent
    MPI_Neighbor_allgather MPI_Neighbor_allgatherv
    MPI_Neighbor_alltoall MPI_Neighbor_alltoallv MPI_Neighbor_alltoallw
    MPI_Ineighbor_allgather MPI_Ineighbor_allgatherv
    MPI_Ineighbor_alltoall MPI_Ineighbor_alltoallv MPI_Ineighbor_alltoallw"
# Its grids have periodic dimensions of size 1 and 2: no warning among its lines.
settings=ORTHO_PMPI_PAIRING=standard
run_tests="/usr/bin/python3 $tests --no-builddir --verbose --include cco_ngh|comm_topo"
for p in 1 2 3 4; do foreign mpi4py-neighborhoods $p $run_tests; done
# A test of mpi4py's fails, and says so by the status.
wrong_says='ours: it ended with status'
notices mpi4py-neighborhoods 2 $run_tests
