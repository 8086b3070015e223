# SPDX-License-Identifier: BSD-3-Clause
# ortho-bench runs, has right results, writes what it says, and refuses what makes no sense.
bench=$builddir/tools/ortho-bench
. "$srcdir/tests/tables.sh"

forms() { # processes, rows, subcommand, options: a row a form, all of ours right, and a summary
    p=$1 wanted=$2 command=$3
    shift 3
    measures "$p" "$command" "$@" || return 1
    slower=$(grep -cE ' slower +[a-z]+_' "$work/out")
    # call topology t bytes form rival us us ratio control mark algorithm
    measured='[^ ]+ +[0-9]+ +[0-9.]+[KM]?i?B [a-z]+ +[a-z]+( +[0-9.]+){4} (-|slower) +[a-z]+_(direct|combining)'
    lines $wanted out "^(all|halo|outward)[a-z]* +$measured" $wanted csv '^verdict,.*,(yes|no),$' \
        $((10 * wanted)) csv '^sample,.*,mpiortho,.*,yes$' $((20 * wanted)) csv '^sample,.*,(MPI|by hand),' \
        1 out "^# $wanted cells, $slower slower, worst [0-9.]+ \(.*\), geometric mean [0-9.]+$"
}
measure() { # processes, rows, options: without the form that not all MPIs have
    p=$1 wanted=$2
    shift 2
    forms "$p" "$wanted" neighbor --form blocking,nonblocking,run "$@"
}
persistent() { # where the MPI has it not, the table says so
    if bench_on 2 neighbor --form persistent --bytes 8 --runs 5 --samples 1 &&
        grep -q '^# left out: persistent: this MPI has no such form$' "$work/out"
    then grep -qx '# 0 cells' "$work/out"
    else forms 2 1 neighbor --form persistent --bytes 8 && grep -qE '8B persistent  persistent ' "$work/out"
    fi
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
halos() { # lines, options: all of ours right
    wanted=$1
    shift
    measures 2 halo "$@" || return 1
    lines $wanted out '^ +[0-9]+ +[0-9]+ +[0-9]+ (blocking|nonblocking|persistent) .* halo_(direct|combining)$' \
        $((20 * wanted)) csv ',mpiortho,.*,yes$' $((20 * wanted)) csv ',by hand,.*,yes$'
}
tunes() { # processes, a comment, ORTHO_SHM: what it writes is read
    bench_on "$1" "ORTHO_SHM=${3:-}" "$bench" tune --tolerance 1000 --out "$work/tune" || return 1
    grep -q "^# $2" "$work/tune" && grep -qE '^reduce_byte_ps [0-9]+$' "$work/tune" &&
        "$builddir/tools/ortho-plan" predict 'alltoall:torus 4x4:moore:1:1KiB' --tune "$work/tune" >"$work/out" ||
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

for p in 1 2 3; do
    for collective in alltoall alltoallv alltoallw allgather allgatherv; do
        check "$collective on $p" measure $p 6 --collective $collective --bytes 4,512
    done
done
check "both algorithms, in all forms" measure 4 12 --algorithms alltoall_direct,alltoall_combining --forward --bytes 4,64
explained "tables of forms"
check "the persistent form" persistent
check "several stencils, and sizes with units" measure 2 12 --stencil 1d:manhattan:1 3d:moore:1 --bytes 8,1KiB
is_left_out() {
    measure 2 3 --bytes 4,1KiB --room 64B && grep -qx '# left out: alltoall 2d:moore:1 1KiB: its buffers are 16 KiB a process, more than 64 B' "$work/out" ||
        { cat "$work/out"; return 1; }
}
check "what needs too much memory is left out" is_left_out
check "a mesh of three dimensions" measure 4 3 --mesh --grid 2x1x2 --stencil manhattan:2 --bytes 8
check "offsets one by one" measure 3 3 --grid 3 --stencil 'offsets:1;-1;2;0' --bytes 8
check "a stencil with a blank" measure 2 3 --stencil 'moore 1' --bytes 8
its_name() { grep -qE '^alltoall +2d:moore:1 +8 ' "$work/out" && grep -q '"2d:moore:1"' "$work/csv"; }
check "… has a colon in its name" its_name
check "a box from here to there" measure 2 3 --stencil box:-1..2 --bytes 8
check "a box of three dimensions" measure 2 3 --dimensions 3 --stencil box:4 --bytes 8
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
check "no memory is refused" refuses "--memory" halo --memory heap
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
    timeout -k 10 "$limit" script -qec "'$bench' neighbor --bytes 4,8,16,32 --form blocking --runs 1000 --samples 100 --budget-s 2" /dev/null >"$work/out" 2>&1 </dev/null &&
        grep -q 'row \[=*> *\] [123] of 4, about [0-9]* s left' "$work/out" || { cat "$work/out"; return 1; }
}
check "how long it still takes is told on a terminal" progress
check "more ghosts than there are owned are refused" refuses "more layers" halo --sides 2 --depths 3
check "no number of dimensions is refused" refuses "--stencil '0d:moore:1' has no dimensions" neighbor --stencil 0d:moore:1
check "another number than the grid's is refused" refuses "--grid 1x2 has not the 3 dimensions" neighbor --grid 1x2 --stencil 3d:moore:1
check "no form is refused" refuses "--form" neighbor --form eager
check "no size is refused" refuses "--bytes: size '4KB' is no number of" neighbor --bytes 4KB
check "a grid of another size is refused" refuses "--grid 3x3" neighbor --grid 3x3
check "no grid is refused" refuses "--grid twoxtwo" neighbor --grid twoxtwo
check "no stencil is refused" refuses "--stencil 'hexagon:1' begins with none of" neighbor --stencil hexagon:1
check "points of other dimensions are refused" refuses "--stencil 'offsets:1;2': offset '1' has 1 coordinates" neighbor --stencil 'offsets:1;2'
check "half an int is refused" refuses "--bytes" neighbor --bytes 6
# Whole programs (bench/apps): all ways to exchange have the same results, in the twelve rows of three programs.
apps_agree() { # processes
    make -s bench/apps/apps >/dev/null 2>&1 || return 1
    (bench=bench/apps/apps && bench_on "$1" --side 12,7,5 --rounds 2 --batch-ms 1) &&
        lines 12 out '^(cavity|heat3d|sparse) +[0-9]+ +'"$1"' '
}
edges_are_right() { # grid, processes
    make -s bench/edges/edges >/dev/null 2>&1 || return 1
    for pattern in equal horizontal vertical circular; do
        (bench=bench/edges/edges && bench_on "$2" "$1" $pattern 64,16384 2) && [ "$(wc -l <"$work/out")" -ge 3 ] ||
            { cat "$work/out"; return 1; }
    done
}
check "bench/edges: all orders have the same results" edges_are_right 2x2 4
for p in $(few 1 2 3 4); do check "bench/apps: all ways to exchange have the same results, on $p" apps_agree "$p"; done
check "a file that cannot be written is refused" refuses "--csv /nowhere" neighbor --csv /nowhere/at/all
