#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ortho-bench runs, has right results, writes what it says, and refuses what makes no sense.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bench=$builddir/tools/ortho-bench

forms() { # processes, rows, subcommand, options: a row a form, all of ours right, and a summary
    p=$1 wanted=$2 command=$3
    shift 3
    timeout -k 10 "$limit" $MPIEXEC -n "$p" "$bench" "$command" --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    # call topology t bytes form rival us us ratio control mark algorithm
    rows=$(grep -cE '^(all|halo|outward)[a-z]* +[^ ]+ +[0-9]+ +[0-9.]+[KM]?i?B [a-z]+ +[a-z]+( +[0-9.]+){4} (-|slower) +[a-z]+_(direct|combining)' "$work/out")
    verdicts=$(grep -cE '^verdict,.*,(yes|no),$' "$work/csv")
    ours=$(grep -c '^sample,.*,mpiortho,.*,yes$' "$work/csv")
    rivals=$(grep -cE '^sample,.*,(MPI|by hand),' "$work/csv")
    slower=$(grep -cE ' slower +[a-z]+_' "$work/out")
    ends=$(grep -cE "^# $wanted cells, $slower slower, worst [0-9.]+ \(.*\), geometric mean [0-9.]+$" "$work/out")
    [ "$rows/$verdicts/$ours/$rivals/$ends" = "$wanted/$wanted/$((10 * wanted))/$((20 * wanted))/1" ] ||
        { cat "$work/out"; echo "$rows/$verdicts/$ours/$rivals/$ends"; return 1; }
}
measure() { # processes, rows, options: without the form that not all MPIs have
    p=$1 wanted=$2
    shift 2
    forms "$p" "$wanted" neighbor --form blocking,nonblocking,run "$@"
}
persistent() { # where the MPI has it not, the table says so
    if timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" neighbor --form persistent --bytes 8 --runs 5 --samples 1 >"$work/out" 2>&1 &&
        grep -q '^# left out: persistent: this MPI has no such form$' "$work/out"
    then grep -qx '# 0 cells' "$work/out"
    else forms 2 1 neighbor --form persistent --bytes 8 && grep -qE '8B persistent  persistent ' "$work/out"
    fi
}
refuses() { # words, options: status 1 and one line
    words=$1
    shift
    if timeout 60 $MPIEXEC -n 2 "$bench" "$@" >"$work/out" 2>"$work/err"; then echo "accepted"; return 1; fi
    [ "$(grep -c -- "$words" "$work/err")" = 1 ] || { cat "$work/out" "$work/err"; return 1; }
}

