#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and tests.  The last line says how many passed and failed.
#   ./check.sh --fast  with MPICH, warnings as errors: all units, everything else on 1 to 3 processes
#   ./check.sh         with Debian's MPICH, with its Open MPI and sanitizers, with the newest Open MPI, for
#                      the standard ABI on the newest MPICH and on Intel's MPI, with ThreadSanitizer, and
#                      the release
#   ./check.sh --all   and what takes longer: libraries built with the newest MPICH and with Intel's MPI, a
#                      simulated machine, more processes, all cases with all MPIs and with sanitizers,
#                      more seeds of loopback, several hosts, ortho-bench, more simulated machines, programs
#                      of others, clang-tidy, coverage, each file by itself, Debian packages, the site in a
#                      browser, texts that nobody would write, Slurm
set -u
cd "$(dirname "$0")" || exit 1
case ${1-} in
--fast | --all) tier=${1#--} ;;
'') tier=usual ;;
*)
    echo "check.sh: what is '$1'?  --fast, --all, or nothing" >&2
    exit 2
    ;;
esac
. ./packages.sh

# --- Builds, in build/check-BUILD -------------------------------------------------------------------------

# g++ takes up to 1 GB before it looks for what it could give back: a sixth of its time for a room.
keep="--param=ggc-min-heapsize=1000000"
# With -O1, g++ 12 takes members of empty optionals for used.
O1="-g1 -O1 -Wno-maybe-uninitialized $keep"
# Of what there is in undefined,address these find such errors, too, and compile in two thirds of the time.
fewer="$O1 -fno-sanitize=null,vptr,object-size"
O0="-g1 -O0 $keep"
counted="$O0 --coverage -fprofile-update=atomic"
# mpich and openmpi are Debian's; those of today are the newest.  abi: the standard ABI, by MPICH's header.
# build        MPI            flags  options of configure
builds='
mpich          mpich          O1     --enable-werror --with-pic --enable-static
openmpi        openmpi        fewer  --enable-werror --enable-sanitizers
mpich-today    mpich-today    O1     --enable-werror
openmpi-today  openmpi-today  O1     --enable-werror
intel-today    intel-today    O1     --enable-werror
abi            abi-today      O1     --enable-werror
threads        mpich          O0     --enable-sanitizers=thread
foreign        openmpi        O1     --disable-programs
coverage       openmpi        counted'

# --- Jobs: targets of make, one after the other -----------------------------------------------------------

# At once: so many more jobs of make than cores.  Where processes wait they leave their cores to others (not
# with --all), and the launcher of Open MPI waits long at the begin and at the end.  `one`: they tell times.
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
all        mpich          check            +0       ORTHO_TEST_LOOPBACK_S=120
usual,all  openmpi        all-mpi          +0
usual      openmpi        check-watched    +2       TEST_FLAGS=-O0 ORTHO_TEST_MOST=5 ORTHO_TEST_ONE_IN=16
all        openmpi        check-mpi        +2       TEST_FLAGS=-O0
usual      mpich          check-release    aside
all        mpich          check-release    aside    faces=yes
all        mpich-today    all-mpi          +0
all        mpich-today    check-mpi        +0
usual,all  openmpi-today  all-mpi          +0
usual      openmpi-today  check-today      +1       ORTHO_TEST_MOST=2 ORTHO_TEST_ONE_IN=16
all        openmpi-today  check-mpi        +0
all        intel-today    all-mpi          +0
all        intel-today    check-mpi        +0
usual,all  abi            all-mpi          +0
usual      abi            check-today      +1       ORTHO_TEST_MOST=2 ORTHO_TEST_ONE_IN=16
usual      abi  check-abi  +1  ORTHO_TEST_MOST=2 ORTHO_TEST_ONE_IN=16 ORTHO_TEST_ABI_ON=../intel-today
all        abi            check-mpi        +0
all        abi            check-abi        +0       ORTHO_TEST_ABI_ON=../intel-today
usual,all  threads        check-threads    +0
all        threads        check-simulated  +0
usual,all  -              wait
all        openmpi        check-hosts      +0
all        mpich          check-large      +0
all        foreign        check-foreign    one
all        mpich          check-planted    +0
all        mpich          check-machines   +0
all        mpich          check-packages   one
all        mpich          check-site       one
all        mpich          check-fuzz       one
all        mpich          check-slurm      one
all        foreign        check-slurm      one
all        mpich          check-bodies     +0
all        mpich          check-tidy       +0       CLANG_TIDY=build/check-tidy/bin/clang-tidy
all  coverage  check-coverage  +2  ORTHO_TEST_MOST=5 ORTHO_TEST_ONE_IN=16 ORTHO_TEST_LOOPBACK_S=10'
# Those that leave no results of tests: each is one result.
steps="all all-mpi examples check-format check-release check-planted check-bodies check-tidy \
check-coverage"

