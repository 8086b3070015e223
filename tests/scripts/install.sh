#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `make install` puts somewhere can be used from there, shared and static, from C and C++.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
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

flags() { PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" mpiortho; }
build() { # compiler, source, program, more flags
    compiler=$1 source=$2 program=$3
    shift 3
    $compiler $sanitizers "$work/$source" -o "$work/$program" "$@"
}
run() { LD_LIBRARY_PATH=$prefix/lib timeout 60 $MPIEXEC -n 2 "$work/$1"; }

there() { # install or uninstall
    $MAKE -s -C "$builddir" "$1" prefix="$prefix" libdir="$prefix/lib" includedir="$prefix/include" bindir="$prefix/bin" \
        mandir="$prefix/share/man" docdir="$prefix/share/doc/mpiortho" pkgconfigdir="$prefix/lib/pkgconfig"
}
check "make install" there install
# The .pc file knows the prefix that configure was given; a test's is another.
sed -i "s,^prefix=.*,prefix=$prefix,; s,^exec_prefix=.*,exec_prefix=$prefix,; s,^libdir=.*,libdir=$prefix/lib,; s,^includedir=.*,includedir=$prefix/include," \
    "$prefix/lib/pkgconfig/mpiortho.pc"
check "pkg-config knows the version" test "$(flags --modversion)" = "$(sed -n 's/^AC_INIT(\[mpiortho\], \[\(.*\)\], .*/\1/p' "$srcdir/configure.ac" | cut -d']' -f1)"
check "a C program builds" build "${CC%% *} -std=c99 -Wall -Wextra -Werror" user.c user_c $(flags --cflags --libs)
check "and runs" run user_c
check "a C++ program builds" build "${CXX%% *} -Wall -Wextra" user.cpp user_cpp $(flags --cflags --libs)
check "and runs" run user_cpp
[ "$static" = no ] || check "a static program builds" build "${CC%% *}" user.c user_static $(flags --cflags) "$prefix/lib/libmpiortho.a" $(flags --libs --static | sed 's/-lmpiortho//')
[ "$static" = no ] || check "and runs" run user_static
# A project of CMake's, which finds the MPI of the library.
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(mpiortho 0.1 REQUIRED)
add_executable(user_cmake user.c)
target_link_libraries(user_cmake PRIVATE mpiortho::mpiortho)
END
by_cmake() {
    cmake -S "$work" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="$sanitizers" && cmake --build "$work/cmake" &&
        run cmake/user_cmake
}
too_new() { # the version asked for
    sed -i "s/mpiortho 0.1/mpiortho $1/" "$work/CMakeLists.txt"
    ! cmake -S "$work" -B "$work/cmake2" -DCMAKE_PREFIX_PATH="$prefix" >"$work/out" 2>&1 && grep -q "compatible with requested version" "$work/out"
}
check "a project of CMake's builds and runs" by_cmake
check "and is told if the version is too old for it" too_new 99.0
check "the MPI's own compiler will do" build "$MPICC" user.c user_mpicc -I"$prefix/include" -L"$prefix/lib" -lmpiortho
check "examples come as sources" test -f "$prefix/share/doc/mpiortho/examples/life.cpp"
# A program that knows nothing of it, with the interposer from there (and what watches memory first, if that is on).
interposed() {
    asan=
    case $sanitizers in *address*) asan="$(${CC%% *} -print-file-name=libasan.so) " ;; esac
    $MPICC $sanitizers -std=c11 -w "$srcdir/tests/pmpi/unify.c" -o "$work/plain" &&
        timeout 60 $MPIEXEC -n 2 env ORTHO_PMPI=unify LD_PRELOAD="$asan$prefix/lib/libmpiortho-pmpi.so" "$work/plain" neighbors
}
check "the interposer finds the library beside it" interposed
[ ! -x "$builddir/tools/ortho-plan" ] || check "ortho-plan runs from there, without MPI's libraries" \
    env -u LD_LIBRARY_PATH "$prefix/bin/ortho-plan" predict 'alltoall:torus 4x4:moore 1:1KiB'
check "a manual page can be shown" test -n "$(MANPATH=$prefix/share/man man -w 3 ORTHO_Alltoall)"
gone() { there uninstall && left=$(find "$prefix" ! -type d) && [ -z "$left" ] || { echo "left: $left"; return 1; }; }
check "make uninstall leaves nothing" gone
finish
