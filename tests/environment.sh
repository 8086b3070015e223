# SPDX-License-Identifier: BSD-3-Clause
# The settings of tests: read by tests/run_test.sh and tests/script.sh, in a build folder, after tests/facts.
# Seconds that one run of a program may take.
limit=${ORTHO_TEST_LIMIT_S:-300}

# Another MPI of the standard ABI, by its folder: the files that were built with one run on it.
if [ "$flavour" = abi ] && [ -n "${ORTHO_TEST_ABI_ON:-}" ]; then
    ORTHO_TEST_ABI_ON=$(cd "$ORTHO_TEST_ABI_ON" && pwd)
    MPIEXEC="env LD_LIBRARY_PATH=$ORTHO_TEST_ABI_ON/lib $ORTHO_TEST_ABI_ON/bin/mpiexec"
fi

# For tests alone: benchmarks measure the MPI as its users have it (bench/as_installed.sh).
# Intel's MPI starts processes by ssh otherwise, and its wrapper for Fortran does not say where the libraries are.
export I_MPI_HYDRA_BOOTSTRAP=fork
[ "$flavour" != intel ] || export LD_LIBRARY_PATH="${MPIEXEC%/bin/*}/lib"
# Open MPI as root, and with more processes than cores: else it refuses to start them (4, then 5).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Where processes share cores, those that wait give them to others: tests end in a fraction of the time.
export OMPI_MCA_mpi_yield_when_idle=1
# MPICH has no such setting (ORTHO_TEST_SPIN=1: as it is).  Sanitizers want to be loaded first.
if [ "$flavour" != openmpi ] && [ -z "$sanitizers${ORTHO_TEST_SPIN:-}" ] && [ -f "$builddir/tests/yield.so" ]; then
    export LD_PRELOAD="$builddir/tests/yield.so"
fi
# For tests of errors: otherwise MPI_Recv of Open MPI (4.1.4, 5.0.11) may write behind its buffer.
without_single_copies="OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma"
# Windows on users' memory without single copies: by messages, which some distributions forbid.
export OMPI_MCA_osc=^ucx
# Where ThreadSanitizer watches: not the MPI, which is not built for it, nor its hooks in malloc.  Besides, Debian's MPICH 4.0.2
# delivers wrong values from MPI_Put to windows of MPI_Win_allocate that lie where earlier ones lay, unless UCX's cache of
# registrations is off: plain MPI programs see it, too.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}" UCX_MEM_EVENTS=n
# Tests must not inherit these.
unset $(env | sed -n 's/^\(ORTHO_[A-Za-z0-9_]*\)=.*/\1/p' | grep -v -e '^ORTHO_TEST_' -e '^ORTHO_SIMULATED')
# One copy wherever prices say so: what a trial finds differs from machine to machine, and from run to run.
export ORTHO_SINGLE_COPY=1
export LSAN_OPTIONS="suppressions=$srcdir/tests/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export ASAN_OPTIONS="fast_unwind_on_malloc=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
# Six times as fast, and enough to tell MPI's leaks by the library that allocates: for programs with tests/mpi/check.hpp, which
# keeps MPI's plugins from being unloaded.
quick_asan="$ASAN_OPTIONS:fast_unwind_on_malloc=1"

# The Test Anything Protocol, for scripts: `check "what" command...` runs the command and reports.
tests_run=0
check() {
    what=$1
    shift
    tests_run=$((tests_run + 1))
    if output=$("$@" 2>&1); then
        echo "ok $tests_run - $what"
    else
        printf '%s\n' "$output" | sed 's/^/# /'
        echo "not ok $tests_run - $what"
    fi
}
# left_out "what" "reason": a test that is not run is counted, too.
left_out() {
    tests_run=$((tests_run + 1))
    echo "ok $tests_run - $1 # SKIP $2"
}
# on PROCESSES COMMAND...: so many processes of it.
on() {
    processes=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n "$processes" "$@"
}
# quiet COMMAND...: what it prints is in $work/out, and is told if it fails.
quiet() { "$@" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }; }
# says TEXT COMMAND...: it ends well, and prints a line with that text.
says() {
    text=$1
    shift
    "$@" >"$work/out" 2>&1 && grep -q -e "$text" "$work/out" || { cat "$work/out"; return 1; }
}
# mpi_release: the MPI, and the first number of its version, such as mpich4.
mpi_release() {
    echo "$flavour$($MPIEXEC --version 2>&1 | sed -n 's/^[^0-9]*\([0-9][0-9]*\)\..*/\1/p' | head -n 1)"
}
# display PAGE N: the N-th display of a manual page's EXAMPLES, or all, without the escapes of roff.
display() {
    $AWK -v n="$2" '
        /^\.SH/ { inside = /^\.SH EXAMPLES/ }
        inside && /^\.EX/ { seen++; if (n == "all" || seen == n) { on = 1; next } }
        /^\.EE/ { on = 0 }
        on' "$1" | sed -e 's/\\&//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\e/\\/g'
}
# block PAGE SECTION: the first block of code in a section of a page in Markdown.
block() {
    $AWK -v section="## $2" '
        /^## / { on = $0 == section }
        on && /^```$/ { exit }
        on && code
        on && /^```[a-z]/ { code = 1 }' "$1"
}
# program PAGE LANGUAGE N: the N-th program in a language on a page of doc/.
program() { $AWK -v n="$3" '$0 == "```'"$2"'" { on = ++seen == n; next } /^```$/ { on = 0 } on' "$srcdir/doc/$1.md"; }
# prints_as_promised PAGE LANGUAGE N COMMAND...: it prints what the page says, in any order of lines.
prints_as_promised() {
    $AWK -v n="$3" '$0 == "```'"$2"'" { ++seen } seen == n && /^On 4 processes it prints/ { print; exit }' \
        "$srcdir/doc/$1.md" | grep -o '`[^`]*`' | tr -d '`' | sort >"$work/promised"
    shift 3
    quiet "$@" && [ -s "$work/promised" ] && sort "$work/out" | diff "$work/promised" -
}
# mpi_headers, mpi_libraries: options of the MPI's compiler for C.  The standard ABI's header needs its -D.
mpi_headers() { mpi_options 'D|I'; }
mpi_libraries() { mpi_options 'L|l|Wl'; }
mpi_options() { # letters that they begin with
    "$MPICC" -show | tr -d '"' | tr ' ' '\n' | grep -E "^-($1)" | tr '\n' ' '
}
# few NUMBER...: those that are not more than ORTHO_TEST_MOST.
few() { for number; do [ "$number" -gt "${ORTHO_TEST_MOST:-1000}" ] || echo "$number"; done; }
# counts_of_faces: the numbers of processes for programs of Fortran and Python.
counts_of_faces() { if thorough; then few 4 3 2 1; else echo 3; fi; }
# ORTHO_TEST_ONE_IN says that another build has all cases: then few will do.
elsewhere() { [ "${ORTHO_TEST_ONE_IN:-1}" != 1 ]; }
# ORTHO_TEST_ALL: also what says little more, and takes long.
thorough() { [ -n "${ORTHO_TEST_ALL:-}" ]; }
