#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and tests.  The last line says how many passed, failed and were skipped.
#   ./check.sh --fast      with MPICH, warnings as errors: all units, everything else on 1 to 3 processes
#   ./check.sh             with Debian's MPICH, with its Open MPI and sanitizers, with ThreadSanitizer, and
#                          the release; the standard ABI's header is understood
#   ./check.sh --all       that, and all rows of what takes longer (the table of jobs below): hours
#   ./check.sh --part K/N  the K-th of N parts of what --all adds
#   ./check.sh --list      the rows that --all adds: how long each takes, and when it passed last in this tree
set -u
cd "$(dirname "$0")" || exit 1
part=1/1
usage() { echo "check.sh: what is '$*'?  --fast, --all, --part K/N, --list, or nothing" >&2 && exit 2; }
case $#:${1-} in
0:) tier=usual ;;
1:--fast | 1:--all | 1:--list) tier=${1#--} ;;
2:--part)
    tier=part part=$2
    expr "$part" : '[1-9][0-9]*/[1-9][0-9]*$' >/dev/null && [ "${part%/*}" -le "${part#*/}" ] || usage "$@"
    ;;
*) usage "$@" ;;
esac
. ./packages.sh

# --- Builds, in build/check-BUILD -------------------------------------------------------------------------

# -Og takes three quarters of the time of -O1.  g++ 12 takes members of empty optionals for used.
Og="-g1 -Og -Wno-maybe-uninitialized"
# Of little code, which runs long.
O2="-g1 -O2"
# Of what there is in undefined,address these find such errors, too, and compile in half of the time: without
# checks that others imply, and with calls in place of what is put in line before each access.
calls="--param=asan-instrumentation-with-call-threshold=0"
fewer="-g1 -Og -Wno-maybe-uninitialized -fno-sanitize=null,vptr,object-size $calls"
O0="-g1 -O0"
# Both compilers take the sources: clang reads those that know MPI in each check, and the tests in --all.
clang="-g1 -O0"
counted="$O0 --coverage -fprofile-update=atomic"
# mpich and openmpi are Debian's; those of today are the newest.  abi: the standard ABI, by MPICH's header.
# build        MPI            flags  options of configure
builds='
mpich          mpich          Og     --enable-werror --with-pic --enable-static
openmpi        openmpi        fewer  --enable-werror --enable-sanitizers
mpich-today    mpich-today    Og     --enable-werror
openmpi-today  openmpi-today  clang  CC=clang-16 CXX=clang++-16
intel-today    intel-today    Og     --enable-werror
abi            abi-today      clang  --enable-werror CC=clang-16 CXX=clang++-16
threads        mpich          O2     --enable-sanitizers=thread
foreign        openmpi        Og     --disable-programs
coverage       openmpi        counted'

# --- Jobs: targets of make, one after the other -----------------------------------------------------------

