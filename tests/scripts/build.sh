# SPDX-License-Identifier: BSD-3-Clause
# The build finds by pattern what is new, in a scratch copy that is made as a release is: an algorithm is a
# file, a line in the list, and its test case; a test program is a file, and its rows where it needs MPI.
unset MAKEFLAGS MFLAGS MAKELEVEL LD_PRELOAD
copy=$work/source
build=$copy/build/scratch
# With the flags of this build and by the same names, so that a compiler's cache knows all else.
export CCACHE_BASEDIR="$copy"

is_copied() { $MAKE -s -C "$builddir" distdir distdir="$copy" top_distdir="$copy" && cp -pr "$copy" "$work/before"; }
# All that the repository has, if there is one.
is_complete() {
    (cd "$srcdir" && git ls-files | grep -vE '^\.(ci|gitignore)') >"$work/files" && [ -s "$work/files" ] || return 1
    while read -r file; do
        [ -f "$copy/$file" ] || [ ! -f "$srcdir/$file" ] || { echo "$file is missing"; return 1; }
    done <"$work/files"
}
has_nothing_else() { [ -z "$(find "$copy" -name '*.[oad]' -o -name '*.P*o' -o -name '*.so')" ]; }
add_algorithm() {
    sed 's/barrier_direct/barrier_scratch/g' "$copy/src/algorithm/barrier_direct.cpp" >"$copy/src/algorithm/barrier_scratch.cpp" &&
        sed -i 's/^    X(barrier_direct)\(.*\)/    X(barrier_direct)\1\n    X(barrier_scratch)\1/' "$copy/src/planner/algorithm_list.hpp" &&
        cat >>"$copy/tests/unit/algorithm_list_test.cpp" <<'END'
TEST(Scratch, IsThere) { EXPECT_EQ(std::string(ortho::algorithm::barrier_scratch.name), "barrier_scratch"); }
END
}
is_configured() {
    eval "set -- $("$builddir/config.status" --config)"
    (mkdir -p "$build" && cd "$build" && ../../configure -q "$@")
}
is_built() { $MAKE -s -C "$build" tests/unit/algorithm_list_test; }
passes() { (cd "$build" && tests/unit/algorithm_list_test --gtest_filter='Scratch.*') >"$work/output" 2>&1 && grep "OK.*Scratch.IsThere" "$work/output"; }
touches() { # number of files
    diff -rq -x build "$work/before" "$copy"
    [ "$(diff -rq -x build "$work/before" "$copy" | wc -l)" = "$1" ]
}
# The value of a variable of make.
value() { printf 'include Makefile\nvalue:\n\t@echo $(%s)\n' "$1" | $MAKE -s -C "$build" -f - value | tr ' ' '\n'; }
add_tests() {
    cp "$copy/tests/unit/tags_test.cpp" "$copy/tests/unit/scratch_test.cpp" &&
        cp "$copy/tests/mpi/leak_test.cpp" "$copy/tests/mpi/scratch_test.cpp" &&
        printf 'scratch_test %s\n' "mpich 1 2" "openmpi 1 2" "loopback 3" >>"$copy/tests/mpi/processes.table" &&
        value TESTS >"$work/tests" && grep -x tests/unit/scratch_test "$work/tests" && grep -x tests/mpi/scratch_test "$work/tests"
}
is_a_module() { value loopback_modules | grep -x tests/loopback/scratch.so; }

check "a release can be copied" is_copied
if [ -e "$srcdir/.git" ]; then check "it is complete" is_complete; else left_out "it is complete" "there is no repository"; fi
check "and has nothing that was made" has_nothing_else
check "an algorithm is added" add_algorithm
check "the copy is configured" is_configured
if thorough; then
    check "the algorithm is built" is_built
    check "its test case passes" passes
fi
check "that is three files" touches 3
check "test programs are added, and run by make" add_tests
if [ -n "$(value loopback_programs)" ]; then
    check "one is a module of loopback" is_a_module
else
    left_out "one is a module of loopback" "this build has no loopback"
fi
check "that is three files more" touches 6

# The tables have all tests.
every_program_is_run() {
    for program in "$srcdir"/tests/mpi/*_test.c*; do
        name=$(basename "${program%.*}")
        grep -q "^$name " "$srcdir/tests/mpi/processes.table" || grep -q "tests/mpi/$name" "$srcdir"/tests/scripts/*.sh || { echo "$name"; return 1; }
    done
}
every_script_is_run() {
    for script in "$srcdir"/tests/scripts/*.sh; do
        grep -q "^scripts/$(basename "$script") " "$srcdir/tests/targets.table" || { echo "$script"; return 1; }
    done
}
check "tests/mpi/processes.table, or a script, has every program of tests/mpi" every_program_is_run
check "tests/targets.table has every script" every_script_is_run
lines_are_short() {
    for file in "$srcdir/Makefile.am" "$srcdir"/*/local.am "$srcdir/check.sh"; do
        ! expand "$file" | LC_ALL=C.UTF-8 grep -nE '.{111}' || { echo "$file"; return 1; }
    done
}
check "lines of Makefiles and check.sh have at most 110 columns" lines_are_short
