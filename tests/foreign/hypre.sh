# SPDX-License-Identifier: BSD-3-Clause
# hypre's own tests, with Debian's library: multigrid on matrices and on grids, as in its files of jobs.
. "$srcdir/tests/foreign/compare.sh"
[ -d "$builddir/foreign/hypre" ] || { echo "Bail out! $builddir/foreign lacks hypre: see packages.sh"; exit 1; }
source=$builddir/foreign/hypre/src
answer() { grep -hE 'Iterations = |Final Relative Residual Norm = ' "$work/$1".out.0; }
for driver in ij struct; do
    $MPICC -w -O1 -I/usr/include/hypre -I"$source" -I"$source/test" "$source/test/$driver.c" -o "$work/$driver" \
        -lHYPRE -lm || exit 1
done
foreign hypre-ij-cljp 4 "$work/ij" -rhsrand -n 15 15 10 -P 2 2 1 -interptype 0 -Pmx 0 -cljp -27pt
foreign hypre-ij-ruge 4 "$work/ij" -rhsrand -n 15 15 10 -P 2 2 1 -interptype 0 -Pmx 0 -ruge -27pt
foreign hypre-ij-aggressive 4 "$work/ij" -rhsrand -n 15 15 10 -P 2 2 1 -agg_nl 1
foreign hypre-struct-pfmg 3 "$work/struct" -n 12 12 12 -P 1 1 3 -solver 1
foreign hypre-struct-smg 3 "$work/struct" -n 12 12 12 -P 1 1 3 -solver 0
