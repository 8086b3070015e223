#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# DOLFINx (fenicsx-performance-tests): it distributes meshes and updates ghosts by neighborhood collectives,
# blocking and not.  With -sf_type neighbor so does its solver, PETSc.
set -u
. "$(dirname "$0")/compare.sh"
program=$(command -v dolfinx-scaling-test) ||
    { echo "Bail out! fenicsx-performance-tests is not installed."; exit 1; }

# DOLFINx takes messages in the order in which they arrive, and sums accordingly: from run to run residuals
# differ, with and without the interposer, by up to 1e-8 of the first one.  The number of iterations and the
# solution's norm, of six digits, do not.
answer() { grep -hE 'KSP Residual norm|Number of Krylov iterations|Solution norm' "$work/$1".out.0; }
same_answer() {
    [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] || { echo "not as many iterations"; return 1; }
    paste -d ' ' "$1" "$2" | awk '
        {
            n = NF / 2
            if (NR == 1) first = $n
            for (i = 1; i < n; ++i) if ($i != $(i + n)) { bad = 1; print }
            off = $n > $NF ? $n - $NF : $NF - $n
            if (off > (/Residual/ ? 1e-6 * first : 0)) { bad = 1; print }
        }
        END { exit bad > 0 || NR < 10 }'
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
# With wrong indices DOLFINx ends with an error, or has another answer.
wrong_says='another answer with the interposer\|ours: it ended with status'
notices dolfinx-poisson 2 "$program" --problem_type poisson $solve
finish
