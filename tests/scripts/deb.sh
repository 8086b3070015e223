#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Debian's packages of the release: they are built, lintian finds no errors, and they are used where they are
# installed, which is a copy of this machine (an overlay, for root).
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL LD_PRELOAD
version=$(sed -n 's/^AC_INIT(\[mpiortho\], \[\([^]]*\)\].*/\1/p' "$srcdir/configure.ac")

release() { XZ_OPT=-0 $MAKE -s -C "$builddir" dist && cp "$builddir/mpiortho-$version.tar.xz" "$work"; }
packages() {
    DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" nice \
        "$srcdir/packaging/deb.sh" "$work/mpiortho-$version.tar.xz" "$work/deb" >"$work/log" 2>&1 ||
        { tail -n 60 "$work/log"; return 1; }
}
are_there() {
    for package in libmpiortho0 libmpiortho-dev libmpiortho-pmpi mpiortho-tools mpiortho-doc; do
        ls "$work/deb/${package}_$version"-*.deb >/dev/null || return 1
    done
}
# A defect is an error; each package gives reasons for what it overrides.
no_errors() { lintian --fail-on error --allow-root "$work"/deb/*.changes; }
needs_one_mpi() {
    dpkg-deb -f "$work/deb/libmpiortho0_$version"-*.deb Depends | grep ' | libmpich12'
}
# It keeps what earlier releases have (packaging/releases/VERSION/MPI.abi).  This one's is left in abi/.
abi=$srcdir/packaging/abi
described() { # MPI
    source=$work/deb/mpiortho-$version
    mkdir -p "$builddir/abi" && "$abi/describe.sh" "$source/debian/build-$1/.libs/libmpiortho.so.0" \
        "$source/include" >"$builddir/abi/$1.abi" && grep -q "name='reserved'" "$builddir/abi/$1.abi"
}
# keeps OLD MPI CHANGES: today's library has all of OLD; the file CHANGES has what abidiff may say.
keeps() {
    abidiff --no-added-syms --suppressions "$abi/suppressions" "$1" "$builddir/abi/$2.abi" >"$work/report" 2>&1
    status=$? # 4: there are changes
    grep -v -e '^$' -e ' changes summary: ' "$work/report" >"$work/said"
    grep -v '^#' "$3" | diff - "$work/said" && [ $((status & ~4)) = 0 ]
}
# loses OLD MPI CHANGES: it is found if a function goes, or ORTHO_Field grows.
loses() {
    edited=$work/edited.abi
    sed 's/ORTHO_Run\(@@\|'"'"'\)/ORTHO_Ran\1/g' "$1" >"$edited" && ! keeps "$edited" "$2" "$3" &&
        grep "function int ORTHO_Ran(" "$work/report" || return 1
    sed "s/size-in-bits='832'/size-in-bits='768'/" "$1" >"$edited" && ! keeps "$edited" "$2" "$3" &&
        grep "type size changed from 768 to 832" "$work/report"
}
# in_a_copy COMMAND: in a copy of this machine, which goes when the command ends.
in_a_copy() {
    mkdir -p "$work/copy"
    unshare --mount sh -ec '
        copy=$1 files=$2
        mount -t tmpfs none "$copy"
        mkdir "$copy/new" "$copy/of_overlay" "$copy/root"
        mount -t overlay none -o "lowerdir=/,upperdir=$copy/new,workdir=$copy/of_overlay" "$copy/root"
        for tree in dev sys; do mount --rbind "/$tree" "$copy/root/$tree"; done
        mount -t proc none "$copy/root/proc"
        mkdir "$copy/root/files"
        mount --bind "$files" "$copy/root/files"
        exec chroot "$copy/root" sh -ec "$3"' sh "$work/copy" "$work/deb" "$1"
}
is_used() {
    in_a_copy "dpkg -i /files/*.deb && cd /files/mpiortho-$version && sh debian/tests/readme"
}
leaves_nothing() {
    in_a_copy '
        ours() { find /usr /etc -name "*mpiortho*" -o -name "ortho-*" | sort; }
        ours >/tmp/before
        dpkg -i /files/*.deb
        dpkg --purge $(dpkg-query -W -f "\${Package} " "*mpiortho*" "mpiortho-*" | tr " " "\n" | sort -u)
        ours | diff /tmp/before -'
}

check "a release" release
check "dpkg-buildpackage makes packages of it" packages
check "all of them" are_there
check "lintian finds no errors" no_errors
check "the libraries need one of the two MPIs" needs_one_mpi
for mpi in openmpi mpich; do
    check "$mpi: its interface is described" described $mpi
    check "a function that goes, or a struct that grows, is found" loses "$builddir/abi/$mpi.abi" $mpi /dev/null
    for release in "$srcdir"/packaging/releases/*; do
        check "it has all of $(basename "$release")" keeps "$release/$mpi.abi" $mpi "$release/changes"
        check "and what it loses is found" loses "$release/$mpi.abi" $mpi "$release/changes"
    done
done
if [ "$(id -u)" = 0 ]; then
    check "installed, they do what README.md says" is_used
    check "and leave nothing when they go" leaves_nothing
fi
finish
