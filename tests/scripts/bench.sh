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

fields() { # lines of a table that begin so: fields that every one has, lines there are
    lines=$(grep -cE "$1" "$work/out")
    bad=$($AWK -v wanted="$2" -v pattern="$1" '$0 ~ pattern && NF != wanted' "$work/out")
    if [ "$lines" != "$3" ] || [ -n "$bad" ]; then cat "$work/out"; echo "$lines lines; not of $2 fields: $bad"; return 1; fi
}
cells() { # subcommand, cells, options: a line a cell, all of ours right
    command=$1 wanted=$2
    shift 2
    timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" "$command" --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    # call d n t m form us us, three estimates in brackets, algorithm
    lines=$(grep -cE '^all[a-z]+ +[0-9]+ [0-9]+ +[0-9]+ +[0-9]+ (blocking|nonblocking|persistent) +[0-9.]+ +[0-9.]+( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){3}  all[a-z]+_(direct|combining)' "$work/out")
    ends=$(grep -cE "^# $wanted cells\.  Geometric means: speed-up [0-9.]+, control [0-9.]+, direct [0-9.]+$" "$work/out")
    ours=$(grep -c '^sample,.*,mpiortho,.*,yes$' "$work/csv")
    rows=$(grep -cE '^(speedup|direct|control),' "$work/csv")
    if [ "$lines/$ends/$ours/$rows" != "$wanted/1/$((20 * wanted))/$((3 * wanted))" ]; then
        cat "$work/out"
        echo "$lines/$ends/$ours/$rows"
        return 1
    fi
}
everybody() { # lines, options: all of ours right, from both kinds of buffers
    wanted=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n 3 "$bench" dense --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    # call bytes us us, three estimates in brackets
    lines=$(grep -cE '^all[a-z]+ +[0-9]+ +[0-9.]+ +[0-9.]+( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){3}$' "$work/out")
    heap=$(grep -c '^all.*,mpiortho,blocking,heap,.*,yes$' "$work/csv")
    private=$(grep -c '^all.*,mpiortho,blocking,private,.*,yes$' "$work/csv")
    [ "$lines/$heap/$private" = "$wanted/$((10 * wanted))/$((10 * wanted))" ] || { cat "$work/out"; echo "$lines/$heap/$private"; return 1; }
}
halos() { # lines, options: all of ours right
    wanted=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" halo --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    ours=$(grep -c ',mpiortho,.*,yes$' "$work/csv")
    by_hand=$(grep -c ',by hand,.*,yes$' "$work/csv")
    lines=$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+ (blocking|nonblocking|persistent) .*  halo_(direct|combining)$' "$work/out")
    if [ "$lines/$ours/$by_hand" != "$wanted/$((20 * wanted))/$((20 * wanted))" ]; then cat "$work/out"; return 1; fi
}
one_sided() { # lines, options: all of ours right
    wanted=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" window --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    # side depth us, six estimates in brackets
    lines=$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9.]+( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){6}' "$work/out")
    ours=$(grep -c ',mpiortho,\(put\|get\|alltoallw\|persistent\),.*,yes$' "$work/csv")
    [ "$lines/$ours" = "$wanted/$((40 * wanted))" ] || { cat "$work/out"; echo "$lines/$ours"; return 1; }
}
places() { # edges that leave, lines, options: on nodes of two processes; all right, whoever sent it
    leaving=$1 wanted=$2
    shift 2
    timeout -k 10 "$limit" $MPIEXEC -n 4 env ORTHO_NODES=2 "$bench" place --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    lines=$(grep -cE '^ +[0-9]+( +[0-9.]+){3}( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){6}  alltoall_(direct|combining)' "$work/out")
    rows=$(grep -cE ',(mpiortho|by hand),(numbered|gropp|placed|control),,.*,yes$' "$work/csv")
    grep -qx "# edges that leave their nodes: $leaving" "$work/out" && [ "$lines/$rows" = "$wanted/$((70 * wanted))" ] ||
        { cat "$work/out"; echo "$lines/$rows"; return 1; }
}
tunes() { # processes, a comment, ORTHO_SHM: what it writes is read
    ORTHO_SHM=${3:-} timeout -k 10 "$limit" $MPIEXEC -n "$1" "$bench" tune --tolerance 1000 --out "$work/tune" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    grep -q "^# $2" "$work/tune" || { cat "$work/tune"; return 1; }
    grep -qE '^reduce_byte_ps [0-9]+$' "$work/tune" && "$builddir/tools/ortho-plan" predict 'alltoall:torus 4x4:moore 1:1KiB' --tune "$work/tune" >"$work/out" ||
        { cat "$work/tune" "$work/out"; return 1; }
}
schedules() { # processes, cells, options: all right, one chosen in each cell, every one of ours predicted, and a summary
    processes=$1 wanted=$2
    shift 2
    timeout -k 10 "$limit" $MPIEXEC -n "$processes" "$bench" schedules --samples 2 --batch 2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    rows=$(($(wc -l <"$work/csv") - 1))
    right=$(grep -c ',yes$' "$work/csv")
    chosen=$(grep -c '_[a-z_]*,yes,[0-9.]*,' "$work/csv")
    marked=$(grep -c '^\* all' "$work/out")
    unpredicted=$(grep -cE ',(rounds|all_at_once|allgather_and_reduce),no,,' "$work/csv")
    predicted=$(sed -n 's/^# \([0-9]*\) predictions; relative error: .*/\1/p' "$work/out")
    [ "$right/$chosen/$marked/$((unpredicted + predicted))" = "$rows/$wanted/$wanted/$rows" ] && grep -q "^# $wanted cells; the choice" "$work/out" ||
        { cat "$work/out" "$work/csv"; return 1; }
}
hurries() { # a budget that allows no more than the fewest runs
    timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" neighbor --d 3 --n 5 --m 1000 --runs 50 --samples 9 --budget-s 0.0001 >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    grep -q '  (5 runs of 1)$' "$work/out" || { cat "$work/out"; return 1; }
}
sets_up() { # pattern of a line, fields, lines, options
    pattern=$1 columns=$2 wanted=$3
    shift 3
    timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" setup --repeats 2 "$@" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    fields "$pattern" "$columns" "$wanted"
}

