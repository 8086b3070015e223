# SPDX-License-Identifier: BSD-3-Clause
# bench/book_bench, which makes tables of the book: it runs, has right results, and refuses what makes no sense.
bench=$builddir/bench/book_bench/book_bench
. "$srcdir/tests/tables.sh"

builds() { make -s -C "$builddir" bench/book_bench/book_bench >"$work/out" 2>&1 || { cat "$work/out"; return 1; }; }
check "it is built" builds
explained() { check "… its columns are explained: $1" columns_are_explained; }
prints() { # words, options: a line has them
    words=$1
    shift
    bench_on 1 "$@" && grep -q -- "$words" "$work/out" || { cat "$work/out"; return 1; }
}
estimate=' +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]'
cells() { # subcommand, cells, options: a line a cell, all of ours right
    command=$1 wanted=$2
    shift 2
    measures 2 "$command" "$@" || return 1
    # call d n t m form us us, three estimates, algorithm
    call='^all[a-z]+ +[0-9]+ [0-9]+ +[0-9]+ +[0-9]+ (blocking|nonblocking|persistent) +[0-9.]+ +[0-9.]+'
    lines $wanted out "$call($estimate){3} all[a-z]+_(direct|combining)" \
        1 out "^# $wanted cells\.  Geometric means: speed-up [0-9.]+, control [0-9.]+, direct [0-9.]+$" \
        $((20 * wanted)) csv '^sample,.*,mpiortho,.*,yes$' $((3 * wanted)) csv '^(speedup|direct|control),'
}
everybody() { # lines, options: all of ours right, from both kinds of buffers
    wanted=$1
    shift
    measures 3 dense "$@" || return 1
    # call bytes us us, three estimates
    lines $wanted out "^all[a-z]+ +[0-9]+ +[0-9.]+ +[0-9.]+($estimate){3}\$" \
        $((10 * wanted)) csv '^all.*,mpiortho,blocking,shared,.*,yes$' \
        $((10 * wanted)) csv '^all.*,mpiortho,blocking,private,.*,yes$'
}
one_sided() { # lines, options: all of ours right
    wanted=$1
    shift
    measures 2 window "$@" || return 1
    # side depth us, six estimates
    lines $wanted out "^ +[0-9]+ +[0-9]+ +[0-9.]+($estimate){6}" \
        $((40 * wanted)) csv ',mpiortho,(put|get|alltoallw|persistent),.*,yes$'
}
places() { # edges that leave, lines, options: on nodes of two processes; all right, whoever sent it
    leaving=$1 wanted=$2
    shift 2
    measures 4 ORTHO_NODES=2 "$bench" place "$@" || return 1
    lines 1 out "^# edges that leave their nodes: $leaving\$" \
        $wanted out "^ +[0-9]+( +[0-9.]+){3}($estimate){6} alltoall_(direct|combining)" \
        $((70 * wanted)) csv ',(mpiortho|by hand),(numbered|gropp|placed|control),,.*,yes$'
}
schedules() { # processes, cells, options: all right, one chosen in each cell, every one of ours predicted, and a summary
    processes=$1 wanted=$2
    shift 2
    bench_on "$processes" schedules --samples 2 --batch 2 --csv "$work/csv" "$@" || return 1
    rows=$(($(wc -l <"$work/csv") - 1))
    predicted=$(sed -n 's/^# \([0-9]*\) predictions; relative error: .*/\1/p' "$work/out")
    lines $rows csv ',yes$' $wanted csv '_[a-z_]*,yes,[0-9.]*,' $wanted out '^\* [a-z]+(_[a-z]+)+ ' \
        $((rows - predicted)) csv ',(rounds|all_at_once|[a-z]*_and_reduce),no,,' 1 out "^# $wanted cells; the choice"
}
hurries() { # a budget that allows no more than the fewest runs
    bench_on 2 neighbor --d 3 --n 5 --m 1000 --runs 50 --samples 9 --budget-s 0.0001 && lines 1 out '  \(5 runs of 1\)$'
}
sets_up() { # pattern of a line, fields, lines, options
    pattern=$1 columns=$2 wanted=$3
    shift 3
    bench_on 2 setup --repeats 2 "$@" && fields "$pattern" "$columns" "$wanted"
}
overlaps() { # with a thread of the library, or without
    bench_on 2 "$@" "$bench" overlap --side 6,8 --samples 3 && fields '^ *[68] (messages|MPI|mpiortho) ' 6 6
}
in_memory() { grep -q "ghosts of .* of doubles in $1 memory" "$work/out" || { cat "$work/out"; return 1; }; }

