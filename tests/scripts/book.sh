# SPDX-License-Identifier: BSD-3-Clause
# The tables of bench/RESULTS.md are what the raw data beside it say; a changed number is seen, and mended.
cp -R "$srcdir/bench" "$work/" && chmod -R u+w "$work/bench" || exit 1
book=$work/bench/book

seen_and_mended() {
    sed 's/^| alltoall | 2 | 3 | 8 | /&9/' "$srcdir/bench/RESULTS.md" >"$work/bench/RESULTS.md"
    if "$book" --check >/dev/null; then echo "not seen"; return 1; fi
    "$book" && cmp "$srcdir/bench/RESULTS.md" "$work/bench/RESULTS.md"
}
# The rows that `ortho-bench neighbor` may print, by their ends.
rows() {
    echo '# as run: MPICH 4.0.2, 2 processes on 2 cores, `mpiexec -n 2`, settings: none'
    echo "alltoallv  1d:manhattan:1    2       8B blocking    blocking          2.00       1.00    2.00    1.00 -      alltoall_direct"
    echo "alltoallv  1d:manhattan:1    2     4KiB blocking    blocking          1.00       2.00    0.50    1.00 slower alltoall_direct$1"
    echo "# 2 cells, 1 slower, worst 0.50 (alltoallv 1d:manhattan:1 4KiB blocking / blocking), geometric mean 1.00"
}
told() { # a line of the book
    grep -qxF -- "$1" "$work/bench/RESULTS.md" || { cat "$work/bench/RESULTS.md"; return 1; }
}
complains() { # words: the book ends badly
    if "$book" 2>"$work/err"; then echo "not seen"; return 1; fi
    grep -q "$1" "$work/err" || { cat "$work/err"; return 1; }
}
made_up() { # a book of its own, so that what has been measured does not matter
    rm -rf "$work/bench/results" && mkdir "$work/bench/results" && echo "# none" >"$work/bench/results/reasons.txt"
    printf '<!-- slower neighbor -->\n<!-- end -->\n<!-- forms mpich4-neighbor-2.txt -->\n<!-- end -->\n' >"$work/bench/RESULTS.md"
}
waits() { made_up && "$book" && told "Not measured yet: mpich4-neighbor-2.txt." && told "Not measured yet."; }
forms() {
    made_up && rows "" >"$work/bench/results/mpich4-neighbor-2.txt" || return 1
    complains '^mpich4-neighbor-2 alltoallv 1d:manhattan:1 blocking blocking 4KiB$' || return 1
    printf '= a copy more\nmpich4-neighbor-2 alltoallv 1d:manhattan:1 blocking blocking 4KiB\n' >>"$work/bench/results/reasons.txt"
    "$book" && "$book" --check && told "| alltoallv | 1d:manhattan:1 | 2 | blocking | 2.00 | **0.50** |" &&
        told "2 cells, 1 slower, worst 0.50 (alltoallv 1d:manhattan:1 4KiB blocking / blocking), geometric mean 1.00." &&
        told 'MPICH 4.0.2, 2 processes on 2 cores, `mpiexec -n 2`, settings: none.' &&
        told "| MPICH 4.0.2 | neighbor-2 | alltoallv 1d:manhattan:1 | blocking | blocking | 4KiB | 0.50 | 1.00 | 1 |" &&
        told "1. a copy more" && told "1 of 2 cells."
}
no_longer_slow() { # a reason that nothing needs
    made_up && rows "" | sed 's/slower alltoall/-      alltoall/' >"$work/bench/results/mpich4-neighbor-2.txt" &&
        printf '= a copy more\nmpich4-neighbor-2 alltoallv 1d:manhattan:1 blocking blocking 4KiB\n' >>"$work/bench/results/reasons.txt" || return 1
    complains 'reasons for these, which are not slower'
}
wrong() { # results of ours are no results
    made_up && rows "  WRONG RESULTS: mpiortho" >"$work/bench/results/mpich4-neighbor-2.txt" &&
        complains '^bench/book: wrong results'
}
# Each figure and each file of raw data is told of: what nothing needs is not kept.
complete() {
    for file in "$srcdir"/bench/results/*.csv "$srcdir"/bench/results/*.txt "$srcdir"/bench/results/*.svg; do
        name=$(basename "$file")
        grep -q "[ /(]$name" "$srcdir/bench/RESULTS.md" "$srcdir"/doc/*.md || { echo "nothing tells of $name"; return 1; }
    done
}
check "the tables are the data's" "$book" --check
check "a changed number is seen, and mended" seen_and_mended
check "all data are told of" complete
check "what is not measured yet is said" waits
check "a form that is slower is told with its reason, or missed" forms
check "a reason for what is not slower is missed" no_longer_slow
check "wrong results of ours are refused" wrong