# At once: so many more jobs of make than cores.  Where processes wait they leave their cores to others, and
# the launcher of Open MPI waits long at the begin and at the end.  `one`: they tell times.
# `aside`: it goes on while the next ones do, up to `wait`.
# doc/testing.md has the settings.  Many processes take their turns slowly, and sanitizers their time: all
# cases are for --all.  With sanitizers, programs of tests take longer to optimize than that saves.
# tier     build          target           at once  settings
jobs='
*          mpich          all              +0
*          mpich          examples         +0
*          mpich          check-format     +0       CLANG_FORMAT=clang-format-14
fast       mpich          check-small      +0       ORTHO_TEST_MOST=3 ORTHO_TEST_LOOPBACK_S=20
usual      mpich          check-usual      +1       ORTHO_TEST_MOST=3 ORTHO_TEST_LOOPBACK_S=25
usual      openmpi        all-mpi          +0
usual      openmpi        check-watched    +2       TEST_FLAGS=-O0 ORTHO_TEST_MOST=3 ORTHO_TEST_ONE_IN=16
usual      mpich          check-release    aside
usual      abi            check-syntax     +0
usual      threads        check-threads    +0
usual      -              wait'
# What --all adds, and the minutes that each row takes on two cores.
# minutes  build          target           at once  settings
more='
25  mpich   check      +0  ORTHO_TEST_ALL=1 ORTHO_TEST_LOOPBACK_S=120 ORTHO_TEST_SPIN=1
25         openmpi        check-mpi        +2       ORTHO_TEST_ALL=1 TEST_FLAGS=-O0
15         openmpi        check-scripts    +2       ORTHO_TEST_ALL=1 TEST_FLAGS=-O0
10         mpich-today    check-mpi        +0       ORTHO_TEST_ALL=1
10         mpich-today    check-scripts    +0       ORTHO_TEST_ALL=1
10         openmpi-today  check-mpi        +0       ORTHO_TEST_ALL=1
10         openmpi-today  check-scripts    +0       ORTHO_TEST_ALL=1
10         intel-today    check-mpi        +0       ORTHO_TEST_ALL=1
10         intel-today    check-scripts    +0       ORTHO_TEST_ALL=1
10         abi            check-mpi        +0       ORTHO_TEST_ALL=1
10         abi            check-scripts    +0       ORTHO_TEST_ALL=1
2          abi            check-abi        +0       ORTHO_TEST_ALL=1
5          abi            check-abi        +0       ORTHO_TEST_ALL=1 ORTHO_TEST_ABI_ON=../intel-today
3          threads        check-threaded   +0
8          threads        check-simulated  +0
5          openmpi        check-units      +0       ORTHO_TEST_ALL=1 TEST_FLAGS=-O0
5          openmpi        check-hosts      +0
10         mpich          check-large      +0
20         foreign        check-foreign    one
10         mpich          check-planted    +0
10         mpich          check-machines   +0
10         mpich          check-packages   one
3          mpich          check-site       one
5          mpich          check-fuzz       one
3          mpich          check-slurm      one
3          foreign        check-slurm      one
3          mpich          check-bodies     +0
10         mpich          check-tidy       +0       CLANG_TIDY=build/check-tidy/bin/clang-tidy
5          mpich          check-distcheck  +0
25  coverage  check-coverage  +2  ORTHO_TEST_MOST=5 ORTHO_TEST_ONE_IN=16 ORTHO_TEST_LOOPBACK_S=10'
# Those that leave no results of tests: each is one result.
steps="all all-mpi examples check-format check-syntax check-release check-distcheck check-planted \
check-bodies check-tidy check-coverage"
last=build/check-last # rows, and when they passed