# --- The runner -------------------------------------------------------------------------------------------

begin=$(date +%s) passed=0 failed=0 skipped=0 aside=
say() { echo "$(($(date +%s) - begin)) s: $*"; }
install_packages $packages_to_build $packages_to_test ccache mpich libmpich-dev || exit 1
[ $tier = fast ] || install_packages $packages_to_simulate openmpi-bin libopenmpi-dev || exit 1
# The release is built from the same sources as the tree before: nothing is compiled twice.
export PATH="/usr/lib/ccache:$PATH" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
# With sanitizers, on a busy machine, some tests take their time.
export ORTHO_TEST_LIMIT_S=600
# MPICH as it is: its processes keep their cores while they wait.
[ $tier != all ] || export ORTHO_TEST_SPIN=1
logs=build/check-logs
rm -rf "$logs" build/check-*/tests/*/*.trs build/check-*/seconds
mkdir -p "$logs"
results() { cat $1/tests/*/*.trs 2>/dev/null | grep '^:test-result:'; } # build folder
passes() { grep -c '^:test-result: *PASS'; }
# Whoever waits sees that it goes on.
(while sleep 60 >/dev/null 2>&1; do say "… $(results 'build/check-*' | passes) tests have passed"; done) &
ticker=$!
trap 'kill $ticker $aside 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM

prepare() { # build, target: fetches what they need, and configures the build once
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
run() { # build, target, at once, settings...: all output goes to a file, which ends when the job does
    build=$1 target=$2 at_once=1
    case $3 in +*) at_once=$(($(nproc)$3)) ;; aside) at_once=$(nproc) ;; esac
    shift 3
    date +%s >"$logs/$target-$build.began"
    { prepare "$build" "$target" && make -s -k -C "build/check-$build" -j"$at_once" "$target" "$@"; } \
        >"$logs/$target-$build.log" 2>&1 </dev/null
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
ended() { # status, build, target
    name=$3-$2 log=$logs/$3-$2.log
    echo "$(($(stat -c %Y "$log") - $(cat "$logs/$name.began"))) s $name" >>"$logs/times"
    case " $steps " in
    *" $3 "*) good=$(($1 == 0)) bad=$(($1 != 0)) left=0 ;;
    *)
        good=$(results "build/check-$2" | passes)
        what_was_skipped "build/check-$2" >"$logs/$name.skipped"
        left=$(wc -l <"$logs/$name.skipped")
        bad=$(($(results "build/check-$2" | wc -l) - good - left))
        sed "s/^/$2: /" "$logs/$name.skipped" >>"$logs/skipped"
        [ "$1" = 0 ] && [ "$((good + left))" != 0 ] || [ "$bad" != 0 ] || bad=1
        ;;
    esac
    say "$name: $good passed, $bad failed, $left skipped"
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
    [ "$bad" != 0 ] || return 0
    grep -E '^(FAIL|ERROR|XPASS)|error:|\*\*\*' "$log" | head -n 60
    case " $steps " in *" $3 "*) tail -n 40 "$log" ;; *) what_failed "build/check-$2"/tests/*/*.log ;; esac
}
while read -r tiers build target at_once settings; do
    case ,$tiers, in *",$tier,"* | ',*,') ;; *) continue ;; esac
    case " $steps " in *" $target "*) ;; *) rm -f "build/check-$build"/tests/*/*.trs ;; esac
    if [ "$at_once" = aside ]; then
        run "$build" "$target" aside $settings &
        aside=$! what_aside="$build $target"
    elif [ "$target" = wait ]; then
        wait $aside
        ended $? $what_aside
        aside=
    else
        run "$build" "$target" "$at_once" $settings
        ended $? "$build" "$target"
    fi
done <<END
${jobs#?}
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
