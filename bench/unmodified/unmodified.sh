#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An unmodified program's exchanges, plain, with the interposer, and plain again as the control, in turns:
# `sh ../bench/unmodified/unmodified.sh PROCESSES [ROUNDS [BYTES...]]` in a build folder.  BENCH_PROGRAM=everybody: those of
# everybody with everybody, with ORTHO_PMPI=dense; else with neighbors.  BENCH_VARYING=1: calls whose buffers and sizes are other
# ones each time.  BENCH_SIZED=1: blocking alltoallv and alltoallw.  The columns are those of `ortho-bench neighbor`, and
# so is what makes a row slower.  Status 1: wrong values with the interposer, or rows that are missing.
set -eu
export LC_ALL=C # points, not commas
[ $# -gt 0 ] && [ -f tests/facts ] || { echo "usage, in a build folder: sh .../bench/unmodified/unmodified.sh PROCESSES [ROUNDS [BYTES...]]" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../as_installed.sh"
processes=$1 rounds=${2:-11} samples=${BENCH_SAMPLES:-15}
shift
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 8 256 4096 32768 131072 1048576
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=${BENCH_PROGRAM:-exchanges}
dense=
[ $program != everybody ] || dense=ORTHO_PMPI=dense
# Where there is no compiler, the program comes with the folder (tests/device/device.sh).
cp "$builddir/bin/$program" "$work/" 2>/dev/null ||
    $MPICC -std=c11 -O2 -w -DHAVE_PERSISTENT "$here/$program.c" -o "$work/$program" 2>/dev/null ||
    $MPICC -std=c11 -O2 -w "$here/$program.c" -o "$work/$program"
i=0
while [ $i -lt "$rounds" ]; do
    for how in plain ours again; do
        settings="${BENCH_VARYING:+BENCH_VARYING=1} ${BENCH_SIZED:+BENCH_SIZED=1}"
        [ $how != ours ] || settings="$settings LD_PRELOAD=$builddir/.libs/libmpiortho-pmpi.so $dense"
        start "$processes" env $settings "$work/$program" "$samples" "$@" >"$work/one" 2>"$work/err" ||
            { echo "it ends with an error: $how" >&2; cat "$work/err" >&2; exit 1; }
        sed "s/^/$how /" "$work/one" >>"$work/all"
    done
    i=$((i + 1))
    echo "round $i of $rounds" >&2
done
echo "# $processes processes: exchanges of a program that knows nothing of mpiortho, plain, with the interposer, and plain again, $rounds rounds"
awk "$(cat "$here/median.awk")"'
    function size(bytes) { return bytes >= 1048576 && bytes % 1048576 == 0 ? bytes / 1048576 "MiB" : bytes >= 1024 && bytes % 1024 == 0 ? bytes / 1024 "KiB" : bytes "B" }
    $2 == "WRONG" { wrong[$1, $3 " " $5 " " $4]; if ($1 == "ours") bad = 1; next }
    {
        row = $2 " " $4 " " $5
        if (!(row in neighbors)) { order[++rows] = row; neighbors[row] = $3 }
        value[$1, row, ++count[$1, row]] = $6
    }
    END {
        columns = "%-10s %-14s %4s %8s %-11s %-11s %10s %10s %7s %7s %-6s %s\n"
        printf columns, "call", "topology", "t", "bytes", "form", "rival", "MPI us", "ours us", "ratio", "control", "mark", "chosen"
        for (r = 1; r <= rows; ++r) {
            split(order[r], word, " ")
            x = median("plain", order[r]); y = median("ours", order[r]); z = median("again", order[r])
            if (!x || !y || !z) { print "missing: " order[r] >"/dev/stderr"; bad = 1; continue }
            ratio = sqrt(x * z) / y
            off = x > z ? x / z - 1 : z / x - 1
            mark = ratio < 0.97 - off ? "slower" : "-"
            slower += mark == "slower"
            notes = "-"
            if (("plain", order[r]) in wrong || ("again", order[r]) in wrong) notes = notes "  WRONG RESULTS: MPI"
            if (("ours", order[r]) in wrong) notes = notes "  WRONG RESULTS: mpiortho"
            call = word[2] ~ /^all/ ? word[2] : word[2] == "blocking" ? "alltoall" : "alltoallv"
            form = word[2] ~ /^all/ ? "blocking" : word[2]
            printf columns, call, word[1], neighbors[order[r]], size(word[3]), form, form, \
                sprintf("%.2f", x), sprintf("%.2f", y), sprintf("%.2f", ratio), sprintf("%.2f", x / z), mark, notes
            sum += log(ratio)
            if (++cells == 1 || ratio < worst) { worst = ratio; where = word[1] " " size(word[3]) " " word[2] }
        }
        if (cells) printf "# %d cells, %d slower, worst %.2f (%s), geometric mean %.2f\n", cells, slower, worst, where, exp(sum / cells)
        exit bad > 0 || !cells
    }' "$work/all"
