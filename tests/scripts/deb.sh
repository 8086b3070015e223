# SPDX-License-Identifier: BSD-3-Clause
# Debian's packages of the release: they are built, lintian finds no errors, and they are used where they are
# installed, which is a copy of this machine (an overlay, for root).  And from an empty Debian, which
# mmdebstrap makes, to a halo: by apt with these packages, by pip with a wheel.
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
needs_one_mpi() { dpkg-deb -f "$work/deb/libmpiortho0_$version"-*.deb Depends | grep ' | libmpich12'; }
# It keeps what earlier releases have (packaging/releases/VERSION/MPI.abi).  This one's is left in abi/.
abi=$srcdir/packaging/abi
described() { # MPI
    source=$work/deb/mpiortho-$version
    mkdir -p "$builddir/abi" && "$abi/describe.sh" "$source/debian/build-$1/.libs/libmpiortho.so.0" \
        "$source/include" >"$builddir/abi/$1.abi" && grep -q "name='reserved'" "$builddir/abi/$1.abi"
}
# keeps OLD MPI CHANGES: today's library has all of OLD; the file CHANGES has what abidiff may say.
keeps() {
    abidiff --no-added-syms --suppressions "$abi/suppressions" "$1" "$builddir/abi/$2.abi" \
        >"$work/report" 2>&1
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
# in_a_copy COMMAND [OF]: in a copy of this machine, or of a folder OF, which goes when the command ends.
in_a_copy() {
    mkdir -p "$work/copy"
    unshare --mount sh -ec '
        copy=$1 files=$2 of=$4
        mount -t tmpfs none "$copy"
        mkdir "$copy/new" "$copy/of_overlay" "$copy/root"
        mount -t overlay none -o "lowerdir=$of,upperdir=$copy/new,workdir=$copy/of_overlay" "$copy/root"
        for tree in dev sys; do mount --rbind "/$tree" "$copy/root/$tree"; done
        mount -t proc none "$copy/root/proc"
        mkdir "$copy/root/files"
        mount --bind "$files" "$copy/root/files"
        exec timeout 600 chroot "$copy/root" sh -ec "$3"' sh "$work/copy" "$work/deb" "$1" "${2:-/}"
}
is_used() { in_a_copy "dpkg -i /files/*.deb && cd /files/mpiortho-$version && sh debian/tests/readme"; }
leaves_nothing() {
    in_a_copy '
        ours() { find /usr /etc -name "*mpiortho*" -o -name "ortho-*" | sort; }
        before=$(mktemp)
        ours >"$before"
        dpkg -i /files/*.deb
        dpkg --purge $(dpkg-query -W -f "\${Package} " "*mpiortho*" "mpiortho-*" | tr " " "\n" | sort -u)
        ours | diff "$before" -'
}

# An empty Debian of this machine's version.  It trusts whom this machine trusts: pip needs that.
empty_debian() {
    trusted=/usr/local/share/ca-certificates
    mmdebstrap -q --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/empty" &&
        cp /etc/resolv.conf "$work/empty/etc" && mkdir -p "$work/empty$trusted" &&
        { [ ! -d $trusted ] || cp -R $trusted/. "$work/empty$trusted"; }
}
# The wheel needs nothing of Debian's: it is for Open MPI, version 4 or newer.
wheel() {
    mkdir -p "$work/wheel" && cd "$work/wheel" && "../deb/mpiortho-$version/configure" -q --without-hwloc \
        --disable-programs MPICC=mpicc.openmpi MPICXX=mpicxx.openmpi CXXFLAGS=-O1 CFLAGS=-O1 &&
        $MAKE -s -j"$(nproc)" libmpiortho.la &&
        sh "$work/deb/mpiortho-$version/python/wheel.sh" "$work/deb" openmpi="$PWD/.libs/libmpiortho.so.0"
}
# The commands that a user types.  Open MPI must be told that it may run as root, with more processes than cores.
as_root='export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 HOME=/root
    export DEBIAN_FRONTEND=noninteractive
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe'
by_apt='apt-get update
    apt-get install -y /files/libmpiortho*_*.deb gcc openmpi-bin pkg-config
    cc /files/ghosts.c $(pkg-config --cflags --libs mpiortho) -o ghosts
    mpiexec -n 4 ./ghosts'
by_pip='apt-get update
    apt-get install -y python3-venv
    python3 -m venv venv
    venv/bin/pip install mpi4py openmpi /files/mpiortho-*.whl
    venv/bin/mpiexec -n 3 venv/bin/python /files/first.py'
# halo COMMANDS: from the empty Debian; sets `seconds`, and leaves what is printed.
halo() {
    began=$(date +%s)
    in_a_copy "$as_root; $1" "$work/empty" >"$work/said" 2>&1 </dev/null
    seconds=$(($(date +%s) - began))
    sed 's/rank [0-9]/\n&/g' "$work/said" | grep '^rank [0-9]' | sort >"$work/ranks"
}
is_right() { sort "$1" | diff - "$work/ranks" || { tail -n 60 "$work/said"; return 1; }; }

check "a release" release
check "dpkg-buildpackage makes packages of it" packages
check "all of them" are_there
check "lintian finds no errors" no_errors
check "the libraries need one of the two MPIs" needs_one_mpi
for mpi in openmpi mpich; do
    check "$mpi: its interface is described" described $mpi
    check "a function that goes, or a struct that grows, is found" \
        loses "$builddir/abi/$mpi.abi" $mpi /dev/null
    for release in "$srcdir"/packaging/releases/*; do
        check "it has all of $(basename "$release")" keeps "$release/$mpi.abi" $mpi "$release/changes"
        check "and what it loses is found" loses "$release/$mpi.abi" $mpi "$release/changes"
    done
done
if [ "$(id -u)" = 0 ]; then
    check "installed, they do what README.md says" is_used
    check "and leave nothing when they go" leaves_nothing
    check "a wheel" wheel
    check "an empty Debian" empty_debian
    cp "$srcdir/examples/ghosts.c" "$work/deb"
    sed -n 's/^    \(rank [0-9]: .*\)/\1/p' "$srcdir/README.md" >"$work/ghosts.out"
    display "$srcdir/man/mpiortho-python.7" 1 >"$work/deb/first.py"
    display "$srcdir/man/mpiortho-python.7" 2 >"$work/first.out"
    halo "$by_apt"
    check "from there to README.md's halo by apt: $seconds s" is_right "$work/ghosts.out"
    halo "$by_pip"
    check "from there to the halo of mpiortho-python(7) by pip: $seconds s" is_right "$work/first.out"
fi
