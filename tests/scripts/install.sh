# SPDX-License-Identifier: BSD-3-Clause
# Files that `make install` puts somewhere can be used from there, shared and static, from C and C++.
prefix=$work/prefix

cat >"$work/user.c" <<'END'
#include <mpiortho.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0, one = 1;
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int offsets[] = {1, -1};
    ORTHO_Cart_neighborhood_create(MPI_COMM_WORLD, 1, &size, &one, 2, offsets, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    ORTHO_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, ring);
    printf("%d of %d: %d\n", rank, size, sum);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return sum != (rank + 1) % size + (rank + size - 1) % size;
}
END
cp "$work/user.c" "$work/user.cpp"

flags() { PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" "${module-mpiortho}"; }
pmpi_flags() { module=mpiortho-pmpi flags "$@"; }
build() { # compiler, source, program, more flags
    compiler=$1 source=$2 program=$3
    shift 3
    $compiler $sanitizers "$work/$source" -o "$work/$program" "$@"
}
run() { timeout 60 $MPIEXEC -n 2 "$work/$1"; }

there() { # install or uninstall, variables of make
    what=$1
    shift
    $MAKE -s -C "$builddir" "$what" "$@" prefix="$prefix" libdir="$prefix/lib" includedir="$prefix/include" bindir="$prefix/bin" \
        mandir="$prefix/share/man" docdir="$prefix/share/doc/mpiortho" pkgconfigdir="$prefix/lib/pkgconfig"
}
check "make install" there install
# The .pc files know the prefix that configure was given; a test's is another.
sed -i "s,^prefix=.*,prefix=$prefix,; s,^exec_prefix=.*,exec_prefix=$prefix,; s,^libdir=.*,libdir=$prefix/lib/mpiortho-$flavour,; s,^includedir=.*,includedir=$prefix/include," \
    "$prefix"/lib/pkgconfig/mpiortho*-$flavour.pc
check "pkg-config knows the version" test "$(flags --modversion)" = "$(sed -n 's/^AC_INIT(\[mpiortho\], \[\(.*\)\], .*/\1/p' "$srcdir/configure.ac" | cut -d']' -f1)"
check "pkg-config knows mpiexec" test "$(flags --variable=mpiexec)" = "$MPIEXEC"
check "a C program builds" build "${CC%% *} -std=c99 -Wall -Wextra -Werror" user.c user_c $(flags --cflags --libs)
check "and runs" run user_c
check "a C++ program builds" build "${CXX%% *} -Wall -Wextra" user.cpp user_cpp $(flags --cflags --libs)
check "and runs" run user_cpp
cat >"$work/user20.cpp" <<'END'
#include <mpiortho.hpp>
int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int sum = 0;
    {
        mpiortho::grid<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
        sum = ring.sum(1);
    }
    MPI_Finalize();
    return sum != 2;
}
END
check "a C++20 program builds" build "${CXX%% *} -std=c++20 -Wall -Wextra" user20.cpp user_cpp20 $(flags --cflags) \
    -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX $(flags --libs)
check "and runs" run user_cpp20
[ "$static" = no ] || check "a static program builds" build "${CC%% *}" user.c user_static $(flags --cflags) "$prefix/lib/libmpiortho.a" $(flags --libs --static | sed 's/-lmpiortho//')
[ "$static" = no ] || check "and runs" run user_static
# An installation with static libraries alone.
without_shared() {
    cp -R "$prefix" "$work/static" && find "$work/static" -name '*.so*' -exec rm {} + &&
        sed -i "s,=$prefix,=$work/static,; s,^preload=.*,preload=," "$work/static"/lib/pkgconfig/mpiortho*-$flavour.pc
}
in_static() { (prefix=$work/static && "$@"); }
static_pmpi() {
    build "${CC%% *} -std=c11 -w" plain.c plain_static $(pmpi_flags --static --cflags --libs) && interposed_by plain_static
}
# The commands in README.md for the installed library, with Debian's MPIs: those for this one.
readme_commands() {
    $AWK -v run="mpiexec.$flavour" '/^    cc / { build = $0 } $1 == run { print build; print }' "$srcdir/README.md"
}
as_readme_says() {
    mkdir -p "$work/readme" && ln -sf "$(cd "$srcdir" && pwd)/examples" "$work/readme" &&
        readme_commands >"$work/readme/commands" && [ "$(wc -l <"$work/readme/commands")" = 2 ] || return 1
    (cd "$work/readme" && export PKG_CONFIG_PATH="$prefix/lib/pkgconfig" && timeout 60 sh -e commands) >"$work/readme/out" || return 1
    sort -o "$work/readme/out" "$work/readme/out"
    sed -n 's/^    \(rank [0-9]: .*\)/\1/p' "$srcdir/README.md" | sort | diff - "$work/readme/out"
}
if [ "$MPIEXEC$sanitizers" = "mpiexec.$flavour" ]; then
    check "README.md: its program builds and runs by its commands" as_readme_says
