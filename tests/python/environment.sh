# SPDX-License-Identifier: BSD-3-Clause
# A virtual environment of the build folder, with mpi4py for this build's MPI.  Sourced there, after
# tests/facts.
python=$builddir/venv/bin/python
# environment PACKAGE...: these are there; that needs pip's network once.
environment() {
    [ -x "$python" ] || python3 -m venv "$builddir/venv" || return 1
    "$python" -c "import $(echo "$*" | sed 's/-/_/g; s/ /, /g')" 2>/dev/null ||
        "$python" -m pip -q install "$@"
}
# use_mpi: mpi4py's wheel loads this MPI: the library that programs of mpicc load, by the name that the wheel
# has.
use_mpi() {
    there=$(mktemp -d) || return 1
    echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >"$there/mpi.c"
    $MPICC "$there/mpi.c" -o "$there/mpi" &&
        mpi=$(ldd "$there/mpi" | sed -n 's/.*=> \(.*\/libmpi\(ch\)*\.so[^ ]*\) .*/\1/p' | head -n 1)
    status=$?
    rm -r "$there"
    [ $status = 0 ] || return 1
    case $flavour in
    mpich) name=libmpi.so.12 ;;
    openmpi) name=libmpi.so.40 ;;
    esac
    mkdir -p "$builddir/venv/mpi" && ln -sf "$mpi" "$builddir/venv/mpi/$name"
    export MPI4PY_MPIABI=$flavour MPI4PY_LIBMPI="$mpi"
    export LD_LIBRARY_PATH="$builddir/venv/mpi${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}
# install_package: our package, for this build's library.
install_package() {
    PATH="$builddir/venv/bin:$PATH" "$python" -m pip -q install --no-build-isolation --force-reinstall \
        --no-deps "$srcdir/python" \
        --config-settings cmake.define.MPIORTHO_LIBRARIES="$flavour=$builddir/.libs/libmpiortho.so.0"
}
