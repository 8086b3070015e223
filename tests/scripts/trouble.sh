# SPDX-License-Identifier: BSD-3-Clause
# doc/trouble.md shows what is printed.
# The reports of a section, without what differs from machine to machine.
report() { sed -n "/^## $1/,/^## /s/^    //p" "$srcdir/doc/trouble.md"; }
says() { # section, how the program ends, variables, program
    report "$1" >"$work/expected"
    ends=$2
    shift 2
    timeout -k 5 60 $MPIEXEC -n 4 env "$@" >"$work/out" 2>&1
    status=$?
    case $ends/$status in
    well/0) ;;
    *"/0" | */124 | */137 | well/*) echo "status $status"; cat "$work/out"; return 1 ;;
    esac
    [ -s "$work/expected" ] || return 1
    while IFS= read -r line; do
        grep -qF -- "$line" "$work/out" || { echo "no line: $line"; cat "$work/out"; return 1; }
    done <"$work/expected"
}
check "it hangs" says "It hangs" badly ORTHO_STALL_S=2 ORTHO_STALL_ABORT=1 tests/mpi/trouble hang
check "wrong values" says "Wrong values" badly ORTHO_VERIFY=1 tests/mpi/trouble
check "it is slow" says "It is slow" well ORTHO_EXPLAIN=1 examples/ghosts