fi
cp "$srcdir/tests/pmpi/plain.h" "$work"
cp "$srcdir/tests/pmpi/unify.c" "$work/plain.c"
# A project of CMake's, which finds the MPI of the library.
project() { # languages, options; the rest of the project comes from the standard input
    rm -rf "$work/cmake" && mkdir "$work/cmake" &&
        { printf 'cmake_minimum_required(VERSION 3.16)\nproject(user %s)\n' "$1" && cat; } >"$work/cmake/CMakeLists.txt" || return 1
    shift
    cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$sanitizers" \
        -DCMAKE_CXX_FLAGS="$sanitizers" -DCMAKE_Fortran_FLAGS="$sanitizers" "$@"
}
is_run() { cmake --build "$work/cmake/build" && run "cmake/build/$1"; } # program of the project
in_c() { # version asked for, options
    version=$1
    shift
    project C "$@" <<END
find_package(mpiortho $version REQUIRED)
add_executable(user_cmake ../user.c)
target_link_libraries(user_cmake PRIVATE mpiortho::mpiortho)
add_executable(plain_cmake ../plain.c)
target_link_libraries(plain_cmake PRIVATE mpiortho::pmpi)
END
}
by_cmake() { in_c 0.1 && is_run user_cmake && interposed_by cmake/build/plain_cmake; }
# A program that knows nothing of it: whether its calls are taken.
interposed_by() { # program, variables
    program=$1
    shift
    timeout 60 $MPIEXEC -n 2 env ORTHO_PMPI=unify "$@" "$work/$program" neighbors
}
by_cmake_in_cpp() { # alone; and the project's own variables stay
    project CXX <<'END' && is_run user_cmake_cpp
set(prefix mine)
find_package(mpiortho 0.1 REQUIRED)
if(NOT prefix STREQUAL mine)
  message(FATAL_ERROR "prefix is ${prefix} now")
endif()
set(CMAKE_CXX_STANDARD 11) # less than mpiortho.hpp needs
add_executable(user_cmake_cpp ../user20.cpp)
target_link_libraries(user_cmake_cpp PRIVATE mpiortho::mpiortho)
END
}
mkdir "$work/sub" && echo 'find_package(mpiortho REQUIRED)' >"$work/sub/CMakeLists.txt"
late_by_cmake() { # languages that come first, and then: C++ comes after the package, which a subfolder may find again
    project "$1" -DCMAKE_CXX_STANDARD=11 -DCMAKE_CXX_FLAGS="$sanitizers -Werror -Wno-deprecated-declarations" <<END && is_run user_late
find_package(mpiortho 0.1 REQUIRED)
enable_language(CXX)
$2
add_executable(user_late ../user20.cpp)
target_link_libraries(user_late PRIVATE mpiortho::mpiortho)
END
}
too_new() { ! in_c "$1" >"$work/out" 2>&1 && grep -q "compatible with requested version" "$work/out"; } # the version asked for
fortran_by_cmake() {
    project Fortran <<END && is_run heat
find_package(mpiortho 0.1 REQUIRED)
add_executable(heat $prefix/share/doc/mpiortho/examples/heat.f90)
target_link_libraries(heat PRIVATE mpiortho::fortran)
END
}
fortran_by_pkg_config() {
    cp "$prefix/share/doc/mpiortho/examples/heat.f90" "$work" &&
        build "$MPIFC" heat.f90 heat $(module=mpiortho-fortran flags --static --cflags --libs) && run heat
}
if [ -n "$MPIFC" ]; then
    check "a Fortran program builds and runs" fortran_by_pkg_config
    check "and by CMake" fortran_by_cmake
    check "and C++ that comes behind Fortran" late_by_cmake Fortran 'find_package(mpiortho REQUIRED)'