for p in 1 2 3; do
    for collective in alltoall alltoallv alltoallw allgather allgatherv; do
        check "$collective on $p" measure $p 6 --collective $collective --bytes 4,512
    done
done
check "both algorithms, in all forms" measure 4 12 --algorithms alltoall_direct,alltoall_combining --forward --bytes 4,64
check "a mesh of three dimensions" measure 4 3 --mesh --grid 2x1x2 --stencil manhattan:2 --bytes 8
check "offsets one by one" measure 3 3 --grid 3 --stencil 'offsets:1;-1;2;0' --bytes 8
check "a box of three dimensions" measure 2 3 --dimensions 3 --stencil box:4 --bytes 8
check "cells of boxes" cells neighbor 12 --collective alltoall,allgather --d 2,3 --n 3 --m 1,10,100
check "cells on a mesh" cells neighbor 2 --d 2 --n 4 --m 1,5 --mesh --grid 1x2
check "cells with hardly any time" hurries
check "cells of sums" cells reduce 4 --d 1,3 --n 3 --m 1,100
check "cells of sums on a mesh" cells reduce 1 --d 2 --n 4 --m 10 --mesh
check "schedules" schedules 4 8 --collective alltoall,alltoallv,allgather,allreduce --d 2 --n 3 --m 1,9
check "schedules on a mesh" schedules 3 4 --collective alltoall,alltoallv,allgather,allreduce --d 2 --n 4 --m 3 --mesh --grid 1x3
check "schedules without one by hand" schedules 2 1 --collective alltoall --d 2 --n 3 --m 1 --without all_at_once
without_it() { grep -q ',rounds,' "$work/csv" && ! grep -q all_at_once "$work/csv"; }
check "… and it is not there" without_it
check "schedules in a file that cannot be written are refused" refuses "--csv /nowhere" schedules --csv /nowhere/at/all
check "ghosts" halos 8 --sides 4,6 --depths 1,3 --fields 1,2
check "ghosts in memory that processes share" halos 1 --heap --sides 24 --depths 2 --fields 1
check "ghosts on a mesh" halos 1 --mesh --sides 5 --depths 2 --fields 2
check "ghosts by one-sided communication" one_sided 2 --sides 4,6 --depths 2
check "ghosts by one-sided communication on a mesh" one_sided 1 --mesh --sides 5
check "ranks in three orders" places "8 as numbered, 0 by Gropp's method, 0 placed" 2 --grid 2x2 --stencil 'offsets:1,0;-1,0' --bytes 8,4096
check "ranks in three orders, on a mesh" places "2 as numbered, 2 by Gropp's method, 2 placed" 1 --mesh --grid 1x4 --bytes 64
check "ranks on no grid are refused" refuses "--grid 3x1" place --grid 3x1
measures_shared_memory() {
    # MPICH spins where processes share cores: there its bytes may not be measurable.
    few=3
    [ "$flavour" != mpich ] || few=2
    tunes $few 'network' && ! grep -q '^# shared.*built-in' "$work/tune" && grep -cE '^shared\.(send_ps|receive_ps|latency_ps|byte_ps) [0-9]+$' "$work/tune" | grep -qx 4 &&
        ! grep -qx 'shared.byte_ps 150' "$work/tune" || { cat "$work/tune"; return 1; }
}
built_in() { # processes, a comment, ORTHO_SHM: shared memory is not measured
    tunes "$@" || return 1
    for line in 'send_ps 60000' 'receive_ps 60000' 'latency_ps 150000' 'byte_ps 150'; do
        grep -qx "shared.$line" "$work/tune" || { cat "$work/tune"; return 1; }
    done
}
restless() { # nothing is as good as no tolerance wants it
    rm -f "$work/tune"
    refuses 'nothing is written: something else keeps the machine busy (.*: .* us in the first half of the samples' tune --tolerance 0 --out "$work/tune" &&
        [ ! -e "$work/tune" ]
}
check "a machine that is busy is not measured" restless
check "what is measured is read" tunes 2 'shared.*two processes$'
check "shared memory is measured" measures_shared_memory
check "shared memory is not measured by a process alone" built_in 1 'node.*, shared.*: built-in'
check "shared memory is not measured where it is not used" built_in 2 'shared.*: built-in' 0
check "more ghosts than there are owned are refused" refuses "more layers" halo --sides 2 --depths 3
check "setting up" sets_up '^[0-9] [0-9] ' 9 4 --d 1,3 --n 3,4 --collective allgather
check "setting up with many offsets" sets_up '^ +[0-9]+ ' 5 2 --offsets 100,2000
check "several collectives without cells are refused" refuses "--collective takes several" neighbor --collective alltoall,allgather
check "a grid of other dimensions is refused" refuses "--grid 1x2 has not the 3 dimensions" neighbor --d 2,3 --grid 1x2
check "fewer than five runs are refused" refuses "--runs" reduce --runs 4
check "everybody with everybody: a line a case" everybody 8 --collective alltoall,alltoallv,allgather,allgatherv --bytes 4,20000
check "everybody: half an int is refused" refuses "--bytes" dense --bytes 10
check "everybody: a file that cannot be written is refused" refuses "--csv /nowhere" dense --csv /nowhere/at/all
check "too many elements are refused" refuses "more than MPI counts" neighbor --d 8 --n 9 --m 100
check "schedules of too many elements are refused" refuses "more than MPI counts" schedules --collective alltoallv --d 5 --n 3 --m 1000
check "a stencil and cells are refused" refuses "excludes" neighbor --d 2 --stencil moore:1
check "a grid of another size is refused" refuses "--grid 3x3" neighbor --grid 3x3
check "no grid is refused" refuses "--grid twoxtwo" neighbor --grid twoxtwo
check "no stencil is refused" refuses "--stencil hexagon:1" neighbor --stencil hexagon:1
check "points of other dimensions are refused" refuses "--stencil offsets" neighbor --stencil 'offsets:1;2'
check "half an int is refused" refuses "--bytes" neighbor --bytes 6
check "a file that cannot be written is refused" refuses "--csv /nowhere" neighbor --csv /nowhere/at/all
finish
