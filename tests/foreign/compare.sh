# SPDX-License-Identifier: BSD-3-Clause
# Programs of others, plain, with the interposer, and plain again as the control.  Sourced by the scripts
# beside it, in a build folder of Debian's Open MPI, which Debian builds these programs with.
#   BENCH_ROUNDS  how often each runs, in turns
#   BENCH_TIMES   a file that gets the times, for bench/tables; then nothing runs that has none, or on more
#                 processes than cores
. "$srcdir/bench/as_installed.sh"
export LC_ALL=C OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
rounds=${BENCH_ROUNDS:-1}
case $flavour$mpi_major in
openmpi4) ;;
*)
    echo "Bail out! These programs are built with Debian's Open MPI 4; this build has $mpi_name $mpi_version."
    exit 1
    ;;
esac

# A script sets or defines these for its comparisons.  The output of a run's processes is in
# $work/RUN.out.RANK and $work/RUN.err.RANK; the runs are plain, ours and again.
settings=                         # of the interposer, in the environment
calls=                            # functions that the interposer must have replaced
expected=                         # a file with the answer, where the program's authors tell it
answer() { cat "$work/$1".out.*; } # what the run $1 has found
same_answer() { diff "$1" "$2"; } # of two files; says where they differ
seconds() { :; }                  # what the run $1 says it took: lines "PART SECONDS"
wrong_says='another answer with the interposer' # what is found where a neighbor's data are wrong
spoils=                           # for the compiler of spoiler.c: which functions
interposer=$builddir/.libs/libmpiortho-pmpi.so

# try RUN PROCESSES PROGRAM ARGUMENT...
try() {
    run=$1 processes=$2
    shift 2
    rm -f "$work/$run".*.[0-9]*
    with=
    [ "$run" != ours ] || with="LD_PRELOAD=$interposer ORTHO_PMPI_REPORT=1 $settings"
    # Each process has files of its own: lines of several do not mix.
    timeout -k 10 "$limit" $MPIEXEC $(crowd_option "$processes") -n "$processes" sh -c '
        files=$1 rank=$OMPI_COMM_WORLD_RANK
        shift
        exec env "$@" >"$files.out.$rank" 2>"$files.err.$rank"' \
        sh "$work/$run" $with "$@" >"$work/$run.mpiexec" 2>&1 && return
    echo "$run: it ended with status $?"
    tail -n 20 "$work/$run.mpiexec" "$work/$run".err.*
    return 1
}

agree() { # two files
    same_answer "$1" "$2" >"$work/difference" && return
    head -n 10 "$work/difference"
    return 1
}
# answers_agree PROCESSES PROGRAM ARGUMENT...: in all rounds, of all three.
answers_agree() {
    rm -f "$work"/*.seconds
    round=0
    while [ $round -lt "$rounds" ]; do
        round=$((round + 1))
        for one in plain ours again; do
            try $one "$@" || return 1
            answer $one >"$work/$one.answer"
            seconds $one >>"$work/$one.seconds"
            [ -s "$work/$one.answer" ] || { echo "$one: no answer"; return 1; }
            [ -z "$expected" ] || agree "$expected" "$work/$one.answer" ||
                { echo "$one: not the answer that the program's authors have"; return 1; }
        done
        agree "$work/plain.answer" "$work/again.answer" ||
            { echo "the program gives another answer each time"; return 1; }
        agree "$work/plain.answer" "$work/ours.answer" ||
            { echo "another answer with the interposer"; return 1; }
    done
}

# How many calls of a function the interposer replaced on rank 0, and of all functions.
replaced() { awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' "$work/ours.err.0"; }
all_replaced() { awk '/^  MPI_/ { n += $2 } END { print n + 0 }' "$work/ours.err.0"; }
agrees_and_was_used() {
    answers_agree "$@" || return 1
    for call in $calls; do
        [ "$(replaced "$call")" -gt 0 ] ||
            { echo "$call: none was replaced"; cat "$work/ours.err.0"; return 1; }
    done
}

median() { # of the times of a run's part
    awk -v part="$2" '$1 == part { print $2 }' "$work/$1.seconds" | sort -g |
        awk '{ x[NR] = $1 } END { printf "%.8f\n", NR ? x[int((NR + 1) / 2)] : 0 }'
}
# foreign NAME PROCESSES PROGRAM ARGUMENT...: a test, and its times.
foreign() {
    name=$1
    shift
    [ -z "${BENCH_TIMES:-}" ] || [ "$1" -le "$cores" ] || return 0
    check "$name on $1 processes" agrees_and_was_used "$@"
    for call in $calls; do echo "#   replaced on rank 0: $(replaced "$call") $call"; done
    for part in $(cut -d ' ' -f 1 "$work/plain.seconds" 2>/dev/null | sort -u); do
        row="$name $1 $part $(all_replaced) $(median plain $part) $(median ours $part) $(median again $part)"
        echo "$row" | awk '{ printf "#   %s: plain %g s, interposed %g s, plain %g s\n", $3, $5, $6, $7 }'
        [ -z "${BENCH_TIMES:-}" ] || echo "$row" >>"$BENCH_TIMES"
    done
}

fails_with() { # text, command
    text=$1
    shift
    "$@" >"$work/failure" && { echo "it did not fail"; return 1; }
    cat "$work/failure"
    grep -q -e "$text" "$work/failure"
}
# notices NAME PROCESSES PROGRAM ARGUMENT...: a test of the test, which must see that the interposer is not
# used, and that a neighbor's data are wrong.
notices() {
    name=$1
    shift
    [ -z "${BENCH_TIMES:-}" ] || return 0
    settings_were=$settings
    settings="$settings ORTHO_PMPI=off"
    check "$name: it is seen if nothing is replaced" fails_with 'none was replaced' agrees_and_was_used "$@"
    settings=$settings_were
    notices_wrong_data "$name" "$@"
}
notices_wrong_data() { # likewise, of a program whose calls are not replaced
    name=$1
    shift
    [ -z "${BENCH_TIMES:-}" ] || return 0
    interposer_was=$interposer limit_was=$limit
    interposer=$work/spoiler.so limit=60
    $MPICC -std=c11 -O1 -shared -fPIC $spoils "$srcdir/tests/foreign/spoiler.c" -o "$interposer" || exit 1
    check "$name: it is seen if a neighbor's data are wrong" fails_with "$wrong_says" answers_agree "$@"
    interposer=$interposer_was limit=$limit_was
}