fi
check "a project of CMake's builds and runs" by_cmake
check "and one in C++" by_cmake_in_cpp
check "and one in C, and then C++" late_by_cmake C ''
check "which a subfolder finds again" late_by_cmake C 'add_subdirectory(../sub sub)'
check "and is told if the version is too old for it" too_new 99.0
by_plain_names() {
    build "$MPICC" user.c user_mpicc -I"$prefix/include" -L"$prefix/lib" -lmpiortho -Wl,-rpath,"$prefix/lib" && run user_mpicc
}
check "the MPI's own compiler and plain names will do" by_plain_names
check "examples come as sources" test -f "$prefix/share/doc/mpiortho/examples/life.cpp"
# The interposer from there (and what watches memory first, if that is on).
preloaded() { # interposer
    asan=
    case $sanitizers in *address*) asan="$(${CC%% *} -print-file-name=libasan.so) " ;; esac
    $MPICC $sanitizers -std=c11 -w "$work/plain.c" -o "$work/plain" && ! interposed_by plain >/dev/null 2>&1 &&
        interposed_by plain LD_PRELOAD="$asan$1"
}
linked() { build "${CC%% *} -std=c11 -w" plain.c plain_linked $(pmpi_flags --cflags --libs) && interposed_by plain_linked; }
check "the interposer finds the library beside it" preloaded "$prefix/lib/libmpiortho-pmpi.so"
check "pkg-config knows where the interposer is" preloaded "$(pmpi_flags --variable=preload)"
check "and how a program is linked with it" linked
[ ! -x "$builddir/tools/ortho-plan" ] || check "ortho-plan runs from there, without MPI's libraries" \
    env -u LD_LIBRARY_PATH "$prefix/bin/ortho-plan" predict 'alltoall:torus 4x4:moore:1:1KiB'
check "a manual page can be shown" test -n "$(MANPATH=$prefix/share/man man -w 3 ORTHO_Alltoall)"
if [ "$static" != no ]; then
    check "there are static libraries alone" without_shared
    check "a program is linked with the interposer" in_static static_pmpi
    check "and by CMake" in_static by_cmake
    [ -z "$MPIFC" ] || check "a Fortran program is linked" in_static fortran_by_pkg_config
    [ -z "$MPIFC" ] || check "and by CMake" in_static fortran_by_cmake
