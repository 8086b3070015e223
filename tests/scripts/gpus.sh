# SPDX-License-Identifier: BSD-3-Clause
# doc/gpus.md and its program: nvcc compiles it, where there is one, and it is right on the pretended driver.
. "$srcdir/tests/pretend/environment.sh"
mpi="$(mpi_headers) $(mpi_libraries)"
ours="-I$srcdir/include -L$builddir/.libs -lmpiortho -Wl,-rpath,$builddir/.libs"

compiles() { "$nvcc" -O0 -std=c++17 -forward-unknown-to-host-compiler -Werror all-warnings "$srcdir/examples/heat3d.cu" $ours $mpi -o "$work/heat3d_gpu"; }
[ ! -x "$nvcc" ] || check "nvcc compiles heat3d.cu, with flags as pkg-config has them" compiles

# Another compiler takes it for C++ once the launches are calls.
pretends() {
    sed 's/step<<<\(.*\), 0, \(.*\)>>>(/launch(\1, \2, step, /' "$srcdir/examples/heat3d.cu" >"$work/heat3d.cpp" &&
        [ "$(grep -c 'launch(' "$work/heat3d.cpp")" = 2 ] &&
        $CXX -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -w -I"$srcdir/tests/pretend/runtime" "$work/heat3d.cpp" $ours $mpi -ldl -o "$work/heat3d"
}
is_right() { # processes, how many messages stay on the device
    says "go through host memory, but for $2 that this process sends" \
        on "$1" env "$preload" ORTHO_EXPLAIN=1 "$work/heat3d" 12 9
}
check "heat3d.cu is C++ but for its launches" pretends
check "it is right on 2 processes, and data stays on the device" is_right 2 "1 message"
check "… on 3" is_right 3 "2 messages"

# The page names what there is.
words_are_the_librarys() {
    for words in "no driver of a device is in the process" "go through host memory"; do
        grep -q "$words" "$srcdir/doc/gpus.md" && grep -rqF "$words" "$srcdir/src" || { echo "$words"; return 1; }
    done
}
check "doc/gpus.md has the library's words" words_are_the_librarys
