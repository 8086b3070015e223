# SPDX-License-Identifier: BSD-3-Clause
# PETSc (petsc-dev, libpetsc3.18-dev-examples): with -sf_type neighbor it updates ghosts by neighborhood
# collectives.  Two of its tutorials solve equations.  Its own tests of that type tell what to expect.
. "$srcdir/tests/foreign/compare.sh"
sources=$(ls -d /usr/share/petsc/*/share/petsc/examples/src 2>/dev/null | tail -n 1)
[ -n "$sources" ] || { echo "Bail out! libpetsc3.18-dev-examples is not installed."; exit 1; }
PKG_CONFIG_PATH=$(ls -d /usr/lib/petscdir/*/*-real/lib/pkgconfig | tail -n 1)
export PKG_CONFIG_PATH
build() { # folder, program, what to call it
    $MPICC -O2 -w "$sources/$1/$2.c" $(pkg-config --cflags --libs petsc) -lm -o "$work/$3"
}

# How the residual falls, in twelve digits: sums are in the same order.
calls=MPI_Ineighbor_alltoallv
seconds() {
    awk '
        $1 == "KSPSolve" { print "solve", $4 }
        $1 == "VecScatterBegin" || $1 == "VecScatterEnd" { exchange += $4 }
        END { print "exchange", exchange }' "$work/log"
}
solve="-ksp_monitor -sf_type neighbor -log_view :$work/log"
check "ksp/ex2 is built" build ksp/ksp/tutorials ex2 ex2
for p in 2 4; do foreign petsc-ksp-ex2 $p "$work/ex2" -m 120 -n 120 -ksp_rtol 1e-8 $solve; done
notices petsc-ksp-ex2 2 "$work/ex2" -m 20 -n 20 $solve
check "ksp/ex45 is built" build ksp/ksp/tutorials ex45 ex45
for p in 2 4; do foreign petsc-ksp-ex45 $p "$work/ex45" -da_refine 3 -pc_type jacobi $solve; done

[ -z "${BENCH_TIMES:-}" ] || return 0
seconds() { :; } # they take none
# The lines that PETSc compares where a test runs with other types; some come in any order.
answer() { grep -hvE 'type|sort' "$work/$1".out.* | sort; }
sf() { # folder, test, its file of expected output, processes, arguments
    program=$work/sf-$1-$2 name=petsc-sf-$1-$3 p=$4
    [ -x "$program" ] || check "sf/$1/$2 is built" build "vec/is/sf/$1" "$2" "sf-$1-$2"
    grep -hvE 'type|sort' "$sources/vec/is/sf/$1/output/$3.out" | sort >"$work/expected"
    expected=$work/expected
    shift 4
    foreign "$name" "$p" "$program" "$@" -sf_type neighbor
}
sf tests ex5 ex5_2 7 -view -nl 5 -explicit_inverse 0
sf tests ex6 ex6_1 2
sf tests ex7 ex7_1 2
# PETSc leaves this type out of these with Open MPI, whose calls were wrong once.
sf tests ex9 ex9_1 7 -world2sub
sf tests ex9 ex9_2 7 -sub2sub
sf tests ex9 ex9_3 7 -world2subs
sf tests ex11 ex11_1 2
sf tests ex12 ex12_1 3
sf tests ex13 ex13_1 3
sf tests ex14 ex14_1 4
for i in 0 1 2; do sf tests ex16 ex16_$i 3 -testnum $i; done
sf tutorials ex1 ex1_1_basic 4 -test_bcast
sf tutorials ex1 ex1_bcastop_basic 4 -test_bcastop
sf tutorials ex1 ex1_2_basic 4 -test_reduce
sf tutorials ex1 ex1_3_basic 4 -test_degree
sf tutorials ex1 ex1_8_basic 3 -test_bcast -test_sf_distribute
sf tutorials ex1 ex1_9_char 4 -test_bcast -test_reduce -test_op max -test_char
sf tutorials ex2 ex2_basic 2
calls="MPI_Ineighbor_alltoallv MPI_Neighbor_alltoallv"
sf tutorials ex1 ex1_4_basic 4 -test_gather
sf tutorials ex1 ex1_4_stride 4 -test_gather -stride 2
sf tutorials ex1 ex1_5_basic 4 -test_scatter
sf tutorials ex1 ex1_5_stride 4 -test_scatter -stride 2
sf tutorials ex1 ex1_7_basic 4 -test_invert
sf tutorials ex1 ex1_10_basic 4 -test_all -test_bcastop 0 -test_fetchandop 0
