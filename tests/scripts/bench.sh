#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ortho-bench runs, has right results, writes what it says, and refuses what makes no sense.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bench=$builddir/tools/ortho-bench

measure() { # processes, medians of ours, options
    p=$1 wanted=$2
    shift 2
    timeout -k 10 "$limit" $MPIEXEC -n "$p" "$bench" neighbor --samples 3 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    medians=$(grep -c '^median,.*,mpiortho,.*,yes$' "$work/csv")
    samples=$(grep -c '^sample,.*,mpiortho,' "$work/csv")
    if [ "$medians" != "$wanted" ] || [ "$samples" != $((3 * wanted)) ]; then cat "$work/out" "$work/csv"; return 1; fi
}
refuses() { # words, options: status 1 and one line
    words=$1
    shift
    if timeout 60 $MPIEXEC -n 2 "$bench" "$@" >"$work/out" 2>"$work/err"; then echo "accepted"; return 1; fi
    [ "$(grep -c -- "$words" "$work/err")" = 1 ] || { cat "$work/out" "$work/err"; return 1; }
}

for p in 1 2 3; do
    for collective in alltoall alltoallv alltoallw allgather allgatherv; do
        check "$collective on $p" measure $p 6 --collective $collective --bytes 4,512
    done
done
check "both algorithms, in all forms" measure 4 12 --algorithms alltoall_direct,alltoall_combining --forward --bytes 4,64
check "a mesh of three dimensions" measure 4 3 --mesh --grid 2x1x2 --stencil manhattan:2 --bytes 8
check "offsets one by one" measure 3 3 --grid 3 --stencil 'offsets:1;-1;2;0' --bytes 8
check "a grid of another size is refused" refuses "--grid 3x3" neighbor --grid 3x3
check "no grid is refused" refuses "--grid twoxtwo" neighbor --grid twoxtwo
check "no stencil is refused" refuses "--stencil hexagon:1" neighbor --stencil hexagon:1
check "points of other dimensions are refused" refuses "--stencil offsets" neighbor --stencil 'offsets:1;2'
check "half an int is refused" refuses "--bytes" neighbor --bytes 6
check "a file that cannot be written is refused" refuses "--csv /nowhere" neighbor --csv /nowhere/at/all
finish
