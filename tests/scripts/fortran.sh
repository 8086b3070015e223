# SPDX-License-Identifier: BSD-3-Clause
# The Fortran face: every routine in MPI's three bindings, on 3 processes, or with ORTHO_TEST_ALL
# 1 to 4; what must not compile; the example.
[ -n "$MPIFC" ] || skip_all "the MPI has no Fortran compiler"
# Arrays of main programs live until these end, and nothing says whose memory the MPI's unloaded plugins leave.
export ASAN_OPTIONS="$quick_asan:detect_leaks=0"
compile() { # source, program, option...
    source=$1 program=$2
    shift 2
    (cd "$work" && $MPIFC $sanitizers ${sanitizers:+-DSANITIZED} -g -O2 -Wall -Wno-unused-variable -Wno-unused-dummy-argument -Werror \
        -I"$builddir/fortran" "$@" "$source" -J"$work" -o "$program" -L"$builddir/.libs" \
        -lmpiortho_fortran -lmpiortho -Wl,-rpath,"$builddir/.libs")
}
with_binding() { # test, binding
    $AWK -f "$srcdir/tests/fortran/collectives.awk" "$srcdir/tests/fortran/$1.F90" >"$work/$1.F90" || return 1
    # One of them as programs are: the optimizer must leave alone what is under way.
    [ "$2" = 1 ] && optimize= || optimize=-O0
    compile "$work/$1.F90" "$work/$1-$2" -DBINDING="$2" -I"$srcdir/tests/fortran" $optimize
}
# With sanitizers, which take their time, one binding on 3 processes.
names="mpi_f08 mpi mpif.h" counts=$(counts_of_faces)
[ -z "$sanitizers" ] || names=mpi_f08 counts=3
for test in collectives functions halo index_map mosaic; do
    binding=0
    for name in $names; do
        binding=$((binding + 1))
        # The last two have the same handles, integers, and the same routines: they differ in MPI's constants.
        case $binding$test in 3halo | 3index_map | 3mosaic) thorough || continue ;; esac
        check "$test by $name compiles" with_binding $test $binding
        for p in $counts; do
            check "$test by $name on $p" says '^failures: 0$' on "$p" "$work/$test-$binding"
        done
    done
done
preload="LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$builddir/tests/pretend.so"
for test in $([ -n "$sanitizers" ] || [ ! -f "$builddir/tests/pretend.so" ] || echo functions mosaic); do
    check "streams of a device: $test" says '^failures: 0$' on 2 env "$preload" ORTHO_TEST_PRETEND=here "$work/$test-1"
done
check "sections.f90 compiles" compile "$srcdir/tests/fortran/sections.f90" "$work/sections" -std=f2018
check "a compiler that passes sections wrongly is refused" says '^failures: 0$' on 1 "$work/sections"
echo 'use mpi_f08; type(MPI_Session) :: s; call MPI_Session_finalize(s); end' >"$work/has.f90"
if compile "$work/has.f90" has >"$work/out" 2>&1; then
    check "sessions.f90 compiles" compile "$srcdir/tests/fortran/sessions.f90" "$work/sessions_alone" -std=f2018
    check "a program that never calls MPI_Init" says '^failures: 0$' on 2 "$work/sessions_alone"
fi
check "heat.f90 compiles as Fortran 2018" compile "$srcdir/examples/heat.f90" "$work/heat" -std=f2018
for p in $counts; do check "heat.f90 on $p" says ': 0 values differ' on "$p" "$work/heat" 20 10; done
check "mesh.f90 compiles as Fortran 2018" compile "$srcdir/examples/mesh.f90" "$work/mesh" -std=f2018
for p in $counts; do check "mesh.f90 on $p" says 'largest error: 0.0000' on "$p" "$work/mesh"; done

# doc/mosaics.md: its program prints what the page says, in any order of lines.
program mosaics fortran 1 >"$work/page.f90"
check "doc/mosaics.md: its program compiles as Fortran 2018" compile "$work/page.f90" "$work/page" -std=f2018
check "doc/mosaics.md: it prints what the page says" prints_as_promised mosaics fortran 1 on 4 "$work/page"

