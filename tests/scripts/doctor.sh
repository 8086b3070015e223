# SPDX-License-Identifier: BSD-3-Clause
# ortho-bench doctor: one page on any number of processes, the same as JSON, and what is wrong is told with
# what to do.
. "$srcdir/tests/tables.sh"
# As users have it.
unset ORTHO_SINGLE_COPY
bench=$builddir/tools/ortho-bench

# run PROCESSES WORDS...: the program and its options, perhaps behind env, taskset.
run() { on "$@" >"$work/out" 2>"$work/err" || { cat "$work/out" "$work/err"; return 1; }; }
has() { # lines, as grep -E wants them: each is there
    for line; do
        grep -qE -- "$line" "$work/out" || { cat "$work/out"; echo "not there: $line"; return 1; }
    done
}
sections='Program Nodes Memory_of_a_node Network Machine Exchanges Problems'
page() { # processes, words: a title, all sections in order, five exchanges
    run "$1" "$bench" doctor --budget-s 0.2 || return 1
    [ "$(grep '^[A-Z]' "$work/out" | tr ' ' '_' | tr '\n' ' ')" = "$sections " ] ||
        { cat "$work/out"; return 1; }
    [ "$(grep -cE '^  all(toall|gather) [123]d:.*_(direct|combining)' "$work/out")" = 5 ] ||
        { cat "$work/out"; return 1; }
    has "^mpiortho [0-9.]*: $1 process(es)? on 1 node$" "^  MPI  *[A-Z]" "^  the library sees  1 node$" "$2" || return 1
    # Rows of 4 KiB go through rings, and trials of them are repeated.
    [ "$1" = 1 ] || has "^  copies  .*stores past the caches won [0-9]* of [1-9][0-9]* trials of rows$"
}
json() { # the same as JSON, which Python reads
    run 2 env ORTHO_EXPLAIN=0 "$bench" doctor --budget-s 0.2 --json || return 1
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert report["nodes"]["table"][0]["processes"] == 2, report
assert len(report["exchanges"]["table"]) == 5, report
assert report["exchanges"]["table"][0]["ratio"] > 0, report
assert report["program"]["variables"] == "ORTHO_EXPLAIN=0", report
assert isinstance(report["problems"], list), report' "$work/out" || { cat "$work/out"; return 1; }
}
broken() { # all on one core, a misspelt variable, no copy from process to process
    preload=${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/read_limit.so
    run 2 env ORTHO_EXPLAN=1 LD_PRELOAD="$preload" taskset -c 0 "$bench" doctor --budget-s 0.2 || return 1
    has 'ORTHO_EXPLAN means nothing to mpiortho; did you mean ORTHO_EXPLAIN\?\.$' \
        'Ranks 0 and 1 are both bound to core 0 of ' '^  one copy  *refused: Operation not permitted$' \
        'Rank 0 may not read the memory of its neighbor on .* are copied twice\.$'
}
switched_off() { # by variables
    run 2 env ORTHO_SHM=0 ORTHO_SINGLE_COPY=0 ORTHO_NODES=1 ORTHO_VERIFY=1 "$bench" doctor --budget-s 0.2 ||
        return 1
    has '^  shared memory  *switched off by ORTHO_SHM=0$' \
        '^  one copy  *switched off by ORTHO_SINGLE_COPY=0$' \
        '^  the library sees  2 nodes$' 'ORTHO_NODES=1 has the library plan for other nodes' \
        'ORTHO_VERIFY=1 has'
}
refused() { # a tune file that is not there: nothing is measured, and the rest is told
    run 2 env ORTHO_TUNE=/nowhere/at/all "$bench" doctor || return 1
    has 'The library makes no graph: .*ORTHO_TUNE names a file that cannot be read, /nowhere/at/all' \
        '^  /dev/shm' && ! grep -q '^Exchanges' "$work/out"
}
tuned() { # its numbers are those that the library plans with
    echo 'node.latency_ps 99000000000' >"$work/tune"
    run 2 env ORTHO_TUNE="$work/tune" "$bench" doctor --budget-s 0.2 || return 1
    has "^  tune file  *$work/tune$" '^  planned with  *the tune file$' '^  on a node, by MPI  *99000.50 '
}
unequal() { # the environment does not reach all processes
    run 1 env ORTHO_EXPLAIN=0 "$bench" doctor --budget-s 0.2 : -n 1 "$bench" doctor --budget-s 0.2 || return 1
    has '1 process has other variables ORTHO_\* than rank 0' \
        '^  variables  *none \(1 process\); ORTHO_EXPLAIN=0 \(1 process\)$'
}

check "a page of one process" page 1 '^  shared memory  *not tried: no node has two processes$'
check "of two processes" page 2 '^  shared memory  *works'
for p in $(few 4); do check "of four processes" page "$p" '^  one copy  *allowed'; done
check "the same as JSON" json
check "what is broken is told" broken
check "what variables switch off is told" switched_off
check "a wrong tune file is told" refused
check "planned numbers are the tune file's" tuned
check "variables that do not reach all processes are told" unequal
split() { # a host comes again behind another name of this machine, which MPICH takes for a third node
    printf '%s\n' localhost "$(hostname)" localhost >"$work/hosts"
    (MPIEXEC="$MPIEXEC -f $work/hosts -launcher fork" && run 3 "$bench" doctor --budget-s 0.2) || return 1
    has '^mpiortho .*: 3 processes on 3 nodes$' '^  [1-9]. MPI takes .* for 3 nodes\.$' '-rankmap 0,1,1,0' &&
        ! grep 'Please report it' "$work/out"
}
case $($MPIEXEC --version 2>&1 | head -n 3 | tr '\n' ' ') in
HYDRA*) check "a host that is several nodes to the MPI is told" split ;;
esac
check "an unknown option is refused" refuses "try --help" doctor --speed
