# SPDX-License-Identifier: BSD-3-Clause
# Libraries of others (packages_peers) that do the same work as mpiortho in one program: all values of both
# are what arithmetic says.  bench/tables measures the times.
. "$srcdir/tests/foreign/compare.sh"
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
# GHEX in C++, as pip has compiled it for bench/peers; headers of GridTools are in its sources alone.
sphere_is_built() {
    ghex=$(ls -d "$builddir"/venv/lib/python3*/site-packages/ghex) &&
        "$python" -m pip -q download --no-deps --no-binary ghex -d "$work" ghex==0.9.0 &&
        tar -C "$work" -xzf "$work/ghex-0.9.0.tar.gz" &&
        $MPICC -x c++ -std=c++20 -O1 -DOMPI_SKIP_MPICXX -I"$srcdir/include" -I"$ghex/include" \
            -I"$work/ghex-0.9.0/ext/gridtools/include" "$srcdir/tests/foreign/ghex_sphere.cpp" \
            -o "$work/sphere" -x none -L"$ghex/lib" -lghex -loomph_mpi -loomph_common -lhwmalloc -Wl,-rpath,"$ghex/lib" \
            -L"$builddir/.libs" -lmpiortho -Wl,-rpath,"$builddir/.libs" -lstdc++ -lm
}
sphere() { timeout -k 10 "$limit" $MPIEXEC $(crowd_option "$1") -n "$1" "$work/sphere"; }
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
check "GHEX in C++: the cubed sphere is built" sphere_is_built
for p in 1 2 5; do check "GHEX in C++: the same ghosts on a cubed sphere on $p" sphere $p; done
