# SPDX-License-Identifier: BSD-3-Clause
# Programs of earlier releases run with this library, and those of later ones are told (doc/interface.md).
# packaging/releases/VERSION has the header of a release, what its library shows, and a program.

# stub RELEASE LIBRARY: a library that shows what that of a release does, and does nothing: to link programs.
stub() {
    map=$1/libmpiortho.map
    mkdir -p "$(dirname "$2")" && sed -n -e 's/^ *\(ORTHO_ERR_[A-Z]*\);$/int \1;/p' \
        -e 's/^ *\([A-Za-z_]*\);$/void \1(void) {}/p' "$map" >"$work/stub.c" &&
        ${CC%% *} -shared -fPIC "$work/stub.c" -Wl,-soname,libmpiortho.so.0 \
            -Wl,--version-script="$map" -o "$2"
}
program() { # RELEASE
    stub "$1" "$work/stub/libmpiortho.so" &&
        $MPICC $sanitizers -std=c99 -w -I"$1" "$1/c99_test.c" -o "$work/program" -L"$work/stub" -lmpiortho
}
export LD_LIBRARY_PATH="$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
runs() { program "$1" && timeout 60 $MPIEXEC -n 2 "$work/program"; }
# The files that `make release` leaves of a release.
release() {
    mkdir "$1" &&
        cp "$srcdir/include/mpiortho.h" "$builddir/libmpiortho.map" "$srcdir/tests/mpi/c99_test.c" "$1"
}
is_told() { # program, which the loader does not start
    "$@" >"$work/out" 2>&1
    grep -q "version .$words. not found" "$work/out" || { cat "$work/out"; return 1; }
}
of_a_later_release() {
    map=$work/later/libmpiortho.map
    release "$work/later" && sed -i '/^    ORTHO_Cart_name;$/d' "$map" &&
        printf '%s\n' 'MPIORTHO_9 {' 'global:' '    ORTHO_Cart_name;' '} MPIORTHO_0;' >>"$map" &&
        program "$work/later" && words=MPIORTHO_9 is_told "$work/program"
}
interposer_of_another() {
    release "$work/other" &&
        sed -i 's/^MPIORTHO_PRIVATE_[0-9.]*/MPIORTHO_PRIVATE_9.9.9/' "$work/other/libmpiortho.map" &&
        stub "$work/other" "$work/other/libmpiortho.so.0" &&
        cp "$builddir/.libs/libmpiortho-pmpi.so.0" "$work/other" &&
        words='MPIORTHO_PRIVATE_[0-9.]*' is_told env -u LD_LIBRARY_PATH LD_PRELOAD="$work/other/libmpiortho-pmpi.so.0" true
}

release "$work/today"
check "a program of this release runs" runs "$work/today"
for folder in "$srcdir"/packaging/releases/*/; do
    [ -d "$folder" ] || continue
    check "a program of $(basename "$folder") runs" runs "${folder%/}"
done
check "a program of a later release is told" of_a_later_release
[ -n "$sanitizers" ] || check "and an interposer of another version" interposer_of_another