# The program that draws its map is in C++, and needs libpng.
draws() {
    for part in map_picture colors picture; do
        $CXX -std=c++20 $sanitizers -c "$srcdir/examples/$part.cpp" -o "$work/$part.o" || return 1
    done
}
ocean() {
    compile "$srcdir/examples/ocean.f90" "$work/ocean" -std=f2018 map_picture.o colors.o picture.o -lpng -lstdc++
}
is_drawn() {
    says ": 0 values differ" on 4 "$work/ocean" 40 32 10 9 "$work/map.png" &&
        [ "$(head -c 8 "$work/map.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
}
if draws >"$work/out" 2>&1; then
    check "ocean.f90 compiles as Fortran 2018" ocean
    check "ocean.f90 on 4, with land, and a map" is_drawn
    # With 40 x 40 cells a patch one process has all of it, and others nothing.
    for p in $([ -n "$sanitizers" ] && echo 3 || few 1 2 3 5 8); do
        for side in 5 9 40; do
            check "ocean.f90 on $p, $side x $side cells a patch" says ': 0 values differ' on "$p" "$work/ocean" 40 32 10 $side
        done
    done
fi

# The source of the module by another compiler, for which the MPI has no modules.  flang 19 needs an option.
flang=
for name in flang-22 flang-new-22 flang-21 flang-20 flang-new-19 flang-new; do
    [ -n "$flang" ] || flang=$(command -v $name || :)
done
assumed_rank=
words=$($MPIFC -show 2>/dev/null || $MPIFC --showme)
mpi_words=$(echo "$words" | tr ' ' '\n' | grep -E '^-(I|L|l|Wl,)' | grep -v '^-lgfortran' | tr '\n' ' ')
by_flang() { (cd "$work/flang" && $flang $assumed_rank -O2 -w $mpi_words "$@"); } # source, option...
mkdir "$work/flang"
if [ -n "$flang" ] && [ -z "$sanitizers" ] && by_flang -c "$srcdir/examples/mpi_of_mpifh.f90" >"$work/out" 2>&1; then
    by_flang -c "$builddir/fortran/mpiortho.f90" >"$work/out" 2>&1 || assumed_rank='-mmlir -allow-assumed-rank'
    check "flang compiles the module" by_flang -c "$builddir/fortran/mpiortho.f90"
    for test in collectives functions halo index_map mosaic; do
        check "$test by flang compiles" by_flang -cpp -DBINDING=3 -I"$srcdir/tests/fortran" "$work/$test.F90" mpiortho.o \
            mpi_of_mpifh.o -o $test -L"$builddir/.libs" -lmpiortho_fortran -lmpiortho -Wl,-rpath,"$builddir/.libs"
        for p in $(few 2 1); do check "$test by flang on $p" says '^failures: 0$' on "$p" "$work/flang/$test"; done
    done
fi

# Each public name of the module is called by a test, and stands on the page.
words() { tr ' ,' '\n\n' | grep '^ortho_'; }
sed -n 's/^ *public :: //p' "$builddir/fortran/mpiortho.f90" | words | sort -u >"$work/names"
cat "$work"/collectives.F90 "$work"/functions.F90 "$work"/halo.F90 "$work"/index_map.F90 "$work"/mosaic.F90 >"$work/all"
are_called() {
    [ "$(wc -l <"$work/names")" -gt 140 ] || { echo "the module is not understood"; return 1; }
    while read -r name; do
        grep -qi "\b$name(" "$work/all" || { echo "$name is not called"; return 1; }
    done <"$work/names"
}
check "all routines are called" are_called
are_on_the_page() {
    sed -n '/^\.SS All routines/,/^\.SS Comp/p' "$srcdir/man/mpiortho-fortran.7" | words |
        diff "$work/names" -
}
check "mpiortho-fortran(7) lists them" are_on_the_page
# Each public function of C has a routine of the same name.  Those with large counts share the name, and those for
# fields have that of others.
has_all_functions() {
    sed -n 's/^    \(ORTHO_[A-Z][a-z].*\);$/\1/p' "$builddir/libmpiortho.map" | grep -v '_c$' | tr 'A-Z' 'a-z' |
        sort >"$work/functions"
    missing=$(comm -23 "$work/functions" "$work/names" | tr '\n' ' ')
    [ "$missing" = "ortho_halo_fields_init ortho_halo_gather ortho_halo_rebind_fields ortho_halo_reduce_fields_init \
ortho_halo_scatter ortho_set_face " ] ||
        { echo "without a routine: $missing"; return 1; }
}
check "all functions of C have a routine" has_all_functions

# Code that must not compile: fields that cannot be written.
snippet() {
    cat >"$work/snippet.f90" <<FORTRAN
subroutine snippet(a, constant, list)
    use mpiortho
    real, intent(inout) :: a(:, :)
    real, intent(in) :: constant(:, :)
    integer, intent(in) :: list(:)
    type(ortho_field) :: f
    f = $1
end subroutine
FORTRAN
    compile "$work/snippet.f90" "$work/snippet.o" -c
}
refuses() {
    ! snippet "$1" >"$work/out" 2>&1 && grep -q definable "$work/out" || { cat "$work/out"; return 1; }
}
check "a field that can be written" snippet 'ortho_field(a)'
check "not one that is only read" refuses 'ortho_field(constant)'
check "not an expression" refuses 'ortho_field(2 * a)'
check "not elements by a list" refuses 'ortho_field(a(list, :))'
