#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs one test program and reports it in the Test Anything Protocol.  The folder says how:
#   tests/unit/NAME   a Google Test program; a line a test
#   tests/mpi/NAME    under mpiexec; a line for each number of processes that
#                     tests/mpi/processes.table names for this MPI, but no more than
#                     ORTHO_TEST_MOST, which leaves out (1), too; where sanitizers watch and another build
#                     has all, the largest of these
set -u
program=$1
name=${program##*/}
. tests/facts
. "$srcdir/tests/environment.sh"

case $program in
*tests/unit/*)
    # Slow unwinding serves the suppressions for MPI's leaks; there is no MPI here.
    export ASAN_OPTIONS="$ASAN_OPTIONS:fast_unwind_on_malloc=1"
    srcdir=$srcdir timeout "$limit" "$program" --gtest_color=no 2>&1 | $AWK '
        /^\[       OK \]/ { n++; print "ok " n " - '"$name"' " $4; next }
        /^\[  FAILED  \].*\([0-9]+ ms\)$/ && !summary { n++; print "not ok " n " - '"$name"' " $4; next }
        /^\[==========\].*ran\./ { summary = 1 }
        { print "# " $0 }
        END { if (!summary) { n++; print "not ok " n " - '"$name"' did not end" }; print "1.." n }'
    ;;
*tests/mpi/*)
    one=
    [ -z "$sanitizers" ] || ! elsewhere || one=1
    counts=$($AWK -v program="$name" -v flavour="$flavour" '
        /^#/ || NF == 0 { next }
        $1 == program && $2 == (flavour == "openmpi" ? flavour : "mpich") {
            for (i = NF; i >= 3; i--) {
                if (sub(/^\(/, "", $i) && few) continue
                if ($i + 0 <= most && (!one || !found)) { numbers = $i + 0 " " numbers; found = 1 }
            }
            print numbers }' one="$one" few="${ORTHO_TEST_MOST:+1}" most="${ORTHO_TEST_MOST:-1000}" "$srcdir/tests/mpi/processes.table")
    [ -n "$counts" ] || { echo "1..1"; echo "not ok 1 - $name is not in tests/mpi/processes.table"; exit 0; }
    case $name in
    error_test | mistakes_test | requests_test | settings_test | shared_test | unequal_sizes_test)
        export $without_single_copies
        ;;
    esac
    case $name in
    c99_test | leak_test) ;; # without check.hpp; where every leak counts
    *) export ASAN_OPTIONS="$quick_asan" ;;
    esac
    [ -z "${ORTHO_TEST_MOST:-}$one" ] || echo "# on $counts only: at most ${ORTHO_TEST_MOST:-all}${one:+, one where sanitizers watch}"
    for p in $counts; do
        # -k: what does not end when asked to is ended.
        check "$name on $p" on "$p" "$program"
    done
    echo "1..$tests_run"
    ;;
esac
