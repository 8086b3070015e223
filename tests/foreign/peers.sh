#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Libraries of others (packages_peers) that do the same work as mpiortho in one program: all values of both
# are what arithmetic says.  bench/tables measures the times.
set -u
. "$(dirname "$0")/compare.sh"
# Elements of random others as ghosts: files as bench/irregular/patterns.py writes them.
patterns() {
    for name in tri tet bricks near power random; do
        awk -v processes=3 -v name=$name 'BEGIN {
            srand(length(name))
            for (rank = 0; rank < processes; ++rank) {
                list = ""
                for (i = n = 0; i < 50 * processes; ++i)
                    if (int(i / 50) != rank && rand() < 0.3) { list = list " " i; ++n }
                print 50, n; print list
            }
        }' >"$work/$name"
    done
}
builds() { $MAKE -s peers >"$work/out" 2>&1 || { cat "$work/out"; return 1; }; }
installed() { ! sh "$srcdir/bench/peers/find" 2>&1 >/dev/null | grep .; }
values() { # program: with a call of each way for each line of its table
    timeout -k 10 "$limit" $MPIEXEC $(crowd_option 3) -n 3 "$1" 0 "$work" 6 8 12 >"$work/out" 2>&1 ||
        { tail -n 30 "$work/out"; return 1; }
    [ "$(grep -c '^[a-zA-Z0-9.]*  ' "$work/out")" -ge 8 ] && ! grep 'WRONG VALUES' "$work/out"
}
your_code() { # section of the page, processes
    block "$srcdir/doc/with-your-code.md" "$1" >"$work/your_code.py"
    timeout -k 10 "$limit" $MPIEXEC $(crowd_option "$2") -n "$2" "$python" "$srcdir/tests/foreign/your_code.py" \
        "$work/your_code.py" >"$work/out" 2>&1 && [ "$(grep -o right "$work/out" | wc -l)" = "$2" ] ||
        { tail -n 30 "$work/out"; return 1; }
}
patterns
check "the libraries are installed" installed
check "the programs are built" builds
for name in $(sh "$srcdir/bench/peers/find" 2>/dev/null); do
    check "$name: its values and ours are right" values "$builddir/bench/peers/$name"
done
. "$srcdir/tests/python/environment.sh"
use_mpi
for section in GHEX mpiarray; do
    for p in 2 4; do check "with-your-code.md, $section on $p: ghosts are right" your_code $section $p; done
done
finish