fi
# A second installation, for another MPI, changes nothing of the first, and programs build as before.
state() { (cd "$prefix" && find . -type f -exec cksum {} + && find . -type l -printf '%p %l\n') | grep -v another | sort; }
second() { # install or uninstall
    for name in mpiortho mpiortho-pmpi ${MPIFC:+mpiortho-fortran}; do
        cp "$builddir/$name-$flavour.pc" "$builddir/$name-another.pc" || return 1
    done
    there "$1" MPI_FLAVOUR=another
    ended=$?
    rm -f "$builddir"/mpiortho*-another.pc
    # As its configure would have written it.
    [ "$1" = uninstall ] || sed -i "s/\"$flavour\"/\"another\"/" "$prefix/lib/cmake/mpiortho-another"/*.cmake
    return $ended
}
nothing_changed() {
    state | diff "$work/before" - && build "${CC%% *} -std=c99" user.c user_c $(flags --cflags --libs) && run user_c
}
there_twice() {
    state >"$work/before" && second install && nothing_changed && [ -f "$prefix/lib/mpiortho-another/libmpiortho.so.0" ] &&
        [ -f "$prefix/lib/pkgconfig/mpiortho-another.pc" ] && [ -f "$prefix/lib/pkgconfig/mpiortho-pmpi-another.pc" ]
}
chosen() { # MPI: that is what a project of CMake's gets
    in_c 0.1 -Dmpiortho_MPI="$1" >"$work/out" 2>&1 &&
        grep "mpiortho_DIR:PATH=.*/mpiortho-$1\$" "$work/cmake/build/CMakeCache.txt"
}
points_to() { [ "$(readlink "$prefix/$1")" = "$2" ] && [ -e "$prefix/$1" ]; }
second_goes() { second uninstall && nothing_changed && [ ! -e "$prefix/lib/mpiortho-another/libmpiortho.so" ]; }
first_goes() {
    second install && there uninstall && points_to lib/libmpiortho.so mpiortho-another/libmpiortho.so &&
        points_to lib/pkgconfig/mpiortho.pc mpiortho-another.pc &&
        points_to lib/pkgconfig/mpiortho-pmpi.pc mpiortho-pmpi-another.pc &&
        [ -f "$prefix/include/mpiortho.h" ] && second uninstall && there install
}
check "a second MPI's comes beside it" there_twice
check "a project of CMake's says which MPI" chosen another
check "and gets that" chosen $flavour
check "the second goes, and leaves the first" second_goes
not_chosen() { # MPI; the error says which there is
    ! chosen "$1" && tr -s ' \n' ' ' <"$work/out" |
        grep -q "mpiortho_MPI is $1, but mpiortho is installed for $flavour" || { cat "$work/out"; return 1; }
}
check "there is none of an MPI that is gone" not_chosen another
check "the first goes, and plain names are the second's" first_goes
# Version 0.1 had no folder of its own.
replaced() {
    ln -sf libmpiortho.so.0.0.0 "$prefix/lib/libmpiortho.so" && : >"$prefix/lib/libmpiortho.so.0.0.0" && there install &&
        points_to lib/libmpiortho.so mpiortho-$flavour/libmpiortho.so
}
check "what version 0.1 left is replaced" replaced
# Whoever configures in the source folder can configure elsewhere, too, as demo.sh and check.sh do.  The Fortran
# compiler is as flang 19 is, and pkg-config knows the hwloc of another machine.
in_the_source_folder() {
    mkdir "$work/source" && tar -C "$srcdir" --exclude=./build --exclude=./_build --exclude=./_inst --exclude=./.git -cf - . | tar -C "$work/source" -xf - &&
        chmod -R u+w "$work/source" || return 1
    printf '#!/bin/sh\ncase "$*" in --version) echo flang ;; *) [ "$1 $2" = "-mmlir -allow-assumed-rank" ] ;; esac\n' >"$work/flang"
    chmod +x "$work/flang"
    set -- MPICC="$MPICC" MPIEXEC="$MPIEXEC" MPIFC="$work/flang" FCFLAGS= HWLOC_LIBS=-lhwloc_of_another_machine
    (cd "$work/source" && ./configure -q -C --prefix="$work/a prefix" "$@" >"$work/configured" &&
        $MAKE -n all 2>&1 | grep -q 'libmpiortho' && grep -q "^prefix = $work/a prefix\$" build/default/Makefile &&
        [ ! -f config.status ] && . ./packages.sh &&
        configure_in build/another --cache-file="$PWD/build/default/config.cache" "$@" &&
        [ -f build/another/Makefile ] && $MAKE -s distclean && [ ! -f Makefile ] && [ ! -f build/default/config.status ])
}
check "the source folder can be configured, and a build folder, too" in_the_source_folder
says_why() { grep "Fortran  *no ($work/flang is not gfortran.* with -mmlir -allow-assumed-rank" "$work/configured"; }
check "configure says why there is no Fortran, and what flang needs" says_why
check "and takes no hwloc that programs do not link with" grep '^ *hwloc  *no$' "$work/configured"
gone() { there uninstall && left=$(find "$prefix" ! -type d) && [ -z "$left" ] || { echo "left: $left"; return 1; }; }
check "make uninstall leaves nothing" gone
