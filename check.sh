#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and tests.  The last line says how many passed and failed.
#   ./check.sh --fast  with MPICH, warnings as errors: all units, everything else on 1 to 3 processes
#   ./check.sh         with Debian's MPICH, with its Open MPI and sanitizers, with the newest of both, with ThreadSanitizer,
#                      in a simulated machine, and the release
#   ./check.sh --all   and what takes longer: more processes, all cases with all MPIs and with sanitizers, more seeds of loopback,
#                      several hosts, ortho-bench, more simulated machines, programs of others, clang-tidy, each file by itself
set -u
# With sanitizers, on a busy machine, some tests take their time.
export ORTHO_TEST_LIMIT_S=600
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
begin=$(date +%s)
if [ $tier = fast ]; then
    install_packages $packages_to_build $packages_to_test ccache mpich libmpich-dev || exit 1
else
    install_packages $packages_to_build $packages_to_test ccache $packages_to_simulate mpich libmpich-dev openmpi-bin libopenmpi-dev ||
        exit 1
fi
# The release is built from the same sources as the tree before: nothing is compiled twice.
export PATH="/usr/lib/ccache:$PATH" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
say() { echo "$(($(date +%s) - begin)) s: $*"; }

logs=build/check-logs
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0
# Whoever waits sees that it goes on.
rm -rf build/check-*/tests/*/*.trs build/check-*/seconds
(while sleep 60 >/dev/null 2>&1; do say "… $(cat build/check-*/tests/*/*.trs 2>/dev/null | grep -c '^:test-result: *PASS') tests have passed"; done) &
ticker=$!
aside=
trap 'kill $ticker $aside 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM

