#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds, runs examples on 4 processes, and shows on one page what they and
# ortho-plan draw.
set -eu
cd "$(dirname "$0")"
. ./packages.sh
begin=$(date +%s)
say() { echo "$(($(date +%s) - begin)) s: $*"; }
wrong() { echo "That is wrong: $*" >&2; exit 1; }
install_packages $packages_to_build mpich libmpich-dev

build=build/demo
say "Building in $build ..."
# It is built once and runs for seconds: what compiles fast is done soon.
# With -Og it compiles in three quarters of the time.  g++ takes memory before it looks for what it can free.
fast="-Og --param=ggc-min-heapsize=1000000"
configure_in "$build" MPICC=mpicc.mpich MPICXX=mpicxx.mpich MPIEXEC=mpiexec.mpich CXXFLAGS="$fast" CFLAGS=-O1
make -s -C "$build" -j"$(nproc)" libmpiortho.la examples/life examples/street tools/ortho-plan

pictures=$PWD/$build/pictures
mkdir -p "$pictures"
rm -f "$pictures"/*
run() { mpiexec.mpich -n 4 "$@"; }
bar=
[ ! -t 2 ] || bar=--bar
cd "$build"

say "Conway's Life: four lines on a torus of 256 x 256 cells"
wanted="generation 140 population 4032"
result=$(run examples/life "$source/examples/patterns/lattice.rle" --grid 256x256 --generations 140 \
    --traces --png "$pictures/life.png")
echo "  $result"
[ "$result" = "$wanted" ] || wrong "it must be \"$wanted\""

say "Karman's vortex street: 200 x 300 cells, a cylinder of 10 cells, Reynolds number 100"
# First until it swings; then a period in pictures, from the checkpoint.
street="examples/street --diameter 10 --checkpoint $pictures/street.checkpoint $bar"
result=$(run $street --time 54 --checkpoint-time 54)
echo "  $result; the literature has 0.165"
echo "$result" | awk '{ exit !($NF > 0.165 * 0.95 && $NF < 0.165 * 1.05) }' ||
    wrong "it differs by more than 5 %"
result=$(run $street --time 60 --checkpoint-time 60 --frame-time 0.25 --png "$pictures/street")
echo "$result" | sed 's/^/  /'

say "Plans: a schedule, and a placement"
tools/ortho-plan schedule 'alltoall:torus 4x4:moore:1:1KiB' --svg "$pictures/schedule.svg" \
    >"$pictures/schedule.txt"
tools/ortho-plan place --grid 16x12 --nodes 16 --svg "$pictures/place.svg" >"$pictures/place.txt"

cp "$source/examples/demo.html" "$pictures/index.html"
say "The pictures are on one page:"
echo "  $pictures/index.html"
