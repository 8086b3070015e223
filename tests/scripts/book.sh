#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tables of bench/RESULTS.md are what the raw data beside it say; a changed number is seen, and mended.
set -u
. tests/environment
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -R "$srcdir/bench" "$work/" && chmod -R u+w "$work/bench" || exit 1
book=$work/bench/book

seen_and_mended() {
    sed 's/^| alltoall | 2 | 3 | 8 | /&9/' "$srcdir/bench/RESULTS.md" >"$work/bench/RESULTS.md"
    if "$book" --check >/dev/null; then echo "not seen"; return 1; fi
    "$book" && cmp "$srcdir/bench/RESULTS.md" "$work/bench/RESULTS.md"
}
# Each figure and each file of raw data is told of: what nothing needs is not kept.
complete() {
    for file in "$srcdir"/bench/results/*.csv "$srcdir"/bench/results/*.txt "$srcdir"/bench/results/*.svg; do
        name=$(basename "$file")
        grep -q "[ /(]$name" "$srcdir/bench/RESULTS.md" "$srcdir/HACKING.md" || { echo "nothing tells of $name"; return 1; }
    done
}
check "the tables are the data's" "$book" --check
check "a changed number is seen, and mended" seen_and_mended
check "all data are told of" complete
finish