# took NAME BEGIN [END]: for the list of what took longest.
took() { echo "$((${3-$(date +%s)} - $2)) s $1" >>"$logs/times"; }
# step NAME COMMAND...: one result, its output in a file.
step() {
    name=$1
    shift
    since=$(date +%s)
    "$@" >"$logs/$name.log" 2>&1
    status=$?
    took "$name" "$since"
    ended $status "$name"
}
ended() { # status, step
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        tail -n 40 "$logs/$2.log"
    fi
}
# begin_aside NAME COMMAND...: a step that goes on while others do; end_aside waits for it.
begin_aside() {
    name_aside=$1 since_aside=$(date +%s)
    shift
    "$@" >"$logs/$name_aside.log" 2>&1 &
    aside=$!
}
end_aside() {
    wait $aside
    ended $? "$name_aside"
    # It ended when it said its last.
    took "$name_aside" "$since_aside" "$(stat -c %Y "$logs/$name_aside.log")"
    aside=
}
jobs=$(nproc)
# MPICH as it is: its processes keep their cores while they wait.
[ $tier != all ] || export ORTHO_TEST_SPIN=1
# Debian's MPIs, mpich and openmpi, and the newest ones, mpich-today and openmpi-today, which are in the build folder.
build_with() { # MPI, what of it to make, options of configure
    mpi=$1 what=$2
    shift 2
    case $mpi in
    *-today)
        bin=$PWD/build/$mpi/bin
        python3 -m venv "build/$mpi" && "$bin/pip" -q install --upgrade "${mpi%-today}" || return 1
        set -- "MPICC=$bin/mpicc" "MPICXX=$bin/mpicxx" "MPIEXEC=$bin/mpiexec" "$@"
        ;;
    *) set -- "MPICC=mpicc.$mpi" "MPICXX=mpicxx.$mpi" "MPIEXEC=mpiexec.$mpi" "$@" ;;
    esac
    configure_in "build/check-$mpi" --enable-werror "$@" && make -s -C "build/check-$mpi" -j"$jobs" "$what"
}
# what_failed LOG...: what tests said before they failed, 40 lines each.
what_failed() {
    awk '/^(ok |PASS)/ { n = 0; next }
        /^not ok / { for (i = n > 40 ? n - 39 : 1; i <= n; ++i) print line[i]; print FILENAME ": " $0; n = 0; next }
        { line[++n] = $0 }' "$@"
}
# The results are counted from what the tests left; what was skipped counts as failed.
test_with() { # MPI, what to make, how many at a time
    since=$(date +%s)
    rm -rf "build/check-$1"/tests/*/*.trs
    make -s -k -C "build/check-$1" -j"${3-$jobs}" CXXFLAGS="$flags_of_tests" CFLAGS="$flags_of_tests" "$2" >"$logs/$2-$1.log" 2>&1
    ended=$?
    results=$(cat "build/check-$1"/tests/*/*.trs 2>/dev/null | grep '^:test-result:')
    good=$(printf '%s\n' "$results" | grep -c '^:test-result: *PASS')
    bad=$(printf '%s\n' "$results" | grep '^:test-result:' | grep -vc '^:test-result: *PASS')
    [ "$ended" = 0 ] || [ "$bad" != 0 ] || bad=1
    [ "$good" != 0 ] || bad=1
    say "$1: $good passed, $bad failed"
    if [ "$bad" != 0 ]; then
        grep -E '^(FAIL|ERROR|SKIP|XPASS)|error:|\*\*\*' "$logs/$2-$1.log" | head -n 60
        what_failed "build/check-$1"/tests/*/*.log | head -n 200
    fi
    passed=$((passed + good)) failed=$((failed + bad))
    took "$2-$1" "$since"
}
end() {
    say "Done."
    kill $ticker
    echo "What took longest:"
    sort -rn "$logs/times" | head -n 8 | sed 's/^/  /'
    # The programs under test, if they say how long they took.
    cat build/check-*/seconds/* 2>/dev/null | sort -rn | head -n 8 | sed 's/^/  /'
    echo "Logs: $logs, build/check-*"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

say "Building with MPICH …"
# With -O1, g++ 12 takes members of empty optionals for used.
flags="-g1 -O1 -Wno-maybe-uninitialized"
# Of what there is in undefined,address finds these, too; without them it compiles in two thirds of the time.
fewer_checks=-fno-sanitize=null,vptr,object-size
flags_of_tests=$flags
if [ $tier = fast ]; then
    step build-mpich build_with mpich all CXXFLAGS="$flags" CFLAGS="$flags"
    step format make -s -C build/check-mpich check-format CLANG_FORMAT=clang-format-14
    test_with mpich check-small
    end
fi
# Static libraries from the same objects.
step build-mpich build_with mpich all --with-pic --enable-static CXXFLAGS="$flags" CFLAGS="$flags"
step format make -s -C build/check-mpich check-format CLANG_FORMAT=clang-format-14
# Many processes that spin take their turns slowly, and sanitizers their time: all of them only where there is time.
most() { [ $tier = all ] || export "$@"; }
most ORTHO_TEST_MOST=3
if [ $tier = all ]; then export ORTHO_TEST_LOOPBACK_S=120; else export ORTHO_TEST_LOOPBACK_S=25; fi
# Processes that wait leave their cores to others here: there may be one test more than cores.
if [ $tier = all ]; then test_with mpich check; else test_with mpich check-usual $((jobs + 1)); fi
unset ORTHO_TEST_LOOPBACK_S
say "Building with Open MPI and sanitizers …"
step build-openmpi build_with openmpi all-mpi --enable-sanitizers CXXFLAGS="$flags $fewer_checks" CFLAGS="$flags $fewer_checks"
# With sanitizers, the programs of the tests take longer to optimize than that saves.
flags_of_tests="-g1 -O0 $fewer_checks"
most ORTHO_TEST_MOST=5 ORTHO_TEST_ONE_IN=16
# Its launcher waits long at the begin and at the end.
if [ $tier = all ]; then watched=check-units-and-mpi; else watched=check-watched; fi
test_with openmpi $watched $((jobs + 2))
flags_of_tests=$flags
unset ORTHO_TEST_MOST ORTHO_TEST_ONE_IN
say "Making the release, building and testing it elsewhere, while other things are built …"
# All tests have passed on these sources: here it counts that the release is complete, and can be installed.  With the same flags as
# before, so that nothing is compiled twice; how small it gets is no matter.
some=tests/mpi/c99_test
begin_aside distcheck env XZ_OPT=-0 make -s -C build/check-mpich -j"$jobs" distcheck \
    DISTCHECK_CONFIGURE_FLAGS="--enable-werror --with-pic --enable-static CXXFLAGS='$flags' CFLAGS='$flags'" \
    noinst_PROGRAMS= check_PROGRAMS="$some" check_LIBRARIES= check_LTLIBRARIES= TESTS="$some tests/scripts/interface.sh tests/scripts/install.sh"
for mpi in mpich-today openmpi-today; do
    say "Building with $mpi …"
    step build-$mpi build_with $mpi all-mpi CXXFLAGS="$flags" CFLAGS="$flags"
    most ORTHO_TEST_MOST=3 ORTHO_TEST_ONE_IN=4
    if [ $tier = all ]; then test_with $mpi check-units-and-mpi; else test_with $mpi check-today $((jobs + 1)); fi
    unset ORTHO_TEST_MOST ORTHO_TEST_ONE_IN
done
say "Building with ThreadSanitizer …"
threads_in() { # number of processes; the MPI that ThreadSanitizer works with here
    (cd build/check-threads && . tests/environment && timeout -k 10 600 mpiexec.mpich -n "$1" "tests/mpi/$2")
}
build_threads() {
    configure_in build/check-threads MPICC=mpicc.mpich MPICXX=mpicxx.mpich MPIEXEC=mpiexec.mpich \
        --enable-sanitizers=thread CXXFLAGS="-g1 -O0" CFLAGS="-g1 -O0" &&
        make -s -C build/check-threads -j"$jobs" \
            tests/mpi/threads_test tests/mpi/progress_thread_test tests/unit/ring_test tests/unit/unbounded_channel_test
}
step build-threads build_threads
for p in 1 2 3; do step "threads-on-$p" threads_in $p threads_test; done
for p in 2 4; do step "progress-thread-on-$p" threads_in $p progress_thread_test; done
step threads-on-a-ring sh -c '(cd build/check-threads && timeout -k 10 600 tests/unit/ring_test)'
step threads-on-a-channel sh -c '(cd build/check-threads && timeout -k 10 600 tests/unit/unbounded_channel_test --gtest_filter="*Threads*")'
say "Building for a simulated machine …"
in_simulation() { CXXFLAGS="-g0 -O1" CFLAGS="-g0 -O1" timeout -k 10 600 bench/simgrid/run "$@"; }
simulated() { # machine, dimensions: right results, in every schedule and cell, and the same times twice, as processes share the program or not
    for time in 1 2; do
        ORTHO_SIMULATED_SWAP_FROM=$((time == 1 ? 2000 : 1)) in_simulation "$1" schedules --d "$2" --n 3 --m 1,100 \
            --collective alltoall,alltoallv,allgather,allreduce >"$logs/simulated.$time" || return 1
    done
    grep '^# 8 cells; the choice' "$logs/simulated.1" && diff "$logs/simulated.1" "$logs/simulated.2"
}
# What is put into the machine is what is found there: o = 0.4 us, latency 0.3 us, bytes that cost no core anything; and what is
# predicted from that is what happens.  Times do not vary there.
simulated_model() {
    tune=$PWD/$logs/simulated.tune
    in_simulation hydra:4x8 tune --out "$tune" && cat "$tune" &&
        awk '$1 ~ /^network.(send|receive)_ps$/ { bad += $2 < 396000 || $2 > 404000; ++found }
            $1 == "network.latency_ps" { bad += $2 < 270000 || $2 > 330000; ++found }
            $1 == "network.copy_ps" { bad += $2 != 0; ++found } END { exit bad > 0 || found != 4 }' "$tune" &&
        ORTHO_TUNE=$tune in_simulation hydra:4x8 schedules --d 2,3 --n 3 --m 1,100 \
            --collective alltoall,allgather >"$logs/simulated.model" && cat "$logs/simulated.model" &&
        grep '^# 8 cells; the choice is within 10 % of the best in 8 ' "$logs/simulated.model" &&
        grep 'predictions; relative error: median [0-5] %' "$logs/simulated.model"
}
simulated_others() { # wrong results are an error
    for machine in titan:4x4 hydra:2x4,2x3,1x2; do
        in_simulation $machine place --mesh --grid 4x4 --bytes 1024,65536 || return 1
    done
    in_simulation hydra:2x4 halo --fields 1,2 --sides 16 --depths 1
}
step simulated-model simulated_model
say "Waiting for the release …"
end_aside
[ $tier = all ] || end

say "What takes longer …"
test_with openmpi check-hosts
test_with mpich check-large
# Right values count; how fast it is, no test asks.
unmodified() { (cd build/check-mpich && BENCH_PROGRAM=$1 timeout -k 10 600 sh ../../bench/unmodified/run 2 2 8 4096 131072); }
for program in exchanges everybody; do step unmodified-$program unmodified $program; done
# Programs of others, as Debian has them, with the interposer and without: PETSc, DOLFINx, mpi4py, FFTW.  One at
# a time: they tell times.
build_foreign() {
    install_packages $packages_foreign && fetch_mpi4py_tests build/check-foreign &&
        configure_in build/check-foreign --disable-programs \
            MPICC=mpicc.openmpi MPICXX=mpicxx.openmpi MPIEXEC=mpiexec.openmpi &&
        make -s -C build/check-foreign -j"$jobs" libmpiortho-pmpi.la
}
step build-foreign build_foreign
test_with foreign check-foreign 1
# A test of the tests: each bug must be found.
planted() { (cd build/check-mpich && ../../tests/bugs/plant .); }
step planted planted
step simulated-2d simulated titan:16x4 2
step simulated-3d simulated hydra:2x4 3
step simulated-others simulated_others
step bodies make -s -C build/check-mpich check-bodies
# Debian 12's does not understand the ranges of its own standard library.
tidy() {
    python3 -m venv build/check-tidy && build/check-tidy/bin/pip -q install clang-tidy==19.1.0 &&
        make -s -C build/check-mpich check-tidy CLANG_TIDY="$PWD/build/check-tidy/bin/clang-tidy"
}
step tidy tidy
end
