#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, and runs the examples on 4 processes.
set -eu
cd "$(dirname "$0")"
. ./packages.sh
install_packages $packages_to_build mpich libmpich-dev

build=build/demo
configure_in "$build" --disable-programs
make -s -C "$build" -j"$(nproc)" all

cd "$build"
echo
echo "Conway's Life: the R-pentomino on a torus of 1024 x 1024 cells, 4 processes"
wanted="generation 1103 population 116"
result=$(mpiexec.mpich -n 4 examples/life "$source/examples/patterns/r-pentomino.rle" \
    --grid 1024x1024 --generations 1103 --png life.png | tee /dev/stderr | tail -n 1)
[ "$result" = "$wanted" ] || { echo "That is wrong: it must end with \"$wanted\"." >&2; exit 1; }
echo "  which is right: the R-pentomino settles in generation 1103, with 116 cells."
echo
echo "Laplace's equation with a 9-point stencil, 64 x 64, 4 processes"
mpiexec.mpich -n 4 examples/stencil9 --n 64 --png stencil9.png
echo
echo "Pictures: $PWD/life.png and $PWD/stencil9.png"