# The last run's tables: their names of columns are those that are explained above them, no more and no fewer.
columns_are_explained() {
    $AWK '
        /^#   / { name = substr($0, 5); sub(/  .*/, "", name); names[++n] = name }
        !/^#/ && NF {
            line = $0
            split("", seen)
            for (turn = 1; turn <= n; ++turn) { # long names first, since short ones may be in them
                longest = 0
                for (i = 1; i <= n; ++i) if (!(i in seen) && (!longest || length(names[i]) > length(names[longest]))) longest = i
                seen[longest] = 1
                place = index(line, names[longest])
                if (!place) next
                line = substr(line, 1, place - 1) " " substr(line, place + length(names[longest]))
            }
            if (line ~ /^ *$/) ++headers
        }
        END { exit !(n && headers) }' "$work/out" || { cat "$work/out"; return 1; }
}
# The last run's CSV file: the page has its columns.
csv_is_explained() {
    $AWK '/^\.S[SH]/ { on = /^\.SS CSV files/ } on && /^\.BR? / { gsub(/[",]/, " "); print }' "$srcdir/man/ortho-bench.1" >"$work/page"
    for column in $(head -n 1 "$work/csv" | tr , ' '); do
        grep -qw -- "$column" "$work/page" || { echo "nothing explains $column"; return 1; }
    done
}
explained() { # what was run
    check "… its columns are explained: $1" columns_are_explained
    check "… and those of its CSV file: $1" csv_is_explained
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
    lines=$(grep -cE '^all[a-z]+ +[0-9]+ [0-9]+ +[0-9]+ +[0-9]+ (blocking|nonblocking|persistent) +[0-9.]+ +[0-9.]+( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){3} all[a-z]+_(direct|combining)' "$work/out")
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
    shared=$(grep -c '^all.*,mpiortho,blocking,shared,.*,yes$' "$work/csv")
    private=$(grep -c '^all.*,mpiortho,blocking,private,.*,yes$' "$work/csv")
    [ "$lines/$shared/$private" = "$wanted/$((10 * wanted))/$((10 * wanted))" ] || { cat "$work/out"; echo "$lines/$shared/$private"; return 1; }
}
halos() { # lines, options: all of ours right
    wanted=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n 2 "$bench" halo --runs 5 --samples 2 --batch-ms 0.2 --csv "$work/csv" "$@" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    ours=$(grep -c ',mpiortho,.*,yes$' "$work/csv")
    by_hand=$(grep -c ',by hand,.*,yes$' "$work/csv")
    lines=$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+ (blocking|nonblocking|persistent) .* halo_(direct|combining)$' "$work/out")
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
    lines=$(grep -cE '^ +[0-9]+( +[0-9.]+){3}( +[0-9.]+ \[ *[0-9.]+, *[0-9.]+\]){6} alltoall_(direct|combining)' "$work/out")
    rows=$(grep -cE ',(mpiortho|by hand),(numbered|gropp|placed|control),,.*,yes$' "$work/csv")
    grep -qx "# edges that leave their nodes: $leaving" "$work/out" && [ "$lines/$rows" = "$wanted/$((70 * wanted))" ] ||
        { cat "$work/out"; echo "$lines/$rows"; return 1; }
}
tunes() { # processes, a comment, ORTHO_SHM: what it writes is read
    ORTHO_SHM=${3:-} timeout -k 10 "$limit" $MPIEXEC -n "$1" "$bench" tune --tolerance 1000 --out "$work/tune" >"$work/out" 2>&1 ||
        { cat "$work/out"; return 1; }
    grep -q "^# $2" "$work/tune" || { cat "$work/tune"; return 1; }
    grep -qE '^reduce_byte_ps [0-9]+$' "$work/tune" && "$builddir/tools/ortho-plan" predict 'alltoall:torus 4x4:moore:1:1KiB' --tune "$work/tune" >"$work/out" ||
        { cat "$work/tune" "$work/out"; return 1; }
}
told() { cat "$work/said"; return "$1"; }
# check_tune "what" command...: on a busy machine nothing can be measured, which tune says.
check_tune() {
    what=$1
    shift
    "$@" >"$work/said" 2>&1
    status=$?
    if [ $status != 0 ] && grep -q 'nothing is written: something else keeps the machine busy' "$work/out"; then
        left_out "$what" "the machine is busy"
    else
        check "$what" told $status
    fi
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
explained "tables of forms"
check "the persistent form" persistent
check "several stencils, and sizes with units" measure 2 12 --stencil 1d:manhattan:1 3d:moore:1 --bytes 8,1KiB
left_out() {
    measure 2 3 --bytes 4,1KiB --room 64B && grep -qx '# left out: alltoall 2d:moore:1 1KiB: its buffers are 16 KiB a process, more than 64 B' "$work/out" ||
        { cat "$work/out"; return 1; }
}
check "what needs too much memory is left out" left_out
check "a mesh of three dimensions" measure 4 3 --mesh --grid 2x1x2 --stencil manhattan:2 --bytes 8
check "offsets one by one" measure 3 3 --grid 3 --stencil 'offsets:1;-1;2;0' --bytes 8
check "a stencil with a blank" measure 2 3 --stencil 'moore 1' --bytes 8
its_name() { grep -qE '^alltoall +2d:moore:1 +8 ' "$work/out" && grep -q '"2d:moore:1"' "$work/csv"; }
check "… has a colon in its name" its_name
check "a box from here to there" measure 2 3 --stencil box:-1..2 --bytes 8
check "a box of three dimensions" measure 2 3 --dimensions 3 --stencil box:4 --bytes 8
check "cells of boxes" cells neighbor 12 --collective alltoall,allgather --d 2,3 --n 3 --m 1,10,100
explained "tables of neighbor"
check "cells on a mesh" cells neighbor 2 --d 2 --n 4 --m 1,5 --mesh --grid 1x2
check "cells with hardly any time" hurries
check "cells of sums" cells reduce 4 --d 1,3 --n 3 --m 1,100
explained reduce
check "cells of sums on a mesh" cells reduce 1 --d 2 --n 4 --m 10 --mesh
check "schedules" schedules 4 8 --collective alltoall,alltoallv,allgather,allreduce --d 2 --n 3 --m 1,9
explained schedules
check "schedules on a mesh" schedules 3 4 --collective alltoall,alltoallv,allgather,allreduce --d 2 --n 4 --m 3 --mesh --grid 1x3
check "schedules without one by hand" schedules 2 1 --collective alltoall --d 2 --n 3 --m 1 --without all_at_once
without_it() { grep -q ',rounds,' "$work/csv" && ! grep -q all_at_once "$work/csv"; }
check "… and it is not there" without_it
check "schedules in a file that cannot be written are refused" refuses "--csv /nowhere" schedules --csv /nowhere/at/all
check "ghosts" halos 8 --sides 4,6 --depths 1,3 --fields 1,2
explained halo
ways=5
! grep -q ',MPI,persistent,' "$work/csv" || ways=6 # MPI's two forms or three, and three by hand
check "ghosts, a row a form" forms 2 $((2 * ways)) halo --form persistent,run --sides 6 --depths 1 --fields 2
explained "halo's table of forms"
check "ghosts that fields move into" forms 1 $ways halo --form run --sides 6 --depths 2 --fields 9 --directions outward
check "ghosts in memory that processes share" halos 1 --memory shared --sides 24 --depths 2 --fields 1
in_memory() { grep -q "ghosts of .* of doubles in $1 memory" "$work/out" || { cat "$work/out"; return 1; }; }
check "… which it says" in_memory shared
check "ghosts on a mesh" halos 1 --mesh --sides 5 --depths 2 --fields 2
check "… in private memory, if nothing is said" in_memory private
check "ghosts by one-sided communication" one_sided 2 --sides 4,6 --depths 2
explained window
check "ghosts by one-sided communication on a mesh" one_sided 1 --mesh --sides 5
check "one-sided communication in memory that processes share" one_sided 1 --memory shared --sides 5
check "… which it says" in_memory shared
check "no memory is refused" refuses "--memory" halo --memory heap
check "ranks in three orders" places "8 as numbered, 0 by Gropp's method, 0 placed" 2 --grid 2x2 --stencil 'offsets:1,0;-1,0' --bytes 8,4096
explained place
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
check_tune "what is measured is read" tunes 2 'shared.*two processes$'
check_tune "shared memory is measured" measures_shared_memory
check_tune "shared memory is not measured by a process alone" built_in 1 'node.*, shared.*: built-in'
check_tune "shared memory is not measured where it is not used" built_in 2 'shared.*: built-in' 0
progress() { # on a terminal: the share that is done, and the time that is left
    timeout -k 10 "$limit" script -qec "'$bench' neighbor --d 1 --n 2 --m 1,2,3,4 --runs 1000 --samples 100 --budget-s 2" /dev/null >"$work/out" 2>&1 </dev/null &&
        grep -q 'cell \[=*> *\] [123] of 4, about [0-9]* s left' "$work/out" || { cat "$work/out"; return 1; }
}
check "how long it still takes is told on a terminal" progress
check "more ghosts than there are owned are refused" refuses "more layers" halo --sides 2 --depths 3
check "setting up" sets_up '^[0-9] [0-9] ' 12 4 --d 1,3 --n 3,4 --collective allgather
check "… its columns are explained" columns_are_explained
check "setting up with many offsets" sets_up '^ +[0-9]+ ' 5 2 --offsets 100,2000
overlaps() { # with a thread of the library, or without
    timeout -k 10 "$limit" $MPIEXEC -n 2 env "$@" "$bench" overlap --side 6,8 --samples 3 >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    fields '^ *[68] (messages|MPI|mpiortho) ' 6 6
}
check "overlap" overlaps ORTHO_EXPLAIN=0
explained "the table of overlap"
check "overlap with a thread" overlaps ORTHO_PROGRESS=thread
check "… its columns are explained, too" columns_are_explained
check "no number of dimensions is refused" refuses "--stencil '0d:moore:1' has no dimensions" neighbor --stencil 0d:moore:1
check "another number than the grid's is refused" refuses "--grid 1x2 has not the 3 dimensions" neighbor --grid 1x2 --stencil 3d:moore:1
check "no form is refused" refuses "--form" neighbor --form eager
check "no size is refused" refuses "--bytes: size '4KB' is no number of" neighbor --bytes 4KB
check "a grid of other dimensions is refused" refuses "--grid 1x2 has not the 3 dimensions" neighbor --d 2,3 --grid 1x2
check "fewer than five runs are refused" refuses "--runs" reduce --runs 4
check "everybody with everybody: a line a case" everybody 8 --collective alltoall,alltoallv,allgather,allgatherv --bytes 4,20000
explained dense
check "everybody: half an int is refused" refuses "--bytes" dense --bytes 10
check "everybody: a file that cannot be written is refused" refuses "--csv /nowhere" dense --csv /nowhere/at/all
check "too many elements are refused" refuses "more than MPI counts" neighbor --d 8 --n 9 --m 100
check "schedules of too many elements are refused" refuses "more than MPI counts" schedules --collective alltoallv --d 5 --n 3 --m 1000
check "a stencil and cells are refused" refuses "excludes" neighbor --d 2 --stencil moore:1
check "a grid of another size is refused" refuses "--grid 3x3" neighbor --grid 3x3
check "no grid is refused" refuses "--grid twoxtwo" neighbor --grid twoxtwo
check "no stencil is refused" refuses "--stencil 'hexagon:1' begins with none of" neighbor --stencil hexagon:1
check "points of other dimensions are refused" refuses "--stencil 'offsets:1;2': offset '1' has 1 coordinates" neighbor --stencil 'offsets:1;2'
check "half an int is refused" refuses "--bytes" neighbor --bytes 6
# Whole programs (bench/apps): all ways to exchange have the same results, in the twelve rows of three programs.
apps_agree() { # processes
    make -s bench/apps/apps >/dev/null 2>&1 || return 1
    timeout -k 10 "$limit" $MPIEXEC -n "$1" bench/apps/apps --side 12,7,5 --rounds 2 --batch-ms 1 >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
    [ "$(grep -cE '^(cavity|heat3d|sparse) +[0-9]+ +'"$1"' ' "$work/out")" = 12 ] || { cat "$work/out"; return 1; }
}
edges_are_right() { # grid, processes
    make -s bench/edges/edges >/dev/null 2>&1 || return 1
    for pattern in equal horizontal vertical circular; do
        timeout -k 10 "$limit" $MPIEXEC -n "$2" bench/edges/edges "$1" $pattern 64,16384 2 >"$work/out" 2>&1 &&
            [ "$(wc -l <"$work/out")" -ge 3 ] || { cat "$work/out"; return 1; }
    done
}
check "bench/edges: all orders have the same results" edges_are_right 2x2 4
for p in $(few 1 2 3 4); do check "bench/apps: all ways to exchange have the same results, on $p" apps_agree "$p"; done
check "a file that cannot be written is refused" refuses "--csv /nowhere" neighbor --csv /nowhere/at/all
finish
