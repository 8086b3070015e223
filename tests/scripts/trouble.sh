#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doc/trouble.md shows what is printed.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# The reports of a section, without what differs from machine to machine.
report() { sed -n "/^## $1/,/^## /s/^    //p" "$srcdir/doc/trouble.md"; }
says() { # section, variables, program
    report "$1" >"$work/expected"
    shift
    timeout -k 5 60 $MPIEXEC -n 4 env "$@" >"$work/out" 2>&1
    [ -s "$work/expected" ] || return 1
    while IFS= read -r line; do
        grep -qF -- "$line" "$work/out" || { echo "no line: $line"; cat "$work/out"; return 1; }
    done <"$work/expected"
}
check "it hangs" says "It hangs" ORTHO_STALL_S=2 ORTHO_STALL_ABORT=1 tests/mpi/trouble hang
check "wrong values" says "Wrong values" ORTHO_VERIFY=1 tests/mpi/trouble
check "it is slow" says "It is slow" ORTHO_EXPLAIN=1 examples/ghosts
finish
