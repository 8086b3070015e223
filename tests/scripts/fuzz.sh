# SPDX-License-Identifier: BSD-3-Clause
# The readers of texts take any text: libFuzzer, with sanitizers, ORTHO_TEST_FUZZ_S seconds (60) for each target
# of tests/fuzz.  It begins with the texts of the target's folder.  A text that fails is printed; when that is
# mended, the text belongs there.
unset LD_PRELOAD
fuzzer="clang++-16 -std=c++20 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
compile() { # option of -fsanitize=, object, source
    $fuzzer -fsanitize="$1" -I"$builddir" -I"$srcdir" -I"$srcdir/src" -I"$srcdir/tools" -I"$srcdir/examples" \
        -DPACKAGE_VERSION='"0"' -c "$3" -o "$work/$2.o"
}
# The rooms that know no MPI, and what programs read.
rooms() {
    $MAKE -s -C "$builddir" $(printf 'units/%s.cpp ' $names) &&
        printf '%s\n' $names | xargs -P "$(nproc)" -I{} sh -c "$fuzzer -fsanitize=fuzzer-no-link \
            -I'$builddir' -I'$srcdir' -I'$srcdir/src' -c '$builddir/units/{}.cpp' -o '$work/{}.o' || exit 255" &&
        for part in graph_text halo_text size_text specification split_text stencil_text; do
            compile fuzzer-no-link "$part" "$srcdir/tools/$part.cpp" || return 1
        done
    compile fuzzer-no-link rle_reader "$srcdir/examples/rle.cpp" && ar cr "$work/library.a" "$work"/*.o
}
names="base grid placement schedule algorithm planner memory"
target() {
    compile fuzzer "of_$1" "$srcdir/tests/fuzz/$1.cpp" &&
        $fuzzer -fsanitize=fuzzer "$work/of_$1.o" "$work/library.a" -ldl -o "$work/$1"
}
fuzz() {
    mkdir "$work/found-$1"
    (cd "$work" && "./$1" -max_total_time="${ORTHO_TEST_FUZZ_S:-60}" -timeout=100 -rss_limit_mb=1024 \
        -max_len=400 -verbosity=0 -print_final_stats=1 "found-$1" "$srcdir/tests/fuzz/$1") >"$work/out" 2>&1 && return
    grep -E 'ERROR|error:|SUMMARY|#[0-9]* .*(src|tools|examples|fuzz)/' "$work/out" | head -n 20
    for text in "$work"/crash-* "$work"/oom-* "$work"/timeout-*; do [ ! -f "$text" ] || od -c "$text"; done
    return 1
}
command -v clang++-16 >/dev/null || skip_all "clang++-16 is not installed"
check "the library is compiled" rooms
for source in "$srcdir"/tests/fuzz/*.cpp; do
    name=$(basename "$source" .cpp)
    check "$name: it has texts to begin with" ls "$srcdir/tests/fuzz/$name/"
    check "$name is compiled" target "$name"
    check "$name takes any text" fuzz "$name"
done
