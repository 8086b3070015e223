#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python face: pytest on 1 to 4 processes, examples in its texts, types, its page, examples.  It is installed
# with mpi4py into a virtual environment of the build folder, which needs pip's network at the first time.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -z "$sanitizers" ] || skip "Python is not built with sanitizers"
case $flavour in mpich | openmpi) ;; *) skip "there is no mpi4py for this MPI" ;; esac
python=$builddir/python/bin/python
environment() {
    [ -x "$python" ] || python3 -m venv "$builddir/python" || return 1
    "$python" -c 'import mpi4py, numpy, pytest, hypothesis, mypy, scipy' 2>/dev/null ||
        "$python" -m pip -q install mpi4py numpy pytest hypothesis mypy scipy
}
environment >"$work/out" 2>&1 || { sed 's/^/# /' "$work/out"; skip "pip finds no mpi4py"; }

# mpi4py's wheel loads this MPI: the library that the programs of mpicc load, by the name that the wheel gives it.
echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >"$work/mpi.c"
$MPICC "$work/mpi.c" -o "$work/mpi" || skip "mpicc does not work"
mpi=$(ldd "$work/mpi" | sed -n 's/.*=> \(.*\/libmpi\(ch\)*\.so[^ ]*\) .*/\1/p' | head -n 1)
case $flavour in
mpich) name=libmpi.so.12 ;;
openmpi) name=libmpi.so.40 ;;
esac
mkdir -p "$builddir/python/mpi" && ln -sf "$mpi" "$builddir/python/mpi/$name"
export MPI4PY_MPIABI=$flavour MPI4PY_LIBMPI="$mpi"
export LD_LIBRARY_PATH="$builddir/python/mpi${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONFAULTHANDLER=1 PYTHONDONTWRITEBYTECODE=1 PYTEST_ADDOPTS="-q -x --color=no -p no:cacheprovider"

on() { # processes, argument of python...
    p=$1
    shift
    timeout -k 10 "$limit" $MPIEXEC -n "$p" "$python" "$@"
}
build() {
    "$python" -m pip -q install --force-reinstall --no-deps "$srcdir/python" \
        -C cmake.define.MPIORTHO_LIBRARIES="$flavour=$builddir/.libs/libmpiortho.so.0"
}
check "it is built and installed" build
for test in "$srcdir"/tests/python/test_*.py; do
    for p in $(few 4 3 2 1); do
        # MPICH's processes spin.
        [ "$flavour$p" != mpich4 ] || continue
        check "$(basename "$test" .py) on $p" on "$p" -m pytest "$test"
    done
done
for p in $(few 3 2); do check "examples in its texts on $p" on "$p" "$srcdir/tests/python/texts.py"; done
typed() { # file
    (cd "$work" && "$python" -m mypy --strict --cache-dir "$work/mypy" "$@")
}
check "mypy --strict passes on the package" typed -p mpiortho
check "mypy --strict passes on programs" typed "$srcdir"/tests/python/user.py
for p in $(few 3 1); do check "user.py on $p" on "$p" "$srcdir/tests/python/user.py"; done
finish
