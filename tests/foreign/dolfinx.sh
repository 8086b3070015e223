# SPDX-License-Identifier: BSD-3-Clause
# DOLFINx (fenicsx-performance-tests): it distributes meshes and updates ghosts by neighborhood collectives,
# blocking and not.  With -sf_type neighbor so does its solver, PETSc.
. "$srcdir/tests/foreign/compare.sh"
program=$(command -v dolfinx-scaling-test) ||
    { echo "Bail out! fenicsx-performance-tests is not installed."; exit 1; }

# DOLFINx takes messages in the order in which they arrive, and sums accordingly: from run to run residuals
# differ, with and without the interposer, by up to 1e-8 of the first one, and with them when the last one is small
# enough: of 14 plain runs of 452 iterations one had 453.  The solution's norm, of six digits, does not differ.
answer() { grep -hE 'KSP Residual norm|Number of Krylov iterations|Solution norm' "$work/$1".out.0; }
same_answer() {
    awk '
        /Residual/ { if (NR == FNR) residual[++plain] = $NF; else other[++ours] = $NF; next }
        /iterations/ { if (NR == FNR) iterations = $NF; else other_iterations = $NF; next }
        { if (NR == FNR) norm = norm " " $NF; else other_norm = other_norm " " $NF }
        function off(x, y) { return x > y ? x - y : y - x }
        END {
            if (plain < 10 || norm == "" || norm != other_norm) { bad = 1; print "norms" norm " and" other_norm }
            if (off(iterations, other_iterations) > iterations / 100 || off(plain, ours) > plain / 100) {
                bad = 1; print iterations " and " other_iterations " iterations"
            }
            for (i = 1; i <= plain && i <= ours; ++i)
                if (off(residual[i], other[i]) > 1e-6 * residual[1]) { bad = 1; print i, residual[i], other[i] }
            exit bad > 0
        }' "$1" "$2"
}
seconds() {
    awk '/ZZZ Create Mesh/ { print "mesh", $NF } /ZZZ Solve/ { print "solve", $NF }' "$work/$1".out.0
}
calls="MPI_Neighbor_allgather MPI_Neighbor_alltoall MPI_Neighbor_alltoallv MPI_Ineighbor_allgather
    MPI_Ineighbor_allgatherv MPI_Ineighbor_alltoall MPI_Ineighbor_alltoallv"
solve="--scaling_type strong --ndofs 50000 -ksp_type cg -pc_type jacobi -ksp_monitor -sf_type neighbor"
for problem in poisson elasticity; do
    for p in 2 3; do foreign dolfinx-$problem $p "$program" --problem_type $problem $solve; done
done
foreign dolfinx-poisson-order-2 2 "$program" --problem_type poisson --order 2 $solve
notices dolfinx-poisson 2 "$program" --problem_type poisson $solve