check "cells of boxes" cells neighbor 12 --collective alltoall,allgather --d 2,3 --n 3 --m 1,10,100
explained "tables of neighbor"
check "cells on a mesh" cells neighbor 2 --d 2 --n 4 --m 1,5 --mesh --grid 1x2
check "cells with hardly any time" hurries
check "cells of sums" cells reduce 4 --d 1,3 --n 3 --m 1,100
explained reduce
check "cells of sums on a mesh" cells reduce 1 --d 2 --n 4 --m 10 --mesh
check "schedules" schedules 4 10 --collective alltoall,alltoallv,allgather,allreduce,reduce_scatterv --d 2 --n 3 --m 1,9
explained schedules
check "schedules on a mesh" schedules 3 5 --collective alltoall,alltoallv,allgather,allreduce,reduce_scatterv --d 2 --n 4 --m 3 --mesh --grid 1x3
check "schedules without one by hand" schedules 2 1 --collective alltoall --d 2 --n 3 --m 1 --without all_at_once
without_it() { grep -q ',rounds,' "$work/csv" && ! grep -q all_at_once "$work/csv"; }
check "… and it is not there" without_it
check "schedules in a file that cannot be written are refused" refuses "--csv /nowhere" schedules --csv /nowhere/at/all
check "ghosts by one-sided communication" one_sided 2 --sides 4,6 --depths 2
explained window
check "ghosts by one-sided communication on a mesh" one_sided 1 --mesh --sides 5
check "one-sided communication in memory that processes share" one_sided 1 --memory shared --sides 5
check "… which it says" in_memory shared
check "ranks in three orders" places "8 as numbered, 0 by Gropp's method, 0 placed" 2 --grid 2x2 --stencil 'offsets:1,0;-1,0' --bytes 8,4096
explained place
check "ranks in three orders, on a mesh" places "2 as numbered, 2 by Gropp's method, 2 placed" 1 --mesh --grid 1x4 --bytes 64
check "ranks on no grid are refused" refuses "--grid 3x1" place --grid 3x1
check "setting up" sets_up '^[0-9] [0-9] ' 12 4 --d 1,3 --n 3,4 --collective allgather
check "… its columns are explained" columns_are_explained
check "graphs after another" sets_up '^[0-9] [0-9] ' 10 2 --graphs --d 1,2 --n 3
check "… its columns are explained" columns_are_explained
check "setting up with many offsets" sets_up '^ +[0-9]+ ' 5 2 --offsets 100,2000
check "overlap" overlaps ORTHO_EXPLAIN=0
explained "the table of overlap"
check "overlap with a thread" overlaps ORTHO_PROGRESS=thread
check "… its columns are explained, too" columns_are_explained
check "a grid of other dimensions is refused" refuses "--grid 1x2 has not the 3 dimensions" neighbor --d 2,3 --grid 1x2
check "fewer than five runs are refused" refuses "--runs" reduce --runs 4
check "everybody with everybody: a line a case" everybody 8 --collective alltoall,alltoallv,allgather,allgatherv --bytes 4,20000
explained dense
check "everybody: half an int is refused" refuses "--bytes" dense --bytes 10
check "everybody: a file that cannot be written is refused" refuses "--csv /nowhere" dense --csv /nowhere/at/all
check "too many elements are refused" refuses "more than MPI counts" neighbor --d 8 --n 9 --m 100
check "schedules of too many elements are refused" refuses "more than MPI counts" schedules --collective alltoallv --d 5 --n 3 --m 1000

# Traeff and Hunold, Cartesian Collective Communication, Table 1: d, n, t, C, V of allgather, V of alltoall,
# ratio.  The first ratio is printed there as 1.167, which (9-4)/(12-9) is not.
table_1() {
    $MPIEXEC -n 1 "$bench" counts | $AWK 'NF == 10 && $1 + 0 > 0 { print $1, $2, $3, $4, $5, $6, $7 }' | diff - /dev/fd/3 3<<END
2 3 8 4 8 12 1.667
2 4 15 6 15 24 1.250
2 5 24 8 24 40 1.133
3 3 26 6 26 54 0.778
3 4 63 9 63 144 0.688
3 5 124 12 124 300 0.646
4 3 80 8 80 216 0.541
4 4 255 12 255 768 0.477
4 5 624 16 624 2000 0.443
5 3 242 10 242 810 0.411
5 4 1023 15 1023 3840 0.358
5 5 3124 20 3124 12500 0.331
END
}
# A reduction sends C blocks in C messages, and reduce_scatter what allgather does, backwards.
reductions() {
    $MPIEXEC -n 1 "$bench" counts | $AWK 'NF == 10 && $1 + 0 > 0 { rows++; if ($9 != $4 || $10 != $5) { print; exit 1 } } END { exit rows != 12 }'
}
check "counts: Table 1 of the paper" table_1
check "counts: the reductions" reductions
check "counts: groups lie between direct and combining" prints '^ 5  3 *242/242 *34/450 *18/594 *14/702 *10/810$' counts
check "counts of other stencils" prints '^ 1  2 *1 *1 *1 *1 *- *-  *1 *1$' counts --d 1,2 --n 2
check "sweep" prints '^4 dimensions, dividing *[0-9]* .* 0$' sweep --processes 60 --node-size 12 --stride 5
sweep_csv() { $MPIEXEC -n 1 "$bench" sweep --processes 40 --node-size 9 --dividing --csv "$work/csv" >"$work/out" && grep -q '^6x6,9,40,24,24,gropp,24,[0-9]*,[0-9]*,[0-9]*$' "$work/csv"; }
check "sweep: its cases" sweep_csv
check "stencils too large to count" refuses "more than 65536 offsets" counts --d 20 --n 9
# Patches of a mosaic beside messages by hand: all ghosts of all three are compared.
many_patches() {
    make -s -C "$builddir" bench/mosaic/patches >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    (bench=$builddir/bench/mosaic/patches && bench_on 3 2 3 5 2) && lines 1 out '^3 5 2( [0-9]+\.[0-9]{2}){3}$'
}
check "bench/mosaic/patches: right by all three" many_patches
