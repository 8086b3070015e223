#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plain names (-lmpiortho, ortho-bench, mpiortho.pc) for files in the folder of one MPI.  The MPI that was installed
# first has them; when it is removed, the next one gets them.
#   plain_names.sh link|unlink MPI LIBDIR BINDIR PKGCONFIGDIR
set -eu
what=$1 mpi=$2 libdir=$3 bindir=$4 pkgconfigdir=$5

# relative FROM TO: the path from one folder to a file in another one.
relative() {
    from=$1 to=$2 up=
    while case $to in "$from"/*) false ;; *) true ;; esac; do from=${from%/*} up=../$up; done
    echo "$up${to#"$from"/}"
}
# is_others NAME: is it a link to an existing file of another MPI?
is_others() {
    case $(readlink "$1") in
    "mpiortho-$mpi"/* | "mpiortho-$mpi.pc" | "mpiortho-pmpi-$mpi.pc" | "mpiortho-fortran-$mpi.pc" | */"mpiortho-$mpi"/*) false ;;
    *mpiortho-*) [ -e "$1" ] ;;
    *) false ;;
    esac
}
# link FILE FOLDER [NAME]: makes a link to an existing file in the folder, in one step: make installs programs and data
# at the same time, and runs this after each.
link() {
    name=$2/${3-${1##*/}}
    if [ ! -f "$1" ] || is_others "$name"; then return; fi
    mkdir -p "$2"
    ln -s "$(relative "$2" "$1")" "$name.$$"
    mv -f "$name.$$" "$name"
}
all() {
    own=$libdir/mpiortho-$mpi
    if ! is_others "$libdir/libmpiortho.so" && ! is_others "$libdir/libmpiortho.a"; then
        rm -f "$libdir"/libmpiortho*.so.0.0.0 # of version 0.1, which had no folder of its own
        for file in "$own"/lib*.so "$own"/lib*.so.* "$own"/lib*.a; do link "$file" "$libdir"; done
        link "$pkgconfigdir/mpiortho-$mpi.pc" "$pkgconfigdir" mpiortho.pc
        link "$pkgconfigdir/mpiortho-pmpi-$mpi.pc" "$pkgconfigdir" mpiortho-pmpi.pc
        link "$pkgconfigdir/mpiortho-fortran-$mpi.pc" "$pkgconfigdir" mpiortho-fortran.pc
    fi
    for file in "$own"/bin/*; do link "$file" "$bindir"; done
}
if [ "$what" = link ]; then
    all
else
    for name in "$libdir"/libmpiortho* "$bindir"/ortho-* "$pkgconfigdir"/mpiortho.pc "$pkgconfigdir"/mpiortho-*.pc; do
        [ ! -L "$name" ] || [ -e "$name" ] || rm -f "$name"
    done
    for other in "$libdir"/mpiortho-*/libmpiortho.so "$libdir"/mpiortho-*/libmpiortho.a; do
        [ -e "$other" ] || continue
        other=${other%/*} mpi=${other##*/mpiortho-}
        all
        break
    done
fi