# The rows of the K-th of N parts, in their order: the longest first, each into the part that is shortest.
rows_of_part() { # K/N
    printf '%s\n' "${more#?}" | awk '{ print NR, $0 }' | sort -k2,2nr -k1,1n | awk -v part="$1" '
        BEGIN { split(part, of, "/") }
        {
            shortest = 1
            for (i = 2; i <= of[2]; ++i) if (minutes[i] < minutes[shortest]) shortest = i
            minutes[shortest] += $2
            if (shortest == of[1]) print
        }' | sort -n | sed 's/^[0-9]* *[0-9]* *//'
}
rows_of_tier() { printf '%s\n' "${jobs#?}" | sed -nE "s/^(\*|$1) +//p"; }
rows() { # build, target, at once, settings
    case $tier in
    all) rows_of_tier usual && rows_of_part 1/1 ;;
    part) rows_of_part "$part" ;;
    *) rows_of_tier $tier ;;
    esac
}
# $last has a line for each row that has passed: the time, and the row.
list_rows() {
    printf '%s\n' "${more#?}" | while read -r minutes row; do
        row=$(echo $row)
        passed=$(awk -v row="$row" '{ time = $1; sub(/^[^ ]* /, "") }
            $0 == row { print time }' "$last" 2>/dev/null)
        printf '%3d min, %-26s %s\n' "$minutes" "${passed:-never passed}" "$row"
    done
}
has_passed() { # row
    awk -v row="$*" '{ line = $0; sub(/^[^ ]* /, "") }
        $0 != row { print line }' "$last" >"$last.new" 2>/dev/null
    echo "$(date +%Y-%m-%dT%H:%M:%S) $*" >>"$last.new"
    mv "$last.new" "$last"
}
if [ $tier = list ]; then
    list_rows
    exit
fi

# --- The runner -------------------------------------------------------------------------------------------

begin=$(date +%s) passed=0 failed=0 skipped=0 aside= preparing=
[ -n "$(rows)" ] || { echo "check.sh: part $part has no rows" >&2 && exit 2; }
say() { echo "$(($(date +%s) - begin)) s: $*"; }
install_packages $packages_to_build $packages_to_test ccache mpich libmpich-dev || exit 1
[ $tier = fast ] || install_packages $packages_to_simulate openmpi-bin libopenmpi-dev || exit 1
# The release is built from the same sources as the tree before: nothing is compiled twice.
export PATH="/usr/lib/ccache:$PATH" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
# It knows precompiled headers.
export CCACHE_SLOPPINESS=pch_defines,time_macros
# With sanitizers, on a busy machine, some tests take their time.
export ORTHO_TEST_LIMIT_S=600
logs=build/check-logs
rm -rf "$logs" build/check-*/tests/*/*.trs build/check-*/seconds
mkdir -p "$logs"
results() { cat $1/tests/*/*.trs 2>/dev/null | grep '^:test-result:'; } # build folder
passes() { grep -c '^:test-result: *PASS'; }
# Whoever waits sees that it goes on.
(while sleep 60 >/dev/null 2>&1; do say "… $(results 'build/check-*' | passes) tests have passed"; done) &
ticker=$!
trap 'kill $ticker $aside $preparing 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM

# Fetches what a build and its target need, and configures the build once.  One at a time for each build.
prepare() { # build, target
    { flock 9 && prepare_alone "$@"; } 9>"$logs/$1.lock"
}
prepare_alone() {
    read -r _ mpi flags options <<END
$(printf '%s\n' "$builds" | grep "^$1 ")
END
    # Another MPI that the same files run on.
    [ "$2" != check-abi ] || fetch_mpi intel-today || return 1
    case $mpi in
    *-today) fetch_mpi "$mpi" || return 1 ;;
    *) MPICC=mpicc.$mpi MPICXX=mpicxx.$mpi MPIEXEC=mpiexec.$mpi ;;
    esac
    [ "$1" != foreign ] || install_packages $packages_foreign $packages_peers || return 1
    [ "$2" != check-site ] || install_packages chromium || return 1
    [ "$2" != check-slurm ] || install_packages munge slurm-wlm || return 1
    [ "$2" != check-packages ] || install_packages $packages_to_package || return 1
    [ "$1" != foreign ] || fetch_tests build/check-foreign || return 1
    [ "$2" != check-tidy ] || fetch_clang_tidy build/check-tidy || return 1
    eval "flags=\$$flags"
    configure_in "build/check-$1" "MPICC=$MPICC" "MPICXX=$MPICXX" "MPIEXEC=$MPIEXEC" \
        "CXXFLAGS=$flags" "CFLAGS=$flags" $options
}
run() { # log, build, target, at once, settings...: all output goes to the log, which ends when the job does
    log=$1 build=$2 target=$3 most=1
    case $4 in +*) most=$(($(nproc)$4)) ;; aside) most=$(nproc) ;; esac
    shift 4
    date +%s >"$log.began"
    { prepare "$build" "$target" && make -s -k -C "build/check-$build" -j"$most" "$target" "$@"; } \
        >"$log" 2>&1 </dev/null
}
# What tests said before they failed, 40 lines each.
what_failed() {
    awk '/^(ok |PASS)/ { n = 0; next }
        /^not ok / { for (i = n > 40 ? n - 39 : 1; i <= n; ++i) print line[i] }
        /^not ok / { print FILENAME ": " $0; n = 0; next }
        { line[++n] = $0 }' "$@" | head -n 200
}
what_was_skipped() { # build folder
    for results in "$1"/tests/*/*.trs; do
        sed -n 's/^ok [0-9]* - \(.*\) # SKIP \(.*\)/\1 (\2)/p' "${results%.trs}.log"
    done 2>/dev/null
}
# A job that leaves no results counts as failed, and so does a script that could not begin.  A check that was
# skipped is no pass, and is listed at the end.
ended() { # status, log, build, target, at once, settings...
    status=$1 log=$2 build=$3 target=$4
    name=$(basename "$log" .log)
    shift 2
    before=$spent
    count_spent
    took=$(($(stat -c %Y "$log") - $(cat "$log.began")))
    echo "$took s $name, $((spent - before)) s of processors" >>"$logs/times"
    case " $steps " in
    *" $target "*) good=$((status == 0)) bad=$((status != 0)) left=0 ;;
    *)
        good=$(results "build/check-$build" | passes)
        what_was_skipped "build/check-$build" >"$log.skipped"
        left=$(wc -l <"$log.skipped")
        bad=$(($(results "build/check-$build" | wc -l) - good - left))
        sed "s/^/$build: /" "$log.skipped" >>"$logs/skipped"
        [ "$status" = 0 ] && [ "$((good + left))" != 0 ] || [ "$bad" != 0 ] || bad=1
        ;;
    esac
    say "$name: $good passed, $bad failed, $left skipped"
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
    if [ "$bad" = 0 ]; then
        has_passed "$@"
        return
    fi
    grep -E '^(FAIL|ERROR|XPASS)|error:|\*\*\*' "$log" | head -n 60
    case " $steps " in
    *" $target "*) tail -n 40 "$log" ;;
    *) what_failed "build/check-$build"/tests/*/*.log ;;
    esac
}
# Seconds that processors have spent for all jobs that are over: what is waited for, they do not tell.
spent=0
count_spent() {
    times >"$logs/spent"
    spent=$(awk 'NR == 2 { gsub(/[ms]/, " "); print int($1 * 60 + $2 + $3 * 60 + $4) }' "$logs/spent")
}
# To fetch and to configure leaves a core free, or more: later builds do so while the first compiles.
[ -x configure ] || autoreconf -fi >/dev/null
if [ $tier = usual ]; then # others install packages
    rows | awk '$1 != "-" && !seen[$1, $2]++' | while read -r build target _; do
        prepare "$build" "$target"
    done >"$logs/prepared" 2>&1 </dev/null &
    preparing=$!
fi
number=0
while read -r build target at_once settings; do
    number=$((number + 1))
    log=$logs/$(printf '%02d' $number)-$target-$build.log
    case " $steps " in *" $target "*) ;; *) rm -f "build/check-$build"/tests/*/*.trs ;; esac
    if [ "$at_once" = aside ]; then
        run "$log" "$build" "$target" aside $settings &
        aside=$! row_aside="$log $build $target aside $settings"
    elif [ "$target" = wait ]; then
        wait $aside
        ended $? $row_aside
        aside=
    else
        run "$log" "$build" "$target" "$at_once" $settings
        ended $? "$log" "$build" "$target" "$at_once" $settings
    fi
done <<END
$(rows)
END
say "Done."
kill $ticker
echo "What took longest:"
sort -rn "$logs/times" | head -n 8 | sed 's/^/  /'
# The programs under test, if they say how long they took.
cat build/check-*/seconds/* 2>/dev/null | sort -rn | head -n 8 | sed 's/^/  /'
if [ -s "$logs/skipped" ]; then
    echo "Skipped:"
    sort -u "$logs/skipped" | sed 's/^/  /'
fi
echo "Logs: $logs, build/check-*"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
